import { createContext, type ReactNode, use, useContext, useMemo } from 'react';
import type { Texts } from './de';
import { type Formats, formatsFor, type Language } from './formats';

interface Spoken {
  language: Language;
  texts: Texts;
  formats: Formats;
}

const SpokenContext = createContext<Spoken | null>(null);

/** Only the language in use is loaded. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === 'de' ? (await import('./de')).de : (await import('./en')).en;
}

interface Props {
  language: Language;
  timeZone: string;
  texts: Texts;
  children: ReactNode;
}

export function TextsProvider({ language, timeZone, texts, children }: Props) {
  const spoken = useMemo(
    () => ({ language, texts, formats: formatsFor(language, timeZone) }),
    [language, timeZone, texts],
  );
  return <SpokenContext value={spoken}>{children}</SpokenContext>;
}

function useSpoken(): Spoken {
  const spoken = useContext(SpokenContext);
  if (!spoken) throw new Error('no texts are loaded');
  return spoken;
}

export function useTexts(): Texts {
  return useSpoken().texts;
}

export function useFormats(): Formats {
  return useSpoken().formats;
}

export function useLanguage(): Language {
  return useSpoken().language;
}

/** Texts of one page, in the language in use, loaded with the page and not before: a hook that suspends until then. */
export function lazyTexts<Texts>(load: Readonly<Record<Language, () => Promise<Texts>>>): () => Texts {
  const loaded = new Map<Language, Promise<Texts>>();
  const textsIn = (language: Language): Promise<Texts> => {
    const known = loaded.get(language);
    if (known) return known;
    const loading = load[language]();
    loaded.set(language, loading);
    // The next look tries again.
    loading.catch(() => loaded.delete(language));
    return loading;
  };
  return () => use(textsIn(useLanguage()));
}
