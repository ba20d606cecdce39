import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { endOf, heldBy, mostLines, needsClaim, stockLines } from './stock-lines';

const line = (p1_id: string | null, quantity: number) => ({ p1_id, quantity });

describe('stockLines', () => {
  it('sums per product and skips lines without product', () => {
    expect(stockLines([line('a', 1), line(null, 9), line('b', 2), line('a', 3)])).toEqual([
      { p1_id: 'a', quantity: 4 },
      { p1_id: 'b', quantity: 2 },
    ]);
    expect(stockLines([line(null, 1)])).toEqual([]);
    expect(stockLines([])).toEqual([]);
  });

  it('does not confuse products with inherited object properties', () => {
    expect(stockLines([line('__proto__', 1), line('constructor', 2)])).toHaveLength(2);
  });
});

it('finds of each product the most that one of several changes needs', () => {
  const lists = [
    [line('a', 1), line('a', 3)],
    [line('b', 2), line(null, 9)],
    [],
    [line('a', 2), line('b', 1)],
  ];
  expect(mostLines(lists)).toEqual([
    { p1_id: 'a', quantity: 4 },
    { p1_id: 'b', quantity: 2 },
  ]);
});

describe('needsClaim', () => {
  const order = (status: OrderStatus, claim: string | null = 'claim', request: string | null = null) => ({
    status,
    stock_claim_id: claim,
    order_request_id: request,
    stock: null,
    items: [line('a', 1), line('b', 2), line(null, 5)],
  });

  it('is true for a new order that names a product', () => {
    expect(needsClaim(null, [line(null, 1)])).toBe(false);
    expect(needsClaim(null, [line('a', 1)])).toBe(true);
  });

  it('is true when products or their sums change, but not their order or other fields', () => {
    expect(needsClaim(order('pending'), [line('b', 1), line('a', 1), line('b', 1)])).toBe(false);
    expect(needsClaim(order('pending'), [line('a', 1), line('b', 3)])).toBe(true);
    expect(needsClaim(order('pending'), [line('a', 1)])).toBe(true);
    expect(needsClaim(order('pending'), [line('a', 1), line('c', 2)])).toBe(true);
  });

  it('is true for no lines only while stock is held', () => {
    expect(needsClaim(order('pending'), [])).toBe(true);
    expect(needsClaim(order('pending', null, 'request'), [])).toBe(true);
    expect(needsClaim(order('pending', null), [])).toBe(false);
  });

  it.each(['shipped', 'picked_up', 'completed', 'cancelled'] as const)('is false in status %s', (status) => {
    expect(needsClaim(order(status), [line('a', 9)])).toBe(false);
  });
});

it('finds the hold of an order by its last claim, or else by its order request', () => {
  const order = { status: 'pending' as const, items: [], order_request_id: 'request', stock: null };
  expect(heldBy({ ...order, stock_claim_id: 'claim' })).toBe('claim');
  expect(heldBy({ ...order, stock_claim_id: null })).toBe('request');
});

it.each([
  ['pending', 'reserved', null],
  ['shipped', 'sold', 'sold'],
  ['cancelled', 'sold', 'sold'],
  ['cancelled', 'released', 'released'],
  ['completed', null, 'released'],
] as const)('of an order that is %s with stock %s the hold ended as %s', (status, stock, end) => {
  expect(endOf({ status, stock, items: [], order_request_id: null, stock_claim_id: null })).toBe(end);
});
