import { lazyTexts } from '../../text/texts';

export const usePackingTexts = lazyTexts({
  de: async () => (await import('./packing.de')).packing,
  en: async () => (await import('./packing.en')).packing,
});
