import { lazyTexts } from '../text/texts';

export const useWebhookTexts = lazyTexts({
  de: async () => (await import('./webhooks.de')).webhooks,
  en: async () => (await import('./webhooks.en')).webhooks,
});
