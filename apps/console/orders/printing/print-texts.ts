import { lazyTexts } from '../../text/texts';

/** Not part of the texts of the first load. */
export const usePrintTexts = lazyTexts({
  de: async () => (await import('./printing.de')).printing,
  en: async () => (await import('./printing.en')).printing,
});
