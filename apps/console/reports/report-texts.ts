import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useReportTexts = lazyTexts({
  de: async () => (await import('./reports.de')).reports,
  en: async () => (await import('./reports.en')).reports,
});
