import { lazyTexts } from '../../text/texts';

/** Loaded with the review: the dialog then takes keys at once. */
export const usePlanTexts = lazyTexts({
  de: async () => (await import('./plan.de')).plan,
  en: async () => (await import('./plan.en')).plan,
});
