import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const usePrintTexts = lazyTexts({
  de: async () => (await import('../text/printing-de')).printing,
  en: async () => (await import('../text/printing-en')).printing,
});
