import type { SearchTexts } from './search.de';

export const search: SearchTexts = {
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
