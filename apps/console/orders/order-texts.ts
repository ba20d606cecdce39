import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useOrderTexts = lazyTexts({
  de: async () => (await import('../text/orders-de')).orders,
  en: async () => (await import('../text/orders-en')).orders,
});
