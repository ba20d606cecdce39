import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../controls/button';
import { type Session, tryEnter, signIn, type SignInAnswer } from '../session/session.calls';
import { useTexts } from '../text/texts';
import { Card } from './card';
import css from './card.module.css';
import { PasswordForm } from './password-form';

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
    if (tryEnter(queries, session, to)) router.history.push(to ?? '/console/');
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
    <Card title={texts.signIn.title}>
      {to !== undefined && <p className={css.note}>{texts.signIn.onwards}</p>}
      {org !== undefined && (
        <Suspense>
          <ProviderSignIn orgId={org} to={to} refused={refused} />
        </Suspense>
      )}
      <PasswordForm
        send={signIn}
        onDone={(answer) => (answer.session ? enter(answer.session) : setUnfinished(answer))}
        wrong={texts.signIn.wrong}
        className={css.form}
        isFramed
      >
        {(isPending) => (
          <Button kind="main" type="submit" isPending={isPending}>
            {texts.signIn.submit}
          </Button>
        )}
      </PasswordForm>
      <Suspense>
        <PasskeySignIn onSession={enter} />
      </Suspense>
      <p className={css.note}>{texts.signIn.forgotten}</p>
    </Card>
  );
}
