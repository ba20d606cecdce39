import { useState } from 'react';
import type { PasskeyRow } from '@offizin/contracts/people/passkeys';
import { Field, textIn } from '../../controls/field';
import { AskDialog } from '../forms/ask-dialog';
import { FormDialog } from '../forms/form-dialog';
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
  const failure = act.failure ?? (isWithout ? texts.noPasskey : null);
  return (
    <FormDialog
      title={texts.addPasskey}
      act={{ ...act, failure }}
      does={texts.goOn}
      onSend={(fields) => act.run(textIn(fields, 'name').trim())}
      onClose={onClose}
    >
      <Field
        label={texts.passkeyName}
        hint={texts.passkeyNameHint}
        name="name"
        maxLength={100}
        autoComplete="off"
        isRequired
        autoFocus
      />
    </FormDialog>
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
