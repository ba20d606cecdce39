import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useAuditTexts = lazyTexts({
  de: async () => (await import('../text/audit-de')).audit,
  en: async () => (await import('../text/audit-en')).audit,
});
