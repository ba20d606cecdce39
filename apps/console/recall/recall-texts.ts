import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useRecallTexts = lazyTexts({
  de: async () => (await import('./recall.de')).recall,
  en: async () => (await import('./recall.en')).recall,
});
