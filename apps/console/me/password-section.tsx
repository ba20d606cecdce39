import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Field } from '../controls/field';
import { ApiError } from '../shell/api';
import { sentenceOf } from '../shell/fault';
import { MIN_PASSWORD_LENGTH } from '../shell/password-rule';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import { changePassword, sessionsQuery } from './me.calls';
import css from './me.module.css';

export function PasswordSection() {
  const { me, welcome } = useTexts();
  const { staff } = useSession();
  const { form, errors, submit, isPending } = useNewPassword();
  return (
    <section className={css.section}>
      <h2 className={css.heading}>{me.password}</h2>
      <Form ref={form} className={css.form ?? ''} onSubmit={submit} validationErrors={errors}>
        {/* Tells password managers whose password it is. */}
        <input type="text" hidden name="username" autoComplete="username" value={staff.email} readOnly />
        <Field
          label={me.currentPassword}
          name="current"
          type="password"
          autoComplete="current-password"
          isRequired
        />
        <Field
          label={me.newPassword}
          name="new"
          type="password"
          autoComplete="new-password"
          hint={welcome.passwordHint(MIN_PASSWORD_LENGTH)}
          isRequired
        />
        <div>
          <Button type="submit" isPending={isPending}>
            {me.changePassword}
          </Button>
        </div>
      </Form>
    </section>
  );
}

function useNewPassword() {
  const texts = useTexts();
  const { me, welcome } = texts;
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const { mutate, isPending } = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset();
      toasts.show({ text: me.passwordChanged });
      void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) setErrors({ current: me.wrongPassword });
      else if (error instanceof ApiError && error.details && error.details.length > 0)
        setErrors(Object.fromEntries(error.details.map(({ field, message }) => [field, message])));
      else toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const [current, next] = [fields.get('current'), fields.get('new')];
    if (typeof current !== 'string' || typeof next !== 'string') return;
    const isShort = [...next].length < MIN_PASSWORD_LENGTH;
    setErrors(isShort ? { new: welcome.tooShort(MIN_PASSWORD_LENGTH) } : {});
    if (!isShort) mutate({ current, new: next });
  };
  return { form, errors, submit, isPending };
}
