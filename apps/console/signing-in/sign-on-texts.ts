import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useSignOnTexts = lazyTexts({
  de: async () => (await import('./sign-on.de')).signOn,
  en: async () => (await import('./sign-on.en')).signOn,
});
