import { lazyTexts } from '../text/lazy-texts';

export const usePackingTexts = lazyTexts({
  de: async () => (await import('../text/packing-de')).packing,
  en: async () => (await import('../text/packing-en')).packing,
});
