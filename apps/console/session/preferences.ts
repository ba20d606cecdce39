import { useQuery } from '@tanstack/react-query';
import type { Preferences, PreferencesBody } from '@offizin/contracts/people/sessions';
import type { Language } from '../text/formats';
import { call } from '../calls/api';
import { type Session, sessionQuery } from './session.calls';

/** What a person has set; before signing in, what this browser remembers of language and theme. */

const LANGUAGE_KEY = 'offizin.language';
const THEME_KEY = 'offizin.theme';
const ALARM_KEY = 'offizin.alarm';

export function usePreferences(): Preferences {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  return (
    data?.settings ?? {
      language: rememberedLanguage(),
      time_zone: 'Europe/Berlin',
      theme: rememberedTheme(),
      undo_seconds: 5,
      single_keys: 'on',
      order_columns: [],
      hides_first_steps: false,
    }
  );
}

/** German unless the browser prefers another language. */
export function rememberedLanguage(): Language {
  const stored = read(LANGUAGE_KEY);
  if (stored === 'de' || stored === 'en') return stored;
  return window.navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}

export function rememberedTheme(): Preferences['theme'] {
  const stored = read(THEME_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** theme.css goes by `data-theme`; without it by the device. */
export function showTheme(theme: Preferences['theme']): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  write(THEME_KEY, theme);
}

export function rememberLanguage(language: Language): void {
  document.documentElement.lang = language;
  write(LANGUAGE_KEY, language);
}

/** What is shown now, when the person leaves it to the device. */
export function isDark(theme: Preferences['theme']): boolean {
  if (theme !== 'system') return theme === 'dark';
  return window.matchMedia('(prefers-color-scheme: dark)').matches;
}

/** A setting of the device, not of the person: a shared room may need silence. */
export function hasAlarm(): boolean {
  return read(ALARM_KEY) !== 'off';
}

export function rememberAlarm(isOn: boolean): void {
  write(ALARM_KEY, isOn ? 'on' : 'off');
}

export const NOTICES = ['sound', 'note'] as const;
export type NoticeKind = (typeof NOTICES)[number];

/** How new requests are announced, a setting of the device, too; nothing until it is asked for. */
export function hasNotice(kind: NoticeKind): boolean {
  return read(`offizin.notice.${kind}`) === 'on';
}

export function rememberNotice(kind: NoticeKind, isOn: boolean): void {
  write(`offizin.notice.${kind}`, isOn ? 'on' : 'off');
}

// Storage can be refused by the browser's settings; the console works without.
function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    window.localStorage.setItem(key, value);
  } catch {
    // Not remembered, then.
  }
}

export function changePreferences(body: PreferencesBody): Promise<Session> {
  return call('PUT', '/api/me', { body });
}
