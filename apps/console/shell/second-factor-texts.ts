import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useSecondFactorTexts = lazyTexts({
  de: async () => (await import('../text/second-factor-de')).secondFactor,
  en: async () => (await import('../text/second-factor-en')).secondFactor,
});
