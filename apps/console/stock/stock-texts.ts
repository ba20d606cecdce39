import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useStockTexts = lazyTexts({
  de: async () => (await import('../text/stock-de')).stock,
  en: async () => (await import('../text/stock-en')).stock,
});
