import type { ReservationLine } from '@offizin/contracts/products/reservations';
import type { Holds } from '../orders/orders/stock-claimed-orders';
import type { HoldOf } from '../orders/stock/stock-holds';
import { type StockedItem, stockLines } from '../orders/stock/stock-lines';

/** For specs only: the catalog's side of claims. Records calls, then runs the test's step. */
export const catalog = {
  asked: [] as (HoldOf & { lines: ReservationLine[] })[],
  released: [] as string[],
  before: (_claim: HoldOf): Promise<unknown> => Promise.resolve(),
};
export const holds: Holds = {
  hold: async (_caller, of, items: readonly StockedItem[]) => {
    const lines = stockLines(items);
    catalog.asked.push({ ...of, lines });
    await catalog.before(of);
    return lines.length > 0 ? 'reserved' : null;
  },
  release: (_caller, { order_request_id }) => {
    catalog.released.push(order_request_id);
    return Promise.resolve();
  },
};

export function forgetHolds(): void {
  Object.assign(catalog, { asked: [], released: [], before: () => Promise.resolve() });
}

export const claims = () => catalog.asked.map(({ order_request_id }) => order_request_id);
