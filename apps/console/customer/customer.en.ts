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
  gone: 'This customer cannot be found',
  goneHint: 'Their data has been erased, or the address of this page is wrong.',
  toOrders: 'Go to orders',
  noRecords: 'No requests and no orders',
  noRecordsHint: 'Everything this customer ordered has been erased.',
  more: 'Show older',
  byName:
    'No e-mail address: this page shows everything sent under the same name. It may belong to different people.',
  request: 'Request',
  order: (number) => `Order ${number}`,
  prescriber: (name) => `Prescribed by ${name}`,
  message: (text) => `To the partner: ${text}`,
  note: (text) => `Note: ${text}`,
};
