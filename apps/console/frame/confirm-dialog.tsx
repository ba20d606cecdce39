import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, type SyntheticEvent } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { useTexts } from '../text/texts';
import { confirmation } from '../session/confirmation';
import css from './confirm-dialog.module.css';
import { passwordRefusal } from '../signing-in/password-rule';
import { confirmSession, useSession } from '../session/session.calls';

const PasskeyConfirm = lazy(async () => ({
  default: (await import('../signing-in/passkey-button')).PasskeyConfirm,
}));

/** Asks for the password before a change of people, keys or secrets. */
export default function ConfirmDialog() {
  const texts = useTexts();
  const { staff } = useSession();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (password: string) => confirmSession({ password }),
    onSuccess: () => {
      confirmation.answer(true);
    },
  });
  const leave = () => {
    confirmation.answer(false);
  };
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget).get('password');
    mutate(typeof password === 'string' ? password : '');
  };
  return (
    <Dialog title={texts.lock.confirmTitle} isOpen onClose={leave}>
      <p>{texts.lock.confirmWhy}</p>
      <form className={css.form} onSubmit={submit}>
        {/* For password managers, which fill a password beside a name only. */}
        <input type="hidden" name="email" autoComplete="username" value={staff.email} />
        <Field
          label={texts.signIn.password}
          name="password"
          type="password"
          autoComplete="current-password"
          isRequired
          autoFocus
        />
        <div role="alert">{error && <p className={css.failure}>{passwordRefusal(error, texts)}</p>}</div>
        <Suspense>
          <PasskeyConfirm onDone={() => confirmation.answer(true)} />
        </Suspense>
        <DialogButtons>
          <Button onPress={leave}>{texts.requests.cancel}</Button>
          <Button kind="main" type="submit" isPending={isPending}>
            {texts.lock.confirm}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
