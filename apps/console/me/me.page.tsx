import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PreferencesBody } from '@offizin/contracts/sessions';
import { Choice } from '../controls/choice';
import { Picker } from '../controls/picker';
import { sentenceOf } from '../shell/fault';
import { changePreferences } from '../shell/preferences.calls';
import { sessionQuery, useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import css from './me.module.css';
import { PasswordSection } from './password-section';
import { SecondFactorSection } from './second-factor-section';
import { SessionsSection } from './sessions-section';

const LANGUAGES = ['de', 'en'] as const;
const THEMES = ['system', 'light', 'dark'] as const;
const UNDO_SECONDS = ['0', '5', '10'] as const;
const SINGLE_KEYS = ['on', 'alt', 'off'] as const;

export function MePage() {
  const texts = useTexts();
  const { staff } = useSession();
  return (
    <div className={css.page}>
      <h1 className={css.title}>{texts.me.title}</h1>
      <p className={css.person}>
        {staff.name}
        <br />
        {staff.email}
        <br />
        {texts.shell.roles[staff.role]}
      </p>
      <PreferencesSection />
      <PasswordSection />
      <SecondFactorSection />
      <SessionsSection />
    </div>
  );
}

/** Saved as soon as it is chosen. */
function PreferencesSection() {
  const texts = useTexts();
  const { settings } = useSession();
  const { mutate } = useChange();
  const { me } = texts;
  return (
    <section className={css.section}>
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
    </section>
  );
}

/** The likely ones first; the own one may be unknown to this browser. */
function timeZones(own: string): string[] {
  const { timeZone: device } = new Intl.DateTimeFormat().resolvedOptions();
  return [...new Set([own, 'Europe/Berlin', device, ...Intl.supportedValuesOf('timeZone')])];
}

function useChange() {
  const texts = useTexts();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: PreferencesBody) => changePreferences(body),
    onSuccess: (session) => {
      queries.setQueryData(sessionQuery.queryKey, session);
      toasts.show({ id: 'preferences', text: texts.me.saved });
    },
    onError: (error) => {
      toasts.show({ id: 'preferences', text: sentenceOf(error, texts), tone: 'failure' });
    },
  });
}
