import { useState } from 'react';
import { useAct, useSendKey } from '../settings/forms/use-act';
import { bodyOf, EMPTY_DRAFT } from './endpoint-draft';
import { EndpointForm, SecretShown } from './endpoint-form';
import { useWebhookTexts } from './webhook-texts';
import { createWebhook, ofWebhooks } from './webhooks.calls';

/** A URL that gets events; its secret is shown once. */
export default function CreateDialog({ onClose }: { onClose: () => void }) {
  const texts = useWebhookTexts();
  const sendUnderKey = useSendKey();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [secret, setSecret] = useState<{ shown: string | null } | null>(null);
  const act = useAct({
    send: () => sendUnderKey(bodyOf(draft), (key) => createWebhook(bodyOf(draft), key)),
    queryKey: ofWebhooks,
    onDone: (made) => setSecret({ shown: made.secret }),
    conflict: texts.tooMany,
  });
  if (secret) return <SecretShown secret={secret.shown} onClose={onClose} />;
  return (
    <EndpointForm
      draft={draft}
      act={act}
      onClose={onClose}
      title={texts.create}
      does={texts.create}
      onChange={setDraft}
    />
  );
}
