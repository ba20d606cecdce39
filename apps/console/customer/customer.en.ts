import type { CustomerTexts } from './customer.de';

export const customer: CustomerTexts = {
  requests: (count, rejected) =>
    rejected === 0 ? `Requests (${count})` : `Requests (${count}, ${rejected} of them rejected)`,
  orders: (count) => `Orders (${count})`,
  none: 'None',
  byName: 'Without an e-mail address: these came under the same name, and may be of different people.',
  note: (text) => `Note: ${text}`,
};
