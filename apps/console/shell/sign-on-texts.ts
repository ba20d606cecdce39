import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useSignOnTexts = lazyTexts({
  de: async () => (await import('../text/sign-on-de')).signOn,
  en: async () => (await import('../text/sign-on-en')).signOn,
});
