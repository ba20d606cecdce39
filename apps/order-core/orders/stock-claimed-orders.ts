import type { Caller } from '@offizin/contracts/caller';
import { Refused } from '@offizin/contracts/errors';
import { Database, type Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { auditActorOf } from '../audit/audit.store';
import { assertKeyIsLive } from '../directory/directory.store';
import { commitClaim, settleClaim } from '../stock/stock-claims.store';
import { type HoldOf, type StockHolds, takenBack } from '../stock/stock-holds';
import { heldBy, needsClaim } from '../stock/stock-lines';
import type { OrderPatch } from './order-patch';
import { requireAnswerable } from './order-size';
import * as store from './orders.store';

/** A change of the lines of an order that the stock follows. */
export interface StockedChange {
  shopId: string;
  externalId: string;
  patch: OrderPatch & Required<Pick<OrderPatch, 'items'>>;
  /** Throws when the order, as it is found, must not be changed so. */
  check: (before: store.OrderRow | null) => void;
  /** The last step of the transaction. */
  keep?: (tx: Sql, written: WrittenOrder) => Promise<unknown>;
}

/** What it needs of StockHolds. */
export type Holds = Pick<StockHolds, 'hold' | 'giveBack'>;

export type WrittenOrder = store.OrderRow & { created: boolean };

/** Within one process changes of an order take turns, so it takes as many replicas at once to look this often. */
const MAX_LOOKS = 8;
/** Nobody waits for the answer of a change that has waited this long for its turn. */
const MAX_WAIT_MS = 8_000;

/**
 * Orders that the stock follows: as approval, reserve -> commit -> confirm. The lines are held at the catalog under a
 * claim of their own first, beside what the order holds already; then order and claim are committed in one transaction,
 * if the order is still the one that was looked at; its event has the claim take the place of what it held before.
 * Before a claim is given back it is made void, so a commit that comes late finds that and does not happen. Killing
 * either process between any two steps leaves the order with the stock of its lines: the old ones or the new.
 */
export class StockClaimedOrders {
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly database: Database,
    private readonly holds: Holds,
  ) {}

  async write(caller: Caller, change: StockedChange): Promise<WrittenOrder> {
    const startedAtMs = performance.now();
    return this.turns.take(`${change.shopId} ${change.externalId}`, () => {
      if (performance.now() - startedAtMs > MAX_WAIT_MS) throw takenBack('The change of the order');
      return this.untilWritten(caller, change);
    });
  }

  private async untilWritten(caller: Caller, change: StockedChange): Promise<WrittenOrder> {
    const { shopId, externalId } = change;
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const before = await store.findOrderByKey(this.database, caller.orgId, shopId, externalId);
      change.check(before);
      const written = await this.look(caller, change, before);
      if (written) return written;
    }
    throw takenBack('The change of the order');
  }

  /** Null when somebody else has changed the order meanwhile, or made it. */
  private async look(
    caller: Caller,
    change: StockedChange,
    before: store.OrderRow | null,
  ): Promise<WrittenOrder | null> {
    const { items } = change.patch;
    const claim = needsClaim(before, items) ? claimOf(caller, before) : null;
    try {
      if (claim) await this.holds.hold(caller, claim, items);
    } catch (error) {
      if (isReplaced(error)) return null;
      throw error;
    }
    try {
      return await this.database.transaction(async (tx) => {
        const written = await commit(tx, caller, change, { before, claim });
        await change.keep?.(tx, written);
        return written;
      });
    } catch (error) {
      // An error of another kind may have committed: that claim is settled when the catalog asks.
      const isRefused = error instanceof Overtaken || error instanceof Refused;
      if (claim && isRefused) await this.giveBack(caller, claim);
      if (error instanceof Overtaken) return null;
      throw error;
    }
  }

  private async giveBack(caller: Caller, claim: HoldOf): Promise<void> {
    const committed = await settleClaim(this.database, claim.order_request_id);
    if (!committed) await this.holds.giveBack(caller, claim);
  }
}

/** The order is not the one that the claim was made for. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** The catalog's word for the same: another claim has taken the place of what this one was to replace. */
function isReplaced(error: unknown): boolean {
  return error instanceof Refused && error.code === 'conflict';
}

function claimOf({ orgId }: Caller, before: store.OrderRow | null): HoldOf {
  const claim = { org_id: orgId, order_request_id: newId(), attempt: 0 };
  return before ? { ...claim, order_id: before.id, replaces: heldBy(before) } : claim;
}

/** Calls of one key run one after the other within this process; between processes the database decides. */
class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => undefined);
    this.last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}

/** Order, claim, history, audit and event: all or nothing. */
async function commit(
  tx: Sql,
  caller: Caller,
  { shopId, externalId, patch }: StockedChange,
  { before, claim }: { before: store.OrderRow | null; claim: HoldOf | null },
): Promise<WrittenOrder> {
  await assertKeyIsLive(tx, caller);
  const id = before?.id ?? newId();
  const claimId = claim?.order_request_id ?? before?.stock_claim_id ?? null;
  const by = { actor: caller.actorId, eventId: newId(), audit: auditActorOf(caller) };
  const change = { id, patch: { ...patch, stock_claim_id: claimId }, ...by };
  if (claim && !(await commitClaim(tx, claim.order_request_id, id)))
    throw takenBack('The change of the order');
  if (!before) {
    const made = await store.upsertOrder(tx, caller.orgId, {
      ...change,
      ...{ shopId, externalId, keyId: null },
    });
    if (!made?.created) throw new Overtaken();
    requireAnswerable(made);
    return made;
  }
  const locked = await store.lockOrder(tx, caller.orgId, id);
  if (locked?.sequence !== before.sequence) throw new Overtaken();
  const row = (await store.updateOrder(tx, caller.orgId, change)) ?? locked;
  requireAnswerable(row);
  return { ...row, created: false };
}
