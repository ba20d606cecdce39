import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { CreateApiKeyBody, CreatedApiKey } from '@offizin/contracts/directory';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { ActButtons } from '../settings/act-buttons';
import css from '../settings/settings-form.module.css';
import { useSettingsTexts } from '../settings/settings-texts';
import { ownMistakes, useAct } from '../settings/use-act';
import { useSendKey } from '../settings/use-send-key';
import { useSession } from '../shell/session.calls';
import { apiKeysQuery, createKey } from './api-keys.calls';
import { bodyOf, EMPTY_DRAFT, isComplete, type KeyDraft } from './key-draft';
import { KeyFields } from './key-fields';
import { KeyShown } from './key-shown';

/** Name, kind, rights or shop, lifetime; then the key, shown once. */
export default function CreateDialog({ onClose }: { onClose: () => void }) {
  const { apiKeys: texts } = useSettingsTexts();
  const { org } = useSession();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  // One moment for all attempts: the same body is the same key.
  const [beganMs] = useState(() => Date.now());
  const sendUnderKey = useSendKey();
  const act = useAct({
    send: (body: CreateApiKeyBody) => sendUnderKey(body, (key) => createKey(org.id, body, key)),
    queryKey: apiKeysQuery(org.id).queryKey,
    onDone: setMade,
    conflict: texts.tooMany,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isComplete(draft)) act.run(bodyOf(draft, beganMs));
  };
  if (made) return <KeyShown made={made} onClose={onClose} />;
  return (
    <Dialog title={texts.create} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={submit}
        validationErrors={ownMistakes(act, { name: texts.noName })}
        validationBehavior="aria"
      >
        <KeyFields
          draft={draft}
          change={(change: Partial<KeyDraft>) => {
            setDraft((before) => ({ ...before, ...change }));
          }}
        />
        <ActButtons act={act} onClose={onClose}>
          <Button kind="main" type="submit" isPending={act.isPending} isDisabled={!isComplete(draft)}>
            {texts.create}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
