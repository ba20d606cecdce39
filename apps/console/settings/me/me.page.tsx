import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, type SyntheticEvent, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import type { PreferencesBody } from '@offizin/contracts/people/sessions';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { Choice } from '../../controls/choice';
import { Field, textIn } from '../../controls/field';
import { Picker } from '../../controls/picker';
import { ApiError } from '../../calls/api';
import { Fault, sentenceOf } from '../../messages/fault';
import { MIN_PASSWORD_LENGTH } from '../../signing-in/password-rule';
import { useWelcomeTexts } from '../../signing-in/welcome-texts';
import { changePreferences } from '../../session/preferences';
import { sessionQuery, useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { useFormats, useTexts } from '../../text/texts';
import formCss from '../forms/settings-form.module.css';
import { SettingsList, SettingsPage, SettingsRow, SettingsSection } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { changePassword, endSession, sessionsQuery } from './me.calls';
import css from './me.module.css';
import { Notices } from './notices';

/** Below what most people come for. */
const SecondFactorSection = lazy(async () => ({
  default: (await import('./second-factor-section')).SecondFactorSection,
}));

const LANGUAGES = ['de', 'en'] as const;
const THEMES = ['system', 'light', 'dark'] as const;
const UNDO_SECONDS = ['0', '5', '10'] as const;
const SINGLE_KEYS = ['on', 'alt', 'off'] as const;

export default function MePage() {
  const texts = useTexts();
  const { me } = useSettingsTexts();
  const { staff } = useSession();
  return (
    <SettingsPage title={me.title} about={me.about}>
      <SettingsList label={me.title}>
        <SettingsRow title={staff.name} lines={[staff.email, texts.shell.roles[staff.role]]} />
      </SettingsList>
      <PreferencesSection />
      <PasswordSection />
      <Suspense>
        <SecondFactorSection />
      </Suspense>
      <SessionsSection />
    </SettingsPage>
  );
}

/** Saved as soon as it is chosen. */
function PreferencesSection() {
  const { me } = useSettingsTexts();
  const { settings } = useSession();
  const { mutate } = useChange();
  return (
    <SettingsSection>
      <Choice
        label={me.language}
        values={LANGUAGES.map((value) => ({ value, name: me.languages[value] }))}
        selected={settings.language}
        onSelect={(language) => {
          mutate({ language });
        }}
      />
      <Choice
        label={me.theme}
        values={THEMES.map((value) => ({ value, name: me.themes[value] }))}
        selected={settings.theme}
        onSelect={(theme) => {
          mutate({ theme });
        }}
      />
      <div className={css.zone}>
        <span className={css.zoneLabel}>{me.timeZone}</span>
        <Picker
          label={me.timeZone}
          choices={timeZones(settings.time_zone).map((id) => ({ id, name: id.replaceAll('_', ' ') }))}
          chosen={settings.time_zone}
          onChoose={(time_zone) => {
            mutate({ time_zone });
          }}
        />
        <p className={css.note}>{me.timeZoneHint}</p>
      </div>
      <Choice
        label={me.undo}
        hint={me.undoHint}
        values={UNDO_SECONDS.map((value) => ({ value, name: me.undoSeconds(Number(value)) }))}
        selected={UNDO_SECONDS.find((value) => Number(value) === settings.undo_seconds) ?? '5'}
        onSelect={(seconds) => {
          mutate({ undo_seconds: Number(seconds) });
        }}
      />
      <Choice
        label={me.keys}
        hint={me.keysHint}
        values={SINGLE_KEYS.map((value) => ({ value, name: me.singleKeys[value] }))}
        selected={settings.single_keys}
        onSelect={(single_keys) => {
          mutate({ single_keys });
        }}
      />
      <Notices />
    </SettingsSection>
  );
}

/** The likely ones first; the own one may be unknown to this browser. */
function timeZones(own: string): string[] {
  const { timeZone: device } = new Intl.DateTimeFormat().resolvedOptions();
  return [...new Set([own, 'Europe/Berlin', device, ...Intl.supportedValuesOf('timeZone')])];
}

function useChange() {
  const texts = useTexts();
  const { me } = useSettingsTexts();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: PreferencesBody) => changePreferences(body),
    onSuccess: (session) => {
      queries.setQueryData(sessionQuery.queryKey, session);
      toasts.show({ id: 'preferences', text: me.saved });
    },
    onError: (error) => {
      toasts.show({ id: 'preferences', text: sentenceOf(error, texts), tone: 'failure' });
    },
  });
}

function PasswordSection() {
  const welcome = useWelcomeTexts();
  const { me } = useSettingsTexts();
  const { staff } = useSession();
  const { form, errors, submit, isPending } = useNewPassword();
  return (
    <SettingsSection title={me.password}>
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
        <div className={formCss.acts}>
          <Button type="submit" isPending={isPending}>
            {me.changePassword}
          </Button>
        </div>
      </Form>
    </SettingsSection>
  );
}

function useNewPassword() {
  const texts = useTexts();
  const welcome = useWelcomeTexts();
  const { me } = useSettingsTexts();
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
    const [current, next] = [textIn(fields, 'current'), textIn(fields, 'new')];
    const isShort = [...next].length < MIN_PASSWORD_LENGTH;
    setErrors(isShort ? { new: welcome.tooShort(MIN_PASSWORD_LENGTH) } : {});
    if (!isShort) mutate({ current, new: next });
  };
  return { form, errors, submit, isPending };
}

function SessionsSection() {
  const texts = useTexts();
  const { me } = useSettingsTexts();
  const formats = useFormats();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      toasts.show({ text: me.sessionEnded });
      return queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: (refusal) => {
      toasts.show({ text: sentenceOf(refusal, texts), tone: 'failure' });
    },
  });
  return (
    <SettingsSection title={me.sessions}>
      {error ? <Fault error={error} onAgain={() => void refetch()} /> : null}
      <ul className={css.sessions}>
        {(data?.data ?? []).map(({ id, current, created_at, last_used_at }) => (
          <li key={id} className={css.session}>
            <span title={formats.exact(last_used_at)}>
              {me.sessionSince(formats.dateTime(created_at), formats.age(last_used_at))}
            </span>
            {current ? (
              <Chip tone="good">{me.thisSession}</Chip>
            ) : (
              <Button
                onPress={() => {
                  end.mutate(id);
                }}
              >
                {me.endSession}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </SettingsSection>
  );
}
