import type { CustomerTexts } from './customer.de';

export const customer: CustomerTexts = {
  requests: 'Requests',
  rejected: 'Rejected',
  orders: 'Orders',
  phones: 'Telephone',
  addresses: 'Addresses used',
  noAddress: 'No address given',
  notes: 'Notes',
  timeLine: 'Timeline',
  more: 'Show older',
  byName:
    'No e-mail address: this page shows everything sent under the same name. It may belong to different people.',
  request: 'Request',
  order: (number) => `Order ${number}`,
  prescriber: (name) => `Prescribed by ${name}`,
  message: (text) => `To the partner: ${text}`,
  note: (text) => `Note: ${text}`,
};
