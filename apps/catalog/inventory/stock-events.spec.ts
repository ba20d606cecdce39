import { stockEvents } from './stock-events';

const types = (before: number, delta: number, low_stock_threshold = 5) => {
  const stock = { p1_id: 'a', stock_quantity: before, reserved_quantity: 0, low_stock_threshold };
  const change = { logId: 'log', orgId: 'org', stock, delta, reservedDelta: 0, reason: 'sold' as const };
  return stockEvents(change).map(({ eventType }) => eventType);
};

it('publishes nothing for a count that confirmed the stock', () => {
  expect(types(3, 0)).toEqual([]);
});

it.each([
  [10, -4, ['inventory_adjusted']],
  [10, -5, ['inventory_adjusted', 'inventory_low']],
  [10, -10, ['inventory_adjusted', 'inventory_low']],
  [5, -1, ['inventory_adjusted']],
  [2, 10, ['inventory_adjusted']],
])('of a stock of %d changed by %d says %j', (before, delta, expected) => {
  expect(types(before, delta)).toEqual(expected);
});

it('treats an empty stock as low without a threshold', () => {
  expect(types(1, -1, 0)).toEqual(['inventory_adjusted', 'inventory_low']);
});
