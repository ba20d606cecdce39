import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../controls/button';
import { useTexts } from '../text/texts';
import { lock, type LockReason } from '../session/lock';
import css from './lock-screen.module.css';
import { PasswordForm } from '../signing-in/password-form';
import { type Session, tryEnter, signOut, type SignInAnswer, unlock } from '../session/session.calls';

const PasskeyUnlock = lazy(async () => ({
  default: (await import('../signing-in/passkey-button')).PasskeyUnlock,
}));
const ProviderSignIn = lazy(() => import('../signing-in/provider-sign-in'));
const SecondStep = lazy(() => import('../signing-in/second-step'));

/** Covers the work until the same person has given the password, and the second factor where the session has ended. */
export default function LockScreen({ reason, session }: { reason: LockReason; session: Session }) {
  const texts = useTexts();
  const [unfinished, setUnfinished] = useState<SignInAnswer | null>(null);
  const open = useOpen();
  return (
    <ModalOverlay className={css.cover ?? ''} isOpen isKeyboardDismissDisabled>
      <Modal className={css.card ?? ''}>
        <Dialog className={css.dialog ?? ''}>
          <Heading slot="title" level={1} className={css.title ?? ''}>
            {texts.lock.title}
          </Heading>
          <p>{texts.lock.why[reason](session.staff.name)}</p>
          {unfinished ? (
            <Suspense>
              <SecondStep answer={unfinished} onSession={open} onAgain={() => setUnfinished(null)} />
            </Suspense>
          ) : (
            <>
              <PasswordForm
                email={session.staff.email}
                send={({ password }) => unlock(session, reason, password)}
                onDone={(answer) => (answer.session ? open(answer.session) : setUnfinished(answer))}
                wrong={texts.lock.wrong}
                className={css.form}
                isFramed
              >
                {(isPending) => (
                  <Button kind="main" type="submit" isPending={isPending}>
                    {texts.lock.open}
                  </Button>
                )}
              </PasswordForm>
              <Suspense>
                {session.signed_in_by === 'provider' && (
                  <ProviderSignIn orgId={session.org.id} to={presentPage()} isAgain />
                )}
                <PasskeyUnlock reason={reason} session={session} onSession={open} />
              </Suspense>
            </>
          )}
          <SomeoneElse />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function presentPage(): string {
  const { pathname, search } = window.location;
  return pathname + search;
}

function SomeoneElse() {
  const texts = useTexts();
  const leave = useMutation({
    mutationFn: signOut,
    // A new page: nothing of the person who has gone is left in memory.
    onSettled: () => {
      window.location.assign('/console/sign-in');
    },
  });
  return (
    <Button
      kind="quiet"
      isPending={leave.isPending}
      onPress={() => {
        leave.mutate();
      }}
    >
      {texts.lock.someoneElse}
    </Button>
  );
}

function useOpen(): (opened: Session) => void {
  const queries = useQueryClient();
  return (opened) => {
    if (!tryEnter(queries, opened)) return;
    lock.open();
    void queries.invalidateQueries();
  };
}
