import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const usePrescriptionTexts = lazyTexts({
  de: async () => (await import('../text/prescriptions-de')).prescriptions,
  en: async () => (await import('../text/prescriptions-en')).prescriptions,
});
