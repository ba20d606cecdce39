import type { PrintTexts } from './printing.de';

export const printing: PrintTexts = {
  title: {
    slip: (count) => (count === 1 ? '1 packing slip' : `${count} packing slips`),
    label: (count) => (count === 1 ? '1 label' : `${count} labels`),
  },
  about: 'A preview of the pages.',
  print: 'Print',
  back: 'Back',
  none: 'No orders selected for printing',
  noneHint: 'Select the orders in the list, then print.',
  toOrders: 'Go to orders',
  missing: (count) =>
    count === 1
      ? '1 order cannot be found and is not printed.'
      : `${count} orders cannot be found and are not printed.`,
  asked: (count) => (count === 1 ? 'Did it print?' : `Did all ${count} print?`),
  slipAsked: (customer) => `${customer}: packing slip printed?`,
  yes: 'Yes, note it in the history',
  no: 'No',
  printed: 'Noted in the history.',
  notMarked: (message) => `Printed, but not noted in the history. ${message}`,
  markAgain: 'Note it again',
  slip: 'Packing slip',
  number: 'Order',
  ordered: 'Ordered',
  delivery: 'Delivery',
  payment: 'Payment',
  total: 'Total',
  parcel: 'Parcel',
  packed: 'Packed',
  quantity: 'Quantity',
  product: 'Product',
  productNumber: 'Product number',
};
