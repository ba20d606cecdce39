import { lazyTexts } from '../text/lazy-texts';

/** Loaded with the palette. */
export const useSearchTexts = lazyTexts({
  de: async () => (await import('../text/search-de')).search,
  en: async () => (await import('../text/search-en')).search,
});
