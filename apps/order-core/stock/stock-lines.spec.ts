import type { OrderStatus } from '@offizin/contracts/orders';
import { heldBy, needsClaim, stockLines } from './stock-lines';

const line = (p1_id: string | null, quantity: number) => ({ p1_id, quantity });

describe('stockLines', () => {
  it('sums up per product and leaves out what is none', () => {
    expect(stockLines([line('a', 1), line(null, 9), line('b', 2), line('a', 3)])).toEqual([
      { p1_id: 'a', quantity: 4 },
      { p1_id: 'b', quantity: 2 },
    ]);
    expect(stockLines([line(null, 1)])).toEqual([]);
    expect(stockLines([])).toEqual([]);
  });

  it('knows no product by what every object has', () => {
    expect(stockLines([line('__proto__', 1), line('constructor', 2)])).toHaveLength(2);
  });
});

describe('needsClaim', () => {
  const order = (status: OrderStatus, claim: string | null = 'claim', request: string | null = null) => ({
    ...{ status, stock_claim_id: claim, order_request_id: request },
    items: [line('a', 1), line('b', 2), line(null, 5)],
  });

  it('of a new order when it names a product', () => {
    expect(needsClaim(null, [line(null, 1)])).toBe(false);
    expect(needsClaim(null, [line('a', 1)])).toBe(true);
  });

  it('when products or their sums change, not their order or what is beside them', () => {
    expect(needsClaim(order('pending'), [line('b', 1), line('a', 1), line('b', 1)])).toBe(false);
    expect(needsClaim(order('pending'), [line('a', 1), line('b', 3)])).toBe(true);
    expect(needsClaim(order('pending'), [line('a', 1)])).toBe(true);
    expect(needsClaim(order('pending'), [line('a', 1), line('c', 2)])).toBe(true);
  });

  it('of no lines only where something is held', () => {
    expect(needsClaim(order('pending'), [])).toBe(true);
    expect(needsClaim(order('pending', null, 'request'), [])).toBe(true);
    expect(needsClaim(order('pending', null), [])).toBe(false);
  });

  it.each(['shipped', 'picked_up', 'completed', 'cancelled'] as const)('never when it is %s', (status) => {
    expect(needsClaim(order(status), [line('a', 9)])).toBe(false);
  });
});

it('an order holds by its last claim, or by the request that it came from', () => {
  const order = { status: 'pending' as const, items: [], order_request_id: 'request' };
  expect(heldBy({ ...order, stock_claim_id: 'claim' })).toBe('claim');
  expect(heldBy({ ...order, stock_claim_id: null })).toBe('request');
});
