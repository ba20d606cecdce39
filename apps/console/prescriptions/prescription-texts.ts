import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const usePrescriptionTexts = lazyTexts({
  de: async () => (await import('./prescriptions.de')).prescriptions,
  en: async () => (await import('./prescriptions.en')).prescriptions,
});
