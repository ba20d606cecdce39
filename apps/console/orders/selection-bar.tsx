import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { PipelineRow } from '@offizin/contracts/pipeline';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { useKeys } from '../shell/keys';
import { SelectionButtons } from '../shell/selection-buttons';
import { useAskedRows } from '../shell/use-asked-rows';
import { useFormats } from '../text/texts';
import { useOrderTexts } from './order-texts';
import type { Selecting } from '../shell/use-selection';

const BulkDialog = lazy(() => import('./bulk-dialog'));

interface Props {
  selecting: Selecting<PipelineRow>;
  /** An open order owns the keys of these acts. */
  hasKeys: boolean;
}

/** What can be done with the selected orders together. */
export function SelectionBar({ selecting, hasKeys }: Props) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const navigate = useNavigate();
  const words = { tooMany: texts.select.tooMany, offline: texts.blockedOffline };
  const { asked, tooMany, blocked, ask, done } = useAskedRows(selecting, words);
  const count = selecting.selection.size;
  const print = (kind: 'slip' | 'label') => {
    if (tooMany === null)
      void navigate({ to: '/print', search: { kind, ids: [...selecting.selection.keys()].join(',') } });
  };
  const keyed = (keys: string) => (hasKeys ? { shortcut: keys } : {});
  useKeys(
    'page',
    hasKeys
      ? [
          { keys: 's', does: texts.nextStatus, run: ask },
          { keys: 'p', does: texts.printSlip, run: () => print('slip') },
          { keys: 'l', does: texts.printLabel, run: () => print('label') },
        ]
      : [],
  );
  return (
    <>
      <ActionBar label={texts.select.acts(count, formats.number(count))} blocked={blocked}>
        <Button kind="main" {...keyed('s')} isDisabled={blocked !== null} onPress={ask}>
          {texts.nextStatus}
        </Button>
        <Button {...keyed('p')} isDisabled={tooMany !== null} onPress={() => print('slip')}>
          {texts.printSlip}
        </Button>
        <Button {...keyed('l')} isDisabled={tooMany !== null} onPress={() => print('label')}>
          {texts.printLabel}
        </Button>
        <SelectionButtons selecting={selecting} texts={texts.select} />
      </ActionBar>
      <Suspense>{asked && <BulkDialog rows={asked} onClose={done} />}</Suspense>
    </>
  );
}
