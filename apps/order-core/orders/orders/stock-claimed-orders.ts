import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { Database, type Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { auditActorOf } from '../../audit/audit.store';
import { assertCallerIsLive, NO_CREDENTIAL } from '../../callers/live-caller.store';
import { commitClaim, settleClaim } from '../stock/stock-claims.store';
import { type HoldOf, type StockHolds, voided } from '../stock/stock-holds';
import { heldBy, needsClaim } from '../stock/stock-lines';
import type { OrderPatch } from './order-patch';
import type { OrderRow } from './order-row';
import * as store from './orders.store';

/** A change of the lines of an order that claims stock. */
export interface StockedChange {
  shopId: string;
  externalId: string;
  patch: OrderPatch & Required<Pick<OrderPatch, 'items'>>;
  /** Change a closed order, too. */
  force?: boolean;
  /** Throws when the order as read must not be changed. */
  check: (before: OrderRow | null) => void;
  /** The last step of the transaction. */
  keep?: (tx: Sql, written: WrittenOrder) => Promise<unknown>;
}

export type Holds = Pick<StockHolds, 'hold' | 'release'>;

export type WrittenOrder = OrderRow & { created: boolean };

/** Only other replicas can overtake an attempt: changes of one order are serialized within the process. */
const MAX_ATTEMPTS = 8;
/** After this wait for the mutex the caller has timed out. */
const MAX_WAIT_MS = 8_000;

/**
 * Orders that claim stock: reserve -> commit -> confirm, as in approval (decision 0015). The catalog holds the new lines
 * under a claim, in addition to the stock that the order holds. One transaction commits order and claim if the order's
 * version is unchanged; its event lets the claim replace the earlier hold. A claim is made void before it is released, so
 * a late commit fails. A crash between any two steps leaves the order with the stock of its old or its new lines.
 */
export class StockClaimedOrders {
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly database: Database,
    private readonly holds: Holds,
  ) {}

  async write(caller: Caller, change: StockedChange): Promise<WrittenOrder> {
    const startedAtMs = performance.now();
    return this.mutex.take(`${change.shopId} ${change.externalId}`, () => {
      if (performance.now() - startedAtMs > MAX_WAIT_MS) throw voided('The change of the order');
      return this.untilWritten(caller, change);
    });
  }

  private async untilWritten(caller: Caller, change: StockedChange): Promise<WrittenOrder> {
    const { shopId, externalId } = change;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = await store.findOrderByKey(this.database, caller.orgId, shopId, externalId);
      change.check(before);
      const written = await this.attempt(caller, change, before);
      if (written) return written;
    }
    throw voided('The change of the order');
  }

  /** Null when the order was changed or created concurrently. */
  private async attempt(
    caller: Caller,
    change: StockedChange,
    before: OrderRow | null,
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
      // After any other error the commit may have happened; the claim is settled when the catalog asks.
      const isRefused = error instanceof Overtaken || error instanceof Refused;
      if (claim && isRefused) await this.settleAndRelease(caller, claim);
      if (error instanceof Overtaken) return null;
      throw error;
    }
  }

  private async settleAndRelease(caller: Caller, claim: HoldOf): Promise<void> {
    const committed = await settleClaim(this.database, claim.order_request_id);
    if (!committed) await this.holds.release(caller, claim);
  }
}

/** The order changed after its claim was made. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** The catalog refuses: another claim already replaced the hold that this one names. */
function isReplaced(error: unknown): boolean {
  return error instanceof Refused && error.code === 'conflict';
}

function claimOf({ orgId }: Caller, before: OrderRow | null): HoldOf {
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
  { shopId, externalId, patch, force }: StockedChange,
  { before, claim }: { before: OrderRow | null; claim: HoldOf | null },
): Promise<WrittenOrder> {
  await assertCallerIsLive(tx, caller);
  const id = before?.id ?? newId();
  const claimId = claim?.order_request_id ?? before?.stock_claim_id ?? null;
  const by = { actor: caller.actorId, eventId: newId(), audit: auditActorOf(caller) };
  const change = { id, patch: { ...patch, stock_claim_id: claimId }, ...by };
  if (claim && !(await commitClaim(tx, claim.order_request_id, id))) throw voided('The change of the order');
  if (!before) {
    const made = await store.upsertOrder(tx, caller.orgId, {
      ...change,
      shopId,
      externalId,
      credential: NO_CREDENTIAL,
    });
    if (!made?.created) throw new Overtaken();
    return made;
  }
  const locked = await store.lockOrder(tx, caller.orgId, id);
  if (locked?.sequence !== before.sequence) throw new Overtaken();
  await store.compareOrder(tx, { orgId: caller.orgId, shopId, externalId, patch, force });
  const row = (await store.updateOrder(tx, caller.orgId, change)) ?? locked;
  return { ...row, created: false };
}
