import { lazyTexts, useFormats, useTexts } from '../../text/texts';
import type { ConcernTexts } from '../hints/concerns';

/** Loaded with the review: the dialog then takes keys immediately. */
export const usePlanTexts = lazyTexts({
  de: async () => (await import('./plan.de')).plan,
  en: async () => (await import('./plan.en')).plan,
});

export function useConcernTexts(): ConcernTexts {
  const { requests } = useTexts();
  const { hints, edit } = usePlanTexts();
  return { requests, hints, edit, formats: useFormats() };
}
