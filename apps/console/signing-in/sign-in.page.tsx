import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Field } from '../controls/field';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';
import { type Session, sessionQuery, signIn, type SignInAnswer } from '../session/session.calls';
import type { Texts } from '../text/de';
import { useTexts } from '../text/texts';
import { Card, textIn } from './card';
import css from './card.module.css';

const PasskeySignIn = lazy(async () => ({
  default: (await import('./passkey-button')).PasskeySignIn,
}));
const ProviderSignIn = lazy(() => import('./provider-sign-in'));
const SecondStep = lazy(() => import('./second-step'));

export default function SignInPage() {
  const texts = useTexts();
  const router = useRouter();
  const queries = useQueryClient();
  const { to, org, refused } = useSearch({ from: '/sign-in' });
  const [unfinished, setUnfinished] = useState<SignInAnswer | null>(null);
  const enter = (session: Session) => {
    queries.setQueryData(sessionQuery.queryKey, session);
    router.history.push(to ?? '/console/');
  };
  if (unfinished)
    return (
      <Card title={texts.signIn.title}>
        <Suspense>
          <SecondStep answer={unfinished} onSession={enter} onAgain={() => setUnfinished(null)} />
        </Suspense>
      </Card>
    );
  return (
    <PasswordForm onSession={enter} onUnfinished={setUnfinished} isOnwards={to !== undefined}>
      {org !== undefined && (
        <Suspense>
          <ProviderSignIn orgId={org} to={to} refused={refused} />
        </Suspense>
      )}
    </PasswordForm>
  );
}

interface FormProps {
  onSession: (session: Session) => void;
  onUnfinished: (answer: SignInAnswer) => void;
  /** An address was asked for. */
  isOnwards: boolean;
  /** Above the fields. */
  children: ReactNode;
}

function PasswordForm({ onSession, onUnfinished, isOnwards, children }: FormProps) {
  const texts = useTexts();
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: (answer) => {
      if (answer.session) onSession(answer.session);
      else onUnfinished(answer);
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    attempt.mutate({ email: textIn(fields, 'email').trim(), password: textIn(fields, 'password') });
  };
  return (
    <Card title={texts.signIn.title}>
      {isOnwards && <p className={css.note}>{texts.signIn.onwards}</p>}
      {children}
      <Form className={css.form ?? ''} onSubmit={submit}>
        <Field
          label={texts.signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          isRequired
          autoFocus
        />
        <Field
          label={texts.signIn.password}
          name="password"
          type="password"
          autoComplete="current-password"
          isRequired
        />
        <div role="alert">
          {attempt.error ? <p className={css.failure}>{whyNot(attempt.error, texts)}</p> : null}
        </div>
        <Button kind="main" type="submit" isPending={attempt.isPending}>
          {texts.signIn.submit}
        </Button>
      </Form>
      <Suspense>
        <PasskeySignIn onSession={onSession} />
      </Suspense>
      <p className={css.note}>{texts.signIn.forgotten}</p>
    </Card>
  );
}

function whyNot(error: Error, texts: Texts): string {
  if (error instanceof ApiError && error.status === 401) return texts.signIn.wrong;
  if (error instanceof ApiError && error.status === 429) return texts.signIn.locked;
  return sentenceOf(error, texts);
}
