import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useSavingTexts = lazyTexts({
  de: async () => (await import('../text/saving-de')).saving,
  en: async () => (await import('../text/saving-en')).saving,
});
