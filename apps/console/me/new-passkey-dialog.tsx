import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { Field } from '../controls/field';
import { ActButtons } from '../settings/act-buttons';
import formCss from '../settings/settings-form.module.css';
import { useAct } from '../settings/use-act';
import { useSecondFactorTexts } from '../shell/second-factor-texts';
import { toasts } from '../shell/toasts';
import { NoPasskeyError } from '../shell/webauthn';
import { addPasskey, passkeysQuery } from './me.calls';

/** The name is for the list; then the browser asks the person. */
export default function NewPasskeyDialog({ onClose }: { onClose: () => void }) {
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
      <Form className={formCss.form ?? ''} onSubmit={submit}>
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
