import { lazyTexts } from '../../text/texts';

export const useFailureTexts = lazyTexts({
  de: async () => (await import('./failures.de')).failures,
  en: async () => (await import('./failures.en')).failures,
});
