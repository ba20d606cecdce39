import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { Dialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../controls/button';
import { Field } from '../controls/field';
import { useTexts } from '../text/texts';
import { lock, type LockReason } from './lock';
import css from './lock-screen.module.css';
import { passwordRefusal } from './password-refusal';
import { type Session, sessionQuery, signOut, unlock } from './session.calls';

/** Covers the work until the same person has given the password. */
export default function LockScreen({ reason, session }: { reason: LockReason; session: Session }) {
  const texts = useTexts();
  const attempt = useUnlock(session, reason);
  const leave = useMutation({
    mutationFn: signOut,
    // A new page: nothing of the person who has gone is left in memory.
    onSettled: () => {
      window.location.assign('/console/sign-in');
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget).get('password');
    attempt.mutate(typeof password === 'string' ? password : '');
  };
  return (
    <ModalOverlay className={css.cover ?? ''} isOpen isKeyboardDismissDisabled>
      <Modal className={css.card ?? ''}>
        <Dialog className={css.dialog ?? ''}>
          <Heading slot="title" level={1} className={css.title ?? ''}>
            {texts.lock.title}
          </Heading>
          <p>{texts.lock.why[reason](session.staff.name)}</p>
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
            <Button
              kind="quiet"
              isPending={leave.isPending}
              onPress={() => {
                leave.mutate();
              }}
            >
              {texts.lock.someoneElse}
            </Button>
          </Form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useUnlock(session: Session, reason: LockReason) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (password: string) => unlock(session, reason, password),
    onSuccess: (opened) => {
      queries.setQueryData(sessionQuery.queryKey, opened);
      lock.open();
      void queries.invalidateQueries();
    },
  });
}
