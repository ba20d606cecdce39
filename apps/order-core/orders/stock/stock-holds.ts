import { Bus } from '@offizin/bus/bus';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import { invalid, Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { releaseHold, type ReserveBody, reserveStock } from '@offizin/contracts/products/reservations';
import { errorFields, log } from '@offizin/runtime/log';
import { type HeldStock, quantityProblems, stockLines, type StockedItem } from './stock-lines';

/** The owner of a hold: an attempt of an order request, or a claim of an order (attempt 0). */
export type HoldOf = Omit<ReserveBody, 'lines'>;

export class StockHolds {
  constructor(private readonly bus: Bus) {}

  /**
   * Holds all lines or none, and resolves with the stock of the order: null where no product is in the inventory. Throws
   * `Refused` (out_of_stock, invalid_request) with the lines at fault.
   */
  async hold(caller: Caller, of: HoldOf, items: readonly StockedItem[]): Promise<HeldStock> {
    const tooMany = quantityProblems(items);
    if (tooMany.length > 0) throw invalid(tooMany);
    const asker = serviceCaller('order-core', caller.requestId);
    const body = { ...of, lines: stockLines(items) };
    // A catalog of an earlier version does not state `is_stocked`.
    const {
      held,
      short_p1_ids,
      is_stocked = body.lines.length > 0,
    } = await this.bus.call(reserveStock, asker, body);
    if (held) return is_stocked ? 'reserved' : null;
    const short = items.flatMap(({ p1_id }, index) =>
      p1_id !== null && short_p1_ids.includes(p1_id)
        ? [{ field: `items[${index}]`, message: `there is not enough stock of ${p1_id}` }]
        : [],
    );
    const names = short.map(({ field }) => field).join(', ');
    throw new Refused('out_of_stock', `There is not enough stock for ${names}.`, short);
  }

  /**
   * Releases a hold immediately; its attempt or claim must already be void. If the release fails, the catalog settles
   * the hold later.
   */
  async release(caller: Caller, { order_request_id, attempt }: HoldOf): Promise<void> {
    const asker = serviceCaller('order-core', caller.requestId);
    await this.bus.call(releaseHold, asker, { order_request_id, attempt }).catch((failure: unknown) => {
      log.warn({ order_request_id, attempt, ...errorFields(failure) }, 'hold not released');
    });
  }
}

/** For an attempt or claim that became void before it could commit. */
export function voided(what: string): Unreachable {
  return new Unreachable('service_unavailable', `${what} took too long, or was overtaken: send it again.`);
}
