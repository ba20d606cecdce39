import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, type SyntheticEvent, useState } from 'react';
import { Dialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../controls/button';
import { Field } from '../controls/field';
import { useTexts } from '../text/texts';
import { lock, type LockReason } from '../session/lock';
import css from './lock-screen.module.css';
import { passwordRefusal } from '../signing-in/password-rule';
import { type Session, sessionQuery, signOut, type SignInAnswer, unlock } from '../session/session.calls';

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
              <PasswordForm reason={reason} session={session} onSession={open} onUnfinished={setUnfinished} />
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

interface FormProps {
  reason: LockReason;
  session: Session;
  onSession: (session: Session) => void;
  onUnfinished: (answer: SignInAnswer) => void;
}

function PasswordForm({ reason, session, onSession, onUnfinished }: FormProps) {
  const texts = useTexts();
  const attempt = useMutation({
    mutationFn: (password: string) => unlock(session, reason, password),
    onSuccess: (answer) => {
      if (answer.session) onSession(answer.session);
      else onUnfinished(answer);
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget).get('password');
    attempt.mutate(typeof password === 'string' ? password : '');
  };
  return (
    <Form className={css.form ?? ''} onSubmit={submit}>
      {/* For password managers, which fill a password beside a name only. */}
      <input type="hidden" name="email" autoComplete="username" value={session.staff.email} />
      <Field
        label={texts.signIn.password}
        name="password"
        type="password"
        autoComplete="current-password"
        isRequired
        autoFocus
      />
      <div role="alert">
        {attempt.error ? <p className={css.failure}>{passwordRefusal(attempt.error, texts)}</p> : null}
      </div>
      <Button kind="main" type="submit" isPending={attempt.isPending}>
        {texts.lock.open}
      </Button>
    </Form>
  );
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
    queries.setQueryData(sessionQuery.queryKey, opened);
    lock.open();
    void queries.invalidateQueries();
  };
}
