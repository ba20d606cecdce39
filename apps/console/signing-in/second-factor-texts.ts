import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useSecondFactorTexts = lazyTexts({
  de: async () => (await import('./second-factor.de')).secondFactor,
  en: async () => (await import('./second-factor.en')).secondFactor,
});
