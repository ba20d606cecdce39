import { lazyTexts } from '../../text/texts';

export type BulkAct = 'ask' | 'reject';

/** Loaded with the first selection. */
export const useBulkTexts = lazyTexts({
  de: async () => (await import('./bulk.de')).bulk,
  en: async () => (await import('./bulk.en')).bulk,
});
