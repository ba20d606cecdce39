import { type ReactNode, useState } from 'react';
import { ActionBar, KeyedButtons, type KeyedButtonsProps } from '../controls/action-bar';
import { Button } from '../controls/button';
import { useFormats, useTexts } from '../text/texts';
import { MAX_BULK } from './bulk';
import { useOnline } from '../session/online';
import type { Selecting } from './use-selection';

interface Props extends KeyedButtonsProps {
  selecting: Pick<Selecting<unknown>, 'selection' | 'markAll' | 'clear'>;
  texts: { acts: (count: number, written: string) => string; clear: (count: string) => string };
  /** Why nothing can be done now; null when it can. */
  blocked: string | null;
  /** Further acts. */
  children?: ReactNode;
}

/** What can be done with the selected rows together; then more of them, or none. */
export function SelectionBar({ selecting, texts, blocked, children, ...buttons }: Props) {
  const { select } = useTexts();
  const formats = useFormats();
  const { size } = selecting.selection;
  const written = formats.number(size);
  return (
    <ActionBar label={texts.acts(size, written)} blocked={blocked}>
      <KeyedButtons {...buttons} />
      {children}
      <Button kind="quiet" onPress={selecting.markAll}>
        {select.all}
      </Button>
      <Button kind="quiet" onPress={selecting.clear}>
        {texts.clear(written)}
      </Button>
    </ActionBar>
  );
}

interface Words {
  select: { tooMany: (most: number) => string };
  blockedOffline: string;
}

/** The dialog of an act on all selected rows, and why it cannot be asked for now. */
export function useAskedRows<Row extends { id: string }>(
  { selection, unmark, freeze }: Pick<Selecting<Row>, 'selection' | 'unmark' | 'freeze'>,
  { select, blockedOffline }: Words,
) {
  const online = useOnline();
  // As they are when the dialog opens.
  const [asked, setAsked] = useState<readonly Row[] | null>(null);
  const tooMany = selection.size > MAX_BULK ? select.tooMany(MAX_BULK) : null;
  const blocked = online ? tooMany : blockedOffline;
  return {
    asked,
    tooMany,
    blocked,
    ask: () => {
      if (blocked !== null) return;
      freeze(true);
      setAsked([...selection.values()]);
    },
    /** Closes the dialog; those that are done are no longer selected. */
    done: (ids: readonly string[]) => {
      unmark(ids);
      freeze(false);
      setAsked(null);
    },
  };
}
