import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useReportTexts = lazyTexts({
  de: async () => (await import('../text/reports-de')).reports,
  en: async () => (await import('../text/reports-en')).reports,
});
