import { lazyTexts } from '../text/texts';

export const useCustomerTexts = lazyTexts({
  de: async () => (await import('./customer.de')).customer,
  en: async () => (await import('./customer.en')).customer,
});
