import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useViewsTexts = lazyTexts({
  de: async () => (await import('../text/views-de')).views,
  en: async () => (await import('../text/views-en')).views,
});
