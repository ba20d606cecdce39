import { lazyTexts } from '../text/lazy-texts';

/** Not part of the texts of the first load. */
export const useSettingsTexts = lazyTexts({
  de: async () => (await import('../text/settings-de')).settings,
  en: async () => (await import('../text/settings-en')).settings,
});
