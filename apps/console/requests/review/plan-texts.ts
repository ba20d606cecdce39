import { lazyTexts } from '../../text/texts';

/** Loaded with the review: the dialog then takes keys immediately. */
export const usePlanTexts = lazyTexts({
  de: async () => (await import('./plan.de')).plan,
  en: async () => (await import('./plan.en')).plan,
});
