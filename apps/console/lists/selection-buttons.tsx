import { useState } from 'react';
import { Button } from '../controls/button';
import { useFormats } from '../text/texts';
import { MAX_BULK } from './bulk';
import { useOnline } from '../session/online';
import type { Selecting } from './use-selection';

interface Props {
  selecting: Pick<Selecting<unknown>, 'selection' | 'markAll' | 'clear'>;
  texts: { all: string; clear: (count: string) => string };
}

/** After the acts on a selection: more of it, or none. */
export function SelectionButtons({ selecting: { selection, markAll, clear }, texts }: Props) {
  const formats = useFormats();
  return (
    <>
      <Button kind="quiet" onPress={markAll}>
        {texts.all}
      </Button>
      <Button kind="quiet" onPress={clear}>
        {texts.clear(formats.number(selection.size))}
      </Button>
    </>
  );
}

interface Words {
  tooMany: (most: number) => string;
  offline: string;
}

/** The dialog of an act on all selected rows, and why it cannot be asked for now. */
export function useAskedRows<Row extends { id: string }>(
  { selection, unmark, freeze }: Pick<Selecting<Row>, 'selection' | 'unmark' | 'freeze'>,
  { tooMany: tooManyText, offline }: Words,
) {
  const online = useOnline();
  // As they are when the dialog opens.
  const [asked, setAsked] = useState<readonly Row[] | null>(null);
  const tooMany = selection.size > MAX_BULK ? tooManyText(MAX_BULK) : null;
  const blocked = online ? tooMany : offline;
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
