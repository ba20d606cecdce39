import { lazyTexts } from '../../text/texts';

/** Not part of the texts of the first load. */
export const useSettingsTexts = lazyTexts({
  de: async () => (await import('./settings.de')).settings,
  en: async () => (await import('./settings.en')).settings,
});
