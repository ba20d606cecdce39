import type { SearchTexts } from './search.de';

export const search: SearchTexts = {
  hint: 'Customer, number, product, page or command',
  searchIn: (area, q) => `Search in ${area}: ${q}`,
  none: 'Nothing found.',
  keysOff: 'Single-key shortcuts are off; the buttons do the same.',
  keysWithAlt: 'Single-key shortcuts work with Alt.',
  groups: { shell: 'Everywhere', page: 'This page', dialog: 'This dialog' },
  commands: 'Commands and pages',
  requests: 'Requests',
  orders: 'Orders',
  products: 'Products',
  noName: 'no name',
  stock: (available) => `${available} available`,
  searching: 'Searching …',
  found: (count) => (count === 1 ? '1 result' : `${count} results`),
  failed: (why) => `Search failed: ${why}`,
  noProducts: 'Products cannot be searched right now.',
};
