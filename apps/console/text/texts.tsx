import { createContext, type ReactNode, useContext, useMemo } from 'react';
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
