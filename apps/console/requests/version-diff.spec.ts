import { compareVersions } from './version-diff';

it('names what was added, removed and changed, and nothing else', () => {
  const items = [{ name: 'Bediol', quantity: 5, price: 8.2 }];
  const before = { customer_name: 'A', address_city: 'Köln', items, note: null };
  const after = { customer_name: 'B', items: [{ ...items[0], quantity: 10 }], address_phone: '1' };
  expect(compareVersions(before, after)).toEqual([
    { field: 'customer_name', from: 'A', to: 'B' },
    { field: 'address_city', from: 'Köln', to: '' },
    { field: 'items', from: '5 × Bediol (8.2 €)', to: '10 × Bediol (8.2 €)' },
    { field: 'address_phone', from: '', to: '1' },
  ]);
  expect(compareVersions(before, before)).toEqual([]);
});
