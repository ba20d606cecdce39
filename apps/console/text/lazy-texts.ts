import { use } from 'react';
import type { Language } from './formats';
import { useLanguage } from './texts';

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
