import { useMutation, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Failure } from '../controls/failure';
import { Field, textIn } from '../controls/field';
import { ApiError } from '../calls/api';
import { Fault } from '../messages/fault';
import type { Session, SignInAnswer } from '../session/session.calls';
import { useTexts } from '../text/texts';
import { PasskeyButton } from './passkey-button';
import { signInRefusal } from './password-rule';
import { beginSetUp, finishSetUp, giveSecondFactor, signInByPasskey } from './second-factor.calls';
import { useSecondFactorTexts } from './second-factor-texts';
import css from './second-factor.module.css';
import { TotpForm } from './totp-form';
import { knowsPasskeys } from './webauthn';

interface Props {
  answer: SignInAnswer;
  onSession: (session: Session) => void;
  /** Back to the password. */
  onAgain: () => void;
}

/** What a sign-in still needs after the right password or link. */
export default function SecondStep({ answer, onSession, onAgain }: Props) {
  const texts = useSecondFactorTexts();
  const pending = answer.pending ?? '';
  if (answer.next === 'set_up') return <SetUp pending={pending} onSession={onSession} onAgain={onAgain} />;
  return (
    <div className={css.form}>
      <p>{texts.give}</p>
      {answer.methods.includes('totp') && <Code pending={pending} onSession={onSession} onAgain={onAgain} />}
      {answer.methods.includes('passkey') && (
        <PasskeyButton
          label={texts.usePasskey}
          ask={() => signInByPasskey(pending)}
          onDone={onSession}
          onGone={onAgain}
        />
      )}
      {answer.methods.includes('passkey') && !knowsPasskeys() && (
        <p className={css.note}>{texts.noPasskeysHere}</p>
      )}
      <p className={css.note}>{texts.lost}</p>
      <div>
        <Button kind="quiet" onPress={onAgain}>
          {texts.again}
        </Button>
      </div>
    </div>
  );
}

type StepProps = Omit<Props, 'answer'> & { pending: string };

function Code({ pending, onSession, onAgain }: StepProps) {
  const shared = useTexts();
  const texts = useSecondFactorTexts();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (code: string) => giveSecondFactor(pending, code),
    onSuccess: onSession,
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(textIn(new FormData(event.currentTarget), 'code'));
  };
  if (isOver(error)) return <Over onAgain={onAgain} />;
  return (
    <Form className={css.form ?? ''} onSubmit={submit}>
      <Field
        label={texts.code}
        hint={texts.codeHint}
        name="code"
        autoComplete="one-time-code"
        maxLength={40}
        spellCheck="false"
        isRequired
        autoFocus
      />
      <Failure why={error && signInRefusal(error, shared, texts.wrong)} isFramed />
      <Button kind="main" type="submit" isPending={isPending}>
        {texts.goOn}
      </Button>
    </Form>
  );
}

function SetUp({ pending, onSession, onAgain }: StepProps) {
  const shared = useTexts();
  const texts = useSecondFactorTexts();
  const [isGone, setGone] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['second-factor', 'set-up', pending],
    queryFn: () => beginSetUp(pending),
    // Each call makes another secret.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (isGone || isOver(error)) return <Over onAgain={onAgain} />;
  if (error) return <Fault error={error} onAgain={() => void refetch()} />;
  if (!data) return <p>{shared.shell.loading}</p>;
  return (
    <>
      <p>{texts.mustSetUp}</p>
      <TotpForm
        made={data}
        send={(code) => finishSetUp(pending, code)}
        onDone={onSession}
        onGone={() => setGone(true)}
      />
    </>
  );
}

function Over({ onAgain }: { onAgain: () => void }) {
  const texts = useSecondFactorTexts();
  return (
    <div className={css.form}>
      <p role="alert">{texts.over}</p>
      <Button kind="main" autoFocus onPress={onAgain}>
        {texts.again}
      </Button>
    </div>
  );
}

function isOver(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}
