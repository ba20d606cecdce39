import { lazyTexts } from '../text/texts';

/** Not part of the texts of the first load. */
export const useViewsTexts = lazyTexts({
  de: async () => (await import('./views.de')).views,
  en: async () => (await import('./views.en')).views,
});
