import type { CustomerTexts } from './customer.de';

export const customer: CustomerTexts = {
  requests: (count) => (count === 1 ? 'Request' : 'Requests'),
  rejected: () => 'Rejected',
  orders: (count) => (count === 1 ? 'Order' : 'Orders'),
  names: 'Names used',
  phones: 'Phone',
  addresses: 'Addresses used',
  noAddress: 'No address given',
  notes: 'Notes',
  leftOut: (count) => `+ ${count} in the timeline`,
  unread: (count, written) =>
    count === 1
      ? 'The oldest entry is not included here: what it says, such as an allergy, is only in the timeline.'
      : `The ${written} oldest entries are not included here: what they say, such as an allergy, is only in the timeline.`,
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
  order: (number) => (number === null ? 'Order' : `Order ${number}`),
  prescriber: (name) => `Prescriber: ${name}`,
  message: (text) => `To the partner: ${text}`,
  note: (text) => `Note: ${text}`,
};
