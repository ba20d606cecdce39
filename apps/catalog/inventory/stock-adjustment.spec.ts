import type { InventoryAdjustRequest } from '@offizin/contracts/products/inventory';
import { MAX_STOCK } from '@offizin/contracts/products/products';
import { adjustmentProblems, decideAdjustment, isRepetition, stockEvents } from './stock-adjustment';

const stock = { p1_id: 'a', stock_quantity: 10, reserved_quantity: 4, low_stock_threshold: 0 };
const request = (rest: Partial<InventoryAdjustRequest>): InventoryAdjustRequest => ({
  p1_id: 'a',
  reason: 'correction',
  ...rest,
});

describe('deciding', () => {
  it.each([
    [{ delta: 5 }, 5],
    [{ delta: -6 }, -6],
    [{ quantity: 4 }, -6],
    [{ quantity: 10 }, 0],
    [{ quantity: 12, expected_quantity: 10 }, 2],
    [{ quantity: MAX_STOCK }, MAX_STOCK - 10],
  ])('changes the stock for %j by %d', (rest, delta) => {
    expect(decideAdjustment(stock, request(rest))).toBe(delta);
  });

  it.each([
    [{ delta: -7 }, 'out_of_stock'],
    [{ quantity: 3 }, 'out_of_stock'],
    [{ quantity: 12, expected_quantity: 9 }, 'stale_quantity'],
    [{ quantity: 0, expected_quantity: 9 }, 'stale_quantity'],
    [{ delta: MAX_STOCK }, 'invalid_request'],
  ])('refuses %j as %s', (rest, code) => {
    expect(decideAdjustment(stock, request(rest))).toMatchObject({ code });
  });
});

it('wants either a delta or a quantity', () => {
  const fields = (rest: Partial<InventoryAdjustRequest>) =>
    adjustmentProblems(request(rest)).map(({ field }) => field);
  expect(fields({ delta: -1 })).toEqual([]);
  expect(fields({ quantity: 0 })).toEqual([]);
  expect(fields({ quantity: 0, expected_quantity: 0 })).toEqual([]);
  expect(fields({})).toEqual(['delta']);
  expect(fields({ delta: 0 })).toEqual(['delta']);
  expect(fields({ delta: 1, quantity: 1 })).toEqual(['delta']);
  expect(fields({ delta: 1, expected_quantity: 1 })).toEqual(['expected_quantity']);
});

it('recognizes a repeat by the entry of the first request', () => {
  const entry = { id: 'x', delta: -3, stock_after: 7, reason: 'correction' } as const;
  expect(isRepetition(entry, request({ delta: -3 }))).toBe(true);
  expect(isRepetition(entry, request({ quantity: 7, expected_quantity: 10 }))).toBe(true);
  expect(isRepetition(entry, request({ delta: 3 }))).toBe(false);
  expect(isRepetition(entry, request({ quantity: 8 }))).toBe(false);
  expect(isRepetition(entry, request({ delta: -3, reason: 'damaged' }))).toBe(false);
});

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
