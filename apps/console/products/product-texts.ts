import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useProductTexts = lazyTexts({
  de: async () => (await import('../text/products-de')).products,
  en: async () => (await import('../text/products-en')).products,
});
