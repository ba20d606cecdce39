import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useStockTexts = lazyTexts({
  de: async () => (await import('./stock.de')).stock,
  en: async () => (await import('./stock.en')).stock,
});
