import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { LinkResponse } from '@offizin/contracts/people/sessions';
import { Button } from '../controls/button';
import { Failure } from '../controls/failure';
import { Field, textIn } from '../controls/field';
import { ApiError } from '../calls/api';
import { Fault, sentenceOf } from '../messages/fault';
import { MIN_PASSWORD_LENGTH } from './password-rule';
import { acceptLink, readLink, type Session, tryEnter, type SignInAnswer } from '../session/session.calls';
import { useTexts } from '../text/texts';
import { Card } from './card';
import css from './card.module.css';
import { useWelcomeTexts } from './welcome-texts';

const SecondStep = lazy(() => import('./second-step'));

/** An invitation or a new password. The token is in the fragment, so that no log of a server holds it. */
export default function WelcomePage() {
  const { signIn, shell } = useTexts();
  const welcome = useWelcomeTexts();
  const navigate = useNavigate();
  const token = useLocation({ select: ({ hash }) => hash });
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => readLink(token),
    staleTime: Infinity,
    retry: false,
    enabled: token !== '',
    // The fragment goes before this page does, when the console takes over.
    placeholderData: (before) => (token === '' ? before : undefined),
  });
  const [unfinished, setUnfinished] = useState<SignInAnswer | null>(null);
  const enter = useEnter();
  if (unfinished)
    return (
      <Card title={signIn.title}>
        <Suspense>
          <SecondStep
            answer={unfinished}
            onSession={enter}
            onAgain={() => void navigate({ to: '/sign-in' })}
          />
        </Suspense>
      </Card>
    );
  if (link.data)
    return <PasswordForm link={link.data} token={token} onSession={enter} onUnfinished={setUnfinished} />;
  if (token === '' || isGone(link.error))
    return (
      <Card title={welcome.gone}>
        <p>{welcome.goneWhy}</p>
        <Link to="/sign-in">{welcome.toSignIn}</Link>
      </Card>
    );
  if (!link.error) return <Card title={shell.loading}>{null}</Card>;
  return <Fault error={link.error} onAgain={() => void link.refetch()} />;
}

function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 429;
}

function useEnter(): (session: Session) => void {
  const router = useRouter();
  const queries = useQueryClient();
  return (session) => {
    // Replaced: going back must not lead to a used link.
    if (tryEnter(queries, session)) router.history.replace('/console/');
  };
}

interface FormProps {
  link: LinkResponse;
  token: string;
  onSession: (session: Session) => void;
  onUnfinished: (answer: SignInAnswer) => void;
}

/** Sends the form; `errors` by the name of the field. */
function useAccept({ token, onSession, onUnfinished }: FormProps) {
  const welcome = useWelcomeTexts();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const { mutate, error, isPending } = useMutation({
    mutationFn: acceptLink,
    onSuccess: (answer) => {
      if (answer.session) onSession(answer.session);
      else onUnfinished(answer);
    },
    onError: (refusal) => {
      if (refusal instanceof ApiError)
        setErrors(Object.fromEntries((refusal.details ?? []).map(({ field, message }) => [field, message])));
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const password = textIn(fields, 'password');
    const name = textIn(fields, 'name').trim();
    if ([...password].length < MIN_PASSWORD_LENGTH) {
      setErrors({ password: welcome.tooShort(MIN_PASSWORD_LENGTH) });
      return;
    }
    setErrors({});
    mutate({ token, password, ...(name === '' ? {} : { name }) });
  };
  return { submit, errors, error, isPending };
}

function PasswordForm(props: FormProps) {
  const { link } = props;
  const texts = useTexts();
  const { signIn } = texts;
  const welcome = useWelcomeTexts();
  const { submit, errors, error, isPending } = useAccept(props);
  const isInvitation = link.kind === 'invitation';
  return (
    <Card title={isInvitation ? welcome.invitation : welcome.reset}>
      <p>{isInvitation ? welcome.invitationFor(link.org_name) : welcome.resetFor(link.org_name)}</p>
      <Form className={css.form ?? ''} onSubmit={submit} validationErrors={errors}>
        {isInvitation ? (
          <Field label={welcome.name} name="name" defaultValue={link.name} autoComplete="name" isRequired />
        ) : null}
        <Field
          label={signIn.email}
          name="email"
          type="email"
          value={link.email}
          isReadOnly
          autoComplete="username"
        />
        <Field
          label={welcome.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={welcome.passwordHint(MIN_PASSWORD_LENGTH)}
          isRequired
        />
        <Failure why={error && Object.keys(errors).length === 0 ? sentenceOf(error, texts) : null} isFramed />
        <Button kind="main" type="submit" isPending={isPending}>
          {welcome.submit}
        </Button>
      </Form>
    </Card>
  );
}
