import { lazy, Suspense, useState } from 'react';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { MAX_BULK } from '../shell/bulk';
import type { Selecting } from '../shell/use-selection';
import { useKeys } from '../shell/keys';
import { useOnline } from '../shell/online';
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
export function DeliverySelection({ selecting: { selection, markAll, unmark, clear }, hasKeys }: Props) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const online = useOnline();
  // As they are when the dialog opens.
  const [asked, setAsked] = useState<readonly Delivery[] | null>(null);
  const count = selection.size;
  const tooMany = count > MAX_BULK ? texts.select.tooMany(MAX_BULK) : null;
  const blocked = online ? tooMany : texts.blockedOffline;
  const ask = () => {
    if (blocked === null) setAsked([...selection.values()]);
  };
  const done = (sent: readonly string[]) => {
    unmark(sent);
    setAsked(null);
  };
  useKeys('page', hasKeys ? [{ keys: 'r', does: texts.sendAgain, run: ask }] : []);
  return (
    <>
      <ActionBar label={texts.select.acts(count, formats.number(count))} blocked={blocked}>
        <Button kind="main" {...(hasKeys && { shortcut: 'r' })} isDisabled={blocked !== null} onPress={ask}>
          {texts.sendAgain}
        </Button>
        <Button kind="quiet" onPress={markAll}>
          {texts.select.all}
        </Button>
        <Button kind="quiet" onPress={clear}>
          {texts.select.clear(formats.number(count))}
        </Button>
      </ActionBar>
      <Suspense>{asked && <SendAgainDialog rows={asked} onClose={done} />}</Suspense>
    </>
  );
}
