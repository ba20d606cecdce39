import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { Field } from '../controls/field';
import { ActButtons } from '../settings/act-buttons';
import css from '../settings/settings-form.module.css';
import { useAct } from '../settings/use-act';
import { useSendKey } from '../settings/use-send-key';
import { useSession } from '../shell/session.calls';
import { SecretShown } from './secret-shown';
import { useWebhookTexts } from './webhook-texts';
import { createWebhook, ofWebhooks } from './webhooks.calls';

/** A URL that gets every kind of event; its secret is shown once. */
export default function CreateDialog({ onClose }: { onClose: () => void }) {
  const texts = useWebhookTexts();
  const { org } = useSession();
  const sendUnderKey = useSendKey();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [secret, setSecret] = useState<{ shown: string | null } | null>(null);
  const body = { url: url.trim(), description: description.trim() || null };
  const act = useAct({
    send: () => sendUnderKey(body, (key) => createWebhook(org.id, body, key)),
    queryKey: ofWebhooks,
    onDone: (made) => setSecret({ shown: made.secret }),
    conflict: texts.tooMany,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    act.run();
  };
  if (secret) return <SecretShown secret={secret.shown} onClose={onClose} />;
  return (
    <Dialog title={texts.create} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={submit}
        validationErrors={act.mistakes['url'] === undefined ? {} : { url: texts.noUrl }}
        validationBehavior="aria"
      >
        <Field
          autoFocus
          isRequired
          label={texts.url}
          hint={texts.urlHint}
          name="url"
          maxLength={2048}
          inputMode="url"
          autoComplete="off"
          value={url}
          onChange={setUrl}
        />
        <Field
          label={texts.description}
          name="description"
          maxLength={200}
          value={description}
          onChange={setDescription}
        />
        <ActButtons {...{ act, onClose }}>
          <Button kind="main" type="submit" isPending={act.isPending} isDisabled={url.trim() === ''}>
            {texts.create}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
