import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { Failure } from '../controls/failure';
import { Field, textIn } from '../controls/field';
import { useTexts } from '../text/texts';
import { signInRefusal } from './password-rule';

interface Given {
  email: string;
  password: string;
}

interface Props<Reply> {
  /** Whose password it is; left out where the person types that, too. */
  email?: string;
  send: (given: Given) => Promise<Reply>;
  onDone: (reply: Reply) => void;
  /** The sentence for a wrong password. */
  wrong: string;
  className?: string;
  /** The refusal has a border and a background. */
  isFramed?: boolean;
  /** Below the fields: the buttons. */
  children: (isPending: boolean) => ReactNode;
}

/** Signs in, confirms or unlocks by a password. */
export function PasswordForm<Reply>({
  email,
  send,
  onDone,
  wrong,
  className = '',
  isFramed,
  children,
}: Props<Reply>) {
  const texts = useTexts();
  const { signIn } = texts;
  const { mutate, error, isPending } = useMutation({ mutationFn: send, onSuccess: onDone });
  return (
    <Form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        mutate({ email: textIn(fields, 'email').trim(), password: textIn(fields, 'password') });
      }}
    >
      {email === undefined ? (
        <Field label={signIn.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
      ) : (
        // For password managers, which fill a password beside a name only.
        <input type="hidden" name="email" autoComplete="username" value={email} />
      )}
      <Field
        label={signIn.password}
        name="password"
        type="password"
        autoComplete="current-password"
        isRequired
        autoFocus={email !== undefined}
      />
      <Failure why={error && signInRefusal(error, texts, wrong)} isFramed={isFramed} />
      {children(isPending)}
    </Form>
  );
}
