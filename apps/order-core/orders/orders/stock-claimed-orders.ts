import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { isOfMember } from '@offizin/operations/batch-member';
import { Database, isRefusedStatement, type Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { auditActorOf } from '../../audit/audit.store';
import { liveTransaction, NO_CREDENTIAL } from '../../callers/live-caller.store';
import { assertNotOvertaken, personIn } from '../../callers/overtaken.store';
import type { DataKeys } from '../../crypto/data-keys.store';
import { commitClaim, settleClaim } from '../stock/stock-claims.store';
import { type HoldOf, type StockHolds, voided } from '../stock/stock-holds';
import {
  endOf,
  haveSameStock,
  type HeldStock,
  heldBy,
  mostLines,
  needsClaim,
  type StockedItem,
  stockLines,
} from '../stock/stock-lines';
import { requireVersion } from './order-detail';
import type { OrderPatch } from './order-patch';
import { patchStatuses, type StatusOutcome, type StatusPatch } from './order-status.store';
import type { OrderRow } from './order-row';
import * as store from './orders.store';

/** A change of the lines of an order that claims stock. */
interface StockedLines {
  shopId: string;
  externalId: string;
  patch: OrderPatch & Required<Pick<OrderPatch, 'items'>>;
  /** Change a closed order, too. */
  force?: boolean;
}

interface StockedChange extends StockedLines {
  /** Throws when the order as read must not be changed. */
  check: (before: OrderRow | null) => void;
  /** The last step of the transaction. */
  keep?: (tx: Sql, written: WrittenOrder) => Promise<unknown>;
}

/** Several changes of one order. */
interface SharedLines extends Pick<StockedLines, 'shopId' | 'externalId'> {
  /** Of the changes that give lines, in their order. */
  lines: readonly (readonly StockedItem[])[];
}

export type Holds = Pick<StockHolds, 'hold' | 'release'>;

export type WrittenOrder = OrderRow & { created: boolean };

/** A claim that is held. */
interface Claim {
  id: string;
  stock: HeldStock;
}

/** A change of an order that claims stock, without the statement that writes it. */
interface ClaimedChange<Written> {
  before: OrderRow | null;
  /** The lines to claim; null: the change needs no claim. */
  lines: readonly StockedItem[] | null;
  /** In the transaction that commits the claim. */
  write: (tx: Sql, claim: Claim | null) => Promise<Written>;
}

/** Only other replicas can overtake an attempt: changes of one order are serialized within the process. */
const MAX_ATTEMPTS = 8;
/** After this wait for the mutex the caller has timed out. */
const MAX_WAIT_MS = 8_000;

/**
 * Orders that claim stock: reserve -> commit -> confirm, as in approval (decision 0015). The catalog holds the new lines
 * under a claim, in addition to the stock that the order holds. One transaction commits order and claim if the order's
 * version is unchanged; its event lets the claim replace the earlier hold. A claim is made void before it is released, so
 * a late commit fails. A crash between any two steps leaves the order with the stock of its old or its new lines. An order
 * that is reopened claims its lines in the same steps.
 */
export class StockClaimedOrders {
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly database: Database,
    private readonly holds: Holds,
    private readonly dataKeys: DataKeys,
  ) {}

  async write(caller: Caller, change: StockedChange): Promise<WrittenOrder> {
    const { shopId, externalId, patch, check } = change;
    return this.untilWritten(change, async () => {
      const before = await store.findOrderByKey(this.database, caller.orgId, shopId, externalId);
      check(before);
      const lines = needsClaim(before, patch.items) ? patch.items : null;
      return this.attempt(caller, {
        before,
        lines,
        write: async (tx, claim) => {
          const order = { orgId: caller.orgId, credential: caller, patch };
          await assertNotOvertaken(tx, [personIn(this.dataKeys, order)]);
          const written = await commit(tx, caller, change, { before, claim });
          await change.keep?.(tx, written);
          return written;
        },
      });
    });
  }

  /**
   * Several changes of one order in one transaction, under one claim: of the lines of the last change. Those of the others
   * are held for a moment before, which shows that each could be claimed. Returns false, and stores nothing, where the
   * changes must be made one by one.
   */
  async writeTogether(
    caller: Caller,
    { shopId, externalId, lines }: SharedLines,
    work: (tx: Sql, turn: OrderInTurn) => Promise<void>,
  ): Promise<boolean> {
    return this.mutex.take(`${shopId} ${externalId}`, async () => {
      const before = await store.findOrderByKey(this.database, caller.orgId, shopId, externalId);
      const last = lines.some((items) => needsClaim(before, items)) ? (lines.at(-1) ?? null) : null;
      const write = async (tx: Sql, claim: Claim | null) => {
        const turn = new OrderInTurn(before, claim);
        await work(tx, turn);
        await turn.end(tx, last ?? []);
        return true;
      };
      try {
        const most = mostLines(lines);
        if (last && !haveSameStock(most, last)) await this.holdForMoment(caller, before, most);
        return (await this.attempt(caller, { before, lines: last, write })) ?? false;
      } catch (error) {
        if (isOfMember(error) || isRefusedStatement(error)) return false;
        throw error;
      }
    });
  }

  /** Throws `Refused` where the lines cannot be held. */
  private async holdForMoment(
    caller: Caller,
    before: OrderRow | null,
    lines: readonly StockedItem[],
  ): Promise<void> {
    const hold = claimOf(caller, before);
    await this.holds.hold(caller, hold, lines);
    await this.settleAndRelease(caller, hold);
  }

  /** For a patch that lacks a claim. Null for an unknown order. */
  async reopen(caller: Caller, patch: StatusPatch): Promise<StatusOutcome | null> {
    const order = await store.findOrder(this.database, caller.orgId, patch.orderId);
    if (!order) return null;
    return this.untilWritten({ shopId: order.shop_id, externalId: order.external_id }, async () => {
      const [outcome = null] = await patchStatuses(this.database, [patch]);
      if (!outcome?.lacks_claim || !outcome.allowed) return { outcome };
      requireVersion(patch.ifSequences, outcome.old_sequence);
      const before = await store.findOrder(this.database, caller.orgId, patch.orderId);
      if (before?.sequence !== outcome.old_sequence) return null;
      const takesStock = stockLines(before.items).length > 0 || heldBy(before) !== null;
      const lines = takesStock ? before.items : null;
      return this.attempt(caller, {
        before,
        lines,
        write: (tx, claim) => reopenClaimed(tx, patch, before, claim),
      });
    }).then(({ outcome }) => outcome);
  }

  /** Repeats an attempt that gave null because the order was changed or created concurrently. */
  private untilWritten<Written>(
    { shopId, externalId }: Pick<StockedChange, 'shopId' | 'externalId'>,
    attempt: () => Promise<Written | null>,
  ): Promise<Written> {
    const startedAtMs = performance.now();
    return this.mutex.take(`${shopId} ${externalId}`, async () => {
      const isLate = performance.now() - startedAtMs > MAX_WAIT_MS;
      for (let count = isLate ? MAX_ATTEMPTS : 0; count < MAX_ATTEMPTS; count += 1) {
        const written = await attempt();
        if (written) return written;
      }
      throw voided('The change of the order');
    });
  }

  private async attempt<Written>(
    caller: Caller,
    { before, lines, write }: ClaimedChange<Written>,
  ): Promise<Written | null> {
    const hold = lines ? claimOf(caller, before) : null;
    let stock: HeldStock = null;
    try {
      if (hold && lines) stock = await this.holds.hold(caller, hold, lines);
    } catch (error) {
      if (isReplaced(error)) return null;
      throw error;
    }
    try {
      return await liveTransaction(this.database, caller, (tx) =>
        write(tx, hold && { id: hold.order_request_id, stock }),
      );
    } catch (error) {
      // After any other error the commit may have happened; the claim is settled when the catalog asks.
      const isOvertaken = error instanceof Overtaken || error instanceof NeedsOwnTransaction;
      const isUndone = isOvertaken || error instanceof Refused || isRefusedStatement(error);
      if (hold && isUndone) await this.settleAndRelease(caller, hold);
      if (isOvertaken) return null;
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

/** A change that waits for the catalog must not run in a transaction that it shares: nothing of that is committed. */
export class NeedsOwnTransaction extends Error {
  override readonly name = 'NeedsOwnTransaction';
}

/** One order while several changes of it share a transaction and a claim. */
export class OrderInTurn {
  /** As the last change left it. */
  order: OrderRow | null;
  private written = 0;

  constructor(
    private readonly before: OrderRow | null,
    private readonly claim: Claim | null,
  ) {
    this.order = before;
  }

  /** With the claim of the lines: the shared one if they need a claim, otherwise that of the order. */
  withClaim(patch: OrderPatch): OrderPatch {
    const { items } = patch;
    if (!items) return patch;
    if (!needsClaim(this.order, items))
      return { ...patch, stock_claim_id: this.order?.stock_claim_id ?? null };
    if (!this.claim) throw new NeedsOwnTransaction();
    return { ...patch, stock_claim_id: this.claim.id, stock: this.claim.stock };
  }

  noteWritten(order: OrderRow): void {
    this.order = order;
    this.written += 1;
  }

  /** Throws `Overtaken` if another write of the order came between, or its lines are not those of the claim. */
  async end(tx: Sql, claimed: readonly StockedItem[]): Promise<void> {
    const { before, order, claim } = this;
    if ((order?.sequence ?? 0) !== (before?.sequence ?? 0) + this.written) throw new Overtaken();
    if (!claim) return;
    if (order?.stock_claim_id !== claim.id || !haveSameStock(order.items, claimed)) throw new Overtaken();
    if (!(await commitClaim(tx, claim.id, order.id))) throw new Overtaken();
  }
}

/** The catalog refuses: another claim already replaced the hold that this one names. */
function isReplaced(error: unknown): boolean {
  return error instanceof Refused && error.code === 'conflict';
}

function claimOf({ orgId }: Caller, before: OrderRow | null): HoldOf {
  const claim = { org_id: orgId, order_request_id: newId(), attempt: 0 };
  if (!before) return claim;
  return { ...claim, order_id: before.id, replaces: heldBy(before), ended_as: endOf(before) };
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
  { shopId, externalId, patch, force }: StockedLines,
  { before, claim }: { before: OrderRow | null; claim: Claim | null },
): Promise<WrittenOrder> {
  const id = before?.id ?? newId();
  const by = { actor: caller.actorId, eventId: newId(), audit: auditActorOf(caller) };
  const claimed = claim
    ? { stock_claim_id: claim.id, stock: claim.stock }
    : { stock_claim_id: before?.stock_claim_id ?? null };
  const change = { id, patch: { ...patch, ...claimed }, ...by };
  if (claim && !(await commitClaim(tx, claim.id, id))) throw voided('The change of the order');
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

/** Of a reopened order without lines. */
const NO_CLAIM = { id: null, stock: null };

/** The status with its claim, history, audit and event: all or nothing. */
async function reopenClaimed(
  tx: Sql,
  patch: StatusPatch,
  before: OrderRow,
  claim: Claim | null,
): Promise<{ outcome: StatusOutcome }> {
  if (claim && !(await commitClaim(tx, claim.id, before.id))) throw voided('The change of the order');
  const locked = await store.lockOrder(tx, before.org_id, before.id);
  if (locked?.sequence !== before.sequence) throw new Overtaken();
  const [outcome] = await patchStatuses(tx, [{ ...patch, claim: claim ?? NO_CLAIM }]);
  // The workflow was changed since.
  if (!outcome?.status) throw new Overtaken();
  return { outcome };
}
