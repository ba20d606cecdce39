import { lazyTexts } from '../text/lazy-texts';

export const useWebhookTexts = lazyTexts({
  de: async () => (await import('../text/webhooks-de')).webhooks,
  en: async () => (await import('../text/webhooks-en')).webhooks,
});
