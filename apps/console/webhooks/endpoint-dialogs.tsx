import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Choice } from '../controls/choice';
import { Dialog } from '../controls/dialog';
import { AskDialog } from '../settings/forms/ask-dialog';
import { ActButtons } from '../settings/forms/act-buttons';
import { useAct, useSendKey } from '../settings/forms/use-act';
import { sentenceOf } from '../messages/fault';
import { toasts } from '../messages/toasts';
import { useFormats, useTexts } from '../text/texts';
import { changeOf, draftOf } from './endpoint-draft';
import { EndpointForm, SecretShown } from './endpoint-form';
import { useWebhookTexts } from './webhook-texts';
import {
  changeWebhook,
  deleteWebhook,
  missedSince,
  ofWebhooks,
  recover,
  rotateSecret,
  type Webhook,
} from './webhooks.calls';

interface Props {
  webhook: Webhook;
  onClose: () => void;
}

/** What the endpoint's acts ask before they do something. */
export type Asked = keyof typeof DIALOGS;

const DIALOGS = {
  recover: RecoverDialog,
  rotate: RotateDialog,
  pause: PauseDialog,
  edit: EditDialog,
  delete: DeleteDialog,
} as const;

export default function EndpointDialog({ asked, ...props }: Props & { asked: Asked }) {
  const Asking = DIALOGS[asked];
  return <Asking {...props} />;
}

/** A new secret; the old one signs beside it for a day. */
function RotateDialog({ webhook, onClose }: Props) {
  const texts = useWebhookTexts();
  const sendUnderKey = useSendKey();
  const [made, setMade] = useState<{ secret: string | null; previousUntil: string | null } | null>(null);
  if (made) return <SecretShown {...made} onClose={onClose} />;
  return (
    <AskDialog
      title={texts.rotate}
      text={texts.rotateText}
      does={texts.rotate}
      send={() => sendUnderKey(webhook.id, (key) => rotateSecret(webhook.id, key))}
      queryKey={ofWebhooks}
      onDone={({ secret, previous_secret_until: previousUntil }) => setMade({ secret, previousUntil })}
      onClose={onClose}
    />
  );
}

/** Pausing cancels what is pending, so it asks first. */
function PauseDialog({ webhook, onClose }: Props) {
  const texts = useWebhookTexts();
  return (
    <AskDialog
      title={texts.asks.pause}
      text={texts.pauseText}
      does={texts.pause}
      send={() => changeWebhook(webhook.id, { is_active: false })}
      queryKey={ofWebhooks}
      onClose={onClose}
    />
  );
}

/** As it was when the dialog opened, with what is typed since. */
function EditDialog({ webhook, onClose }: Props) {
  const texts = useWebhookTexts();
  // Not what a colleague changes meanwhile: only what was changed here is sent.
  const [opened] = useState(webhook);
  const [draft, setDraft] = useState(() => draftOf(opened));
  const act = useAct({
    send: () => changeWebhook(webhook.id, changeOf(draft, opened)),
    queryKey: ofWebhooks,
    onDone: onClose,
  });
  return (
    <EndpointForm
      draft={draft}
      act={act}
      onClose={onClose}
      title={texts.asks.edit}
      does={texts.save}
      onChange={setDraft}
    />
  );
}

/** Its deliveries are no longer shown, so it asks first. */
function DeleteDialog({ webhook, onClose }: Props) {
  const texts = useWebhookTexts();
  const navigate = useNavigate();
  return (
    <AskDialog
      title={texts.asks.delete}
      text={texts.deleteText}
      does={texts.delete}
      send={() => deleteWebhook(webhook.id)}
      queryKey={ofWebhooks}
      onDone={() => void navigate({ to: '/webhooks' })}
      onClose={onClose}
    />
  );
}

const CHOICES = ['hour', 'day', 'week', 'fortnight'] as const;
const HOURS = { hour: 1, day: 24, week: 168, fortnight: 336 } as const;
const HOUR_MS = 3_600_000;

/** Sends what the endpoint missed, and states beforehand how many that are. */
function RecoverDialog({ webhook, onClose }: Props) {
  const texts = useWebhookTexts();
  const shared = useTexts();
  const formats = useFormats();
  const [nowMs] = useState(() => Date.now());
  const [period, setPeriod] = useState<(typeof CHOICES)[number]>('day');
  const since = new Date(nowMs - HOURS[period] * HOUR_MS).toISOString();
  const { data, error } = useQuery(missedSince(webhook.id, since));
  const act = useAct({
    send: () => recover(webhook.id, since),
    queryKey: ofWebhooks,
    onDone: ({ scheduled, more }) => {
      toasts.show({ text: texts.recovered(scheduled, formats.number(scheduled), more) });
      onClose();
    },
  });
  const count = data && texts.missed(data.missed, formats.number(data.missed), data.more);
  return (
    <Dialog title={texts.recover} isBusy={act.isPending} onClose={onClose}>
      <Choice
        label={texts.since}
        values={CHOICES.map((value) => ({ value, name: texts.sinceChoices[value] }))}
        selected={period}
        onSelect={setPeriod}
      />
      <p role="status">{count ?? (error ? sentenceOf(error, shared) : shared.shell.loading)}</p>
      <p>{texts.recoverHint}</p>
      <ActButtons act={act} onClose={onClose}>
        <Button
          kind="main"
          isDisabled={data === undefined || data.missed === 0}
          isPending={act.isPending}
          onPress={() => act.run()}
        >
          {texts.sendMissed(formats.number(data?.missed ?? 0))}
        </Button>
      </ActButtons>
    </Dialog>
  );
}
