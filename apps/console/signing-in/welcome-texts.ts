import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useWelcomeTexts = lazyTexts({
  de: async () => (await import('./welcome.de')).welcome,
  en: async () => (await import('./welcome.en')).welcome,
});
