import { lazy, Suspense } from 'react';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import type { Selecting } from '../shell/use-selection';
import { useKeys } from '../shell/keys';
import { SelectionButtons } from '../shell/selection-buttons';
import { useAskedRows } from '../shell/use-asked-rows';
import { useFormats } from '../text/texts';
import { useWebhookTexts } from './webhook-texts';
import type { Delivery } from './webhooks.calls';

const SendAgainDialog = lazy(() => import('./send-again-dialog'));

interface Props {
  selecting: Selecting<Delivery>;
  /** An open delivery owns the key of the act. */
  hasKeys: boolean;
}

/** The selected deliveries can be sent again together. */
export function DeliverySelection({ selecting, hasKeys }: Props) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const words = { tooMany: texts.select.tooMany, offline: texts.blockedOffline };
  const { asked, blocked, ask, done } = useAskedRows(selecting, words);
  const count = selecting.selection.size;
  useKeys('page', hasKeys ? [{ keys: 'r', does: texts.sendAgain, run: ask }] : []);
  return (
    <>
      <ActionBar label={texts.select.acts(count, formats.number(count))} blocked={blocked}>
        <Button kind="main" {...(hasKeys && { shortcut: 'r' })} isDisabled={blocked !== null} onPress={ask}>
          {texts.sendAgain}
        </Button>
        <SelectionButtons selecting={selecting} texts={texts.select} />
      </ActionBar>
      <Suspense>{asked && <SendAgainDialog rows={asked} onClose={done} />}</Suspense>
    </>
  );
}
