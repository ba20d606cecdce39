import { lazyTexts } from '../text/texts';

/** Loaded with the palette, or with the list of keys. */
export const useSearchTexts = lazyTexts({
  de: async () => (await import('./search.de')).search,
  en: async () => (await import('./search.en')).search,
});
