import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { PasskeyRow } from '@offizin/contracts/people/passkeys';
import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { ActButtons } from '../forms/act-buttons';
import { AskDialog } from '../forms/ask-dialog';
import css from '../forms/settings-form.module.css';
import { useAct } from '../forms/use-act';
import { useSecondFactorTexts } from '../../signing-in/second-factor-texts';
import { toasts } from '../../messages/toasts';
import { NoPasskeyError } from '../../signing-in/webauthn';
import { addPasskey, passkeysQuery, removePasskey } from './me.calls';

/** The name is for the list; then the browser asks the person. */
export function NewPasskeyDialog({ onClose }: { onClose: () => void }) {
  const texts = useSecondFactorTexts();
  const [isWithout, setWithout] = useState(false);
  const act = useAct({
    send: async (name: string) => {
      try {
        return await addPasskey(name);
      } catch (error) {
        if (!(error instanceof NoPasskeyError)) throw error;
        return null;
      }
    },
    queryKey: passkeysQuery.queryKey,
    onDone: (made) => {
      setWithout(made === null);
      if (made === null) return;
      toasts.show({ text: texts.passkeyAdded(made.name) });
      onClose();
    },
    conflict: texts.passkeyConflict,
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get('name');
    if (typeof name === 'string') act.run(name.trim());
  };
  return (
    <Dialog title={texts.addPasskey} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form className={css.form ?? ''} onSubmit={submit}>
        <Field
          label={texts.passkeyName}
          hint={texts.passkeyNameHint}
          name="name"
          maxLength={100}
          autoComplete="off"
          isRequired
          autoFocus
        />
        <ActButtons
          act={{ isPending: act.isPending, failure: act.failure ?? (isWithout ? texts.noPasskey : null) }}
          onClose={onClose}
        >
          <Button kind="main" type="submit" isPending={act.isPending}>
            {texts.goOn}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}

interface Props {
  passkey: PasskeyRow;
  onClose: () => void;
}

export function RemovePasskeyDialog({ passkey, onClose }: Props) {
  const texts = useSecondFactorTexts();
  return (
    <AskDialog
      title={texts.removePasskeyTitle(passkey.name)}
      text={texts.removePasskeyText}
      does={texts.remove}
      send={() => removePasskey(passkey.id)}
      queryKey={passkeysQuery.queryKey}
      said={texts.passkeyRemoved(passkey.name)}
      conflict={texts.lastOne}
      onClose={onClose}
    />
  );
}
