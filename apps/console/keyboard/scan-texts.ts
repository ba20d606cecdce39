import { lazyTexts } from '../text/texts';

/** Loaded with the pages that take codes. */
export const useScanTexts = lazyTexts({
  de: async () => (await import('./scans.de')).scans,
  en: async () => (await import('./scans.en')).scans,
});
