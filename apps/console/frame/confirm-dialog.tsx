import { lazy, Suspense } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { useTexts } from '../text/texts';
import { confirmation } from '../session/confirmation';
import css from './confirm-dialog.module.css';
import { PasswordForm } from '../signing-in/password-form';
import { useSecondFactorTexts } from '../signing-in/second-factor-texts';
import { confirmSession, useSession } from '../session/session.calls';

const PasskeyConfirm = lazy(async () => ({
  default: (await import('../signing-in/passkey-button')).PasskeyConfirm,
}));

/** Asks for the password before a change of people, keys or secrets. */
export default function ConfirmDialog() {
  const texts = useTexts();
  const { confirming } = useSecondFactorTexts();
  const { staff } = useSession();
  const leave = () => confirmation.answer(false);
  const confirmed = () => confirmation.answer(true);
  return (
    <Dialog title={confirming.title} onClose={leave}>
      <p>{confirming.why}</p>
      <PasswordForm
        email={staff.email}
        send={({ password }) => confirmSession({ password })}
        onDone={confirmed}
        wrong={texts.lock.wrong}
        className={css.form}
      >
        {(isPending) => (
          <>
            <Suspense>
              <PasskeyConfirm onDone={confirmed} />
            </Suspense>
            <DialogButtons>
              <Button onPress={leave}>{texts.requests.cancel}</Button>
              <Button kind="main" type="submit" isPending={isPending}>
                {confirming.does}
              </Button>
            </DialogButtons>
          </>
        )}
      </PasswordForm>
    </Dialog>
  );
}
