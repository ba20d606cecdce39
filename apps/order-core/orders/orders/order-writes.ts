import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, created, type KeyRun, ok } from '@offizin/contracts/calls/operation';
import type {
  OrderDetail,
  OrderStatusPatchBody,
  OrderStatusResponse,
  OrderUpsertBody,
} from '@offizin/contracts/orders/orders';
import type { StaffScope } from '@offizin/contracts/people/scopes';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { answersAbout, storeAnswer, storeAnswers } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { auditActorOf } from '../../audit/audit.store';
import { assertCallerIsLive, callerNotLive, credentialOf } from '../../callers/live-caller.store';
import { assertNotOvertaken, personIn } from '../../callers/overtaken.store';
import type { DataKeys } from '../../crypto/data-keys.store';
import { followsOrder, followsOrders } from '../stock/stock-claims.store';
import { orderDetail, orderTag, type Precondition, requireVersion } from './order-detail';
import { BatchNames, namedItems, type ProductNames } from './line-names';
import { type OrderPatch, patchOf, SMALL_ORDER_LINES, storedItem, type StoredItem } from './order-patch';
import { impliedFlags, refusedMove } from './order-status';
import { patchStatuses, type StatusOutcome, type StatusPatch } from './order-status.store';
import type { OrderRow } from './order-row';
import * as store from './orders.store';
import {
  NeedsOwnTransaction,
  type OrderInTurn,
  StockClaimedOrders,
  type WrittenOrder,
} from './stock-claimed-orders';

export interface Upserted {
  row: OrderRow;
  change: 'created' | 'updated' | 'unchanged';
}

export interface PatchedStatus extends OrderStatusResponse {
  sequence: number;
  changed: boolean;
}

/** Refuses lines that a person may not write alone. `stored` reads the order that they would change. */
export interface LineRule {
  readonly products: ProductNames;
  check(
    caller: Caller,
    lines: { shopId?: string; items: readonly StoredItem[] },
    stored: () => Promise<Pick<OrderRow, 'items' | 'shop_id'> | null>,
  ): Promise<void>;
}

/** Upserts and status patches, of single calls and of batches: what arrives together shares statements. */
export class OrderWrites {
  private readonly upserts: MicroBatches<store.UpsertOrder, store.UpsertOutcome>;
  private readonly upsertsWithTerms: MicroBatches<UpsertWithTerms, store.UpsertOutcome>;
  private readonly statusPatches: MicroBatches<StatusPatch, StatusOutcome | null>;

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly stocked: StockClaimedOrders,
    private readonly lines: LineRule,
    private readonly dataKeys: DataKeys,
  ) {
    // Ids are case-insensitive.
    const keyOf = ({ shopId, externalId }: store.UpsertOrder) => `${shopId.toLowerCase()} ${externalId}`;
    const isLarge = ({ patch }: store.UpsertOrder) => (patch.items?.length ?? 0) > SMALL_ORDER_LINES;
    const run = (orders: store.UpsertOrder[]) => this.upsertOrders(database, orders);
    this.upserts = new MicroBatches({ run, keyOf, isLarge });
    this.upsertsWithTerms = new MicroBatches({
      run: (members) => this.upsertOnTerms(members),
      keyOf: ({ order }) => keyOf(order),
      isLarge: ({ order }) => isLarge(order),
    });
    this.statusPatches = new MicroBatches({
      run: (patches) => patchStatuses(database, patches),
      keyOf: ({ orderId }) => orderId.toLowerCase(),
    });
  }

  async upsert(caller: Caller, body: OrderUpsertBody, terms: Terms = {}): Promise<Upserted> {
    const { keyRun, precondition, tx, turn, names, claiming = immediately } = terms;
    const sql = tx ?? this.database;
    const { shop_id: shopId, external_id: externalId } = body;
    if (!isId(shopId)) throw notFound('shop');
    if (body.force) requireScope(caller, 'settings.write', 'Changing a closed order');
    const stored = () =>
      turn ? Promise.resolve(turn.order) : store.findOrderByKey(sql, caller.orgId, shopId, externalId);
    const patch = await this.withLines(caller, patchOf(body), { shopId, stored, names });
    const order: store.UpsertOrder = {
      id: newId(),
      eventId: newId(),
      orgId: caller.orgId,
      shopId,
      externalId,
      patch: turn ? turn.withClaim(patch) : patch,
      force: body.force,
      actor: caller.actorId,
      credential: credentialOf(caller),
      audit: auditActorOf(caller),
      traceparent: storedTraceparent(),
    };
    const storeResult = (tx: Sql, row: WrittenOrder) => {
      answersAbout(keyRun, row);
      return storeAnswer(tx, keyRun, upsertAnswer({ row, change: row.created ? 'created' : 'updated' }));
    };
    const outcome = await this.submit({ order, ...terms });
    if (outcome.kind === 'written') {
      turn?.noteWritten(outcome.order);
      if (!tx) this.relay.wake();
      return { row: outcome.order, change: outcome.created ? 'created' : 'updated' };
    }
    if (outcome.kind === 'caller-not-live') throw callerNotLive(caller);
    if (outcome.kind === 'shop-unknown') throw notFound('shop');
    const before = await store.compareOrder(sql, order);
    const { items } = patch;
    const isWanted = before?.differs ?? true;
    if (items && isWanted && (await followsStock(sql, caller, before))) {
      if (tx) throw new NeedsOwnTransaction();
      const change = { shopId, externalId, patch: { ...patch, items }, force: body.force };
      const check = precondition ?? (() => undefined);
      const row = await claiming(() => this.stocked.write(caller, { ...change, check, keep: storeResult }));
      this.relay.wake();
      if (row.created) return { row, change: 'created' };
      return { row, change: before?.sequence === row.sequence ? 'unchanged' : 'updated' };
    }
    if (!before) throw new Error('an upsert wrote no order and found none');
    precondition?.(before);
    // Changed or reopened since the statement.
    if (before.differs) return this.upsert(caller, body, terms);
    answersAbout(keyRun, before);
    return { row: before, change: 'unchanged' };
  }

  private async submit(member: UpsertWithTerms): Promise<store.UpsertOutcome> {
    const { order, keyRun, precondition, tx } = member;
    if (tx) return (await this.upsertOrders(tx, [order]))[0] ?? { kind: 'unchanged' };
    const hasTerms = (keyRun ?? precondition) !== undefined;
    return hasTerms ? this.upsertsWithTerms.submit(member) : this.upserts.submit(order);
  }

  private async upsertOrders(sql: Sql, orders: readonly store.UpsertOrder[]): Promise<store.UpsertOutcome[]> {
    await assertNotOvertaken(
      sql,
      orders.map((order) => personIn(this.dataKeys, order)),
    );
    return store.upsertOrders(sql, orders);
  }

  /** The names of products, for all members of a batch. */
  namesFor(caller: Caller): BatchNames {
    return new BatchNames((ids) => this.lines.products.productsOf(caller, ids));
  }

  /** For several changes of one order, each with these terms. */
  async transaction(work: (shared: SharedTerms) => Promise<void>): Promise<void> {
    await this.database.transaction((tx) => work({ tx }));
    this.relay.wake();
  }

  /**
   * As `transaction`, for upserts. Where stock follows the order they share a claim. Throws NeedsOwnTransaction, and
   * nothing is stored, where each must be made by itself.
   */
  async upsertTogether(
    caller: Caller,
    bodies: readonly OrderUpsertBody[],
    claiming: Claiming,
    work: (shared: SharedTerms) => Promise<void>,
  ): Promise<void> {
    const lines = bodies.flatMap(({ items }) => (items === undefined ? [] : [(items ?? []).map(storedItem)]));
    // The lines of a person may need two people.
    if (caller.kind === 'staff' && lines.length > 0) throw new NeedsOwnTransaction();
    const [first] = bodies;
    if (!first || lines.length === 0 || !(await this.isFollowed(caller, first)))
      return this.transaction(work);
    const { shop_id: shopId, external_id: externalId } = first;
    const isWritten = await claiming(() =>
      this.stocked.writeTogether(caller, { shopId, externalId, lines }, (tx, turn) => work({ tx, turn })),
    );
    if (!isWritten) throw new NeedsOwnTransaction();
    this.relay.wake();
  }

  private async isFollowed(
    { orgId }: Caller,
    { shop_id: shopId, external_id: externalId }: OrderUpsertBody,
  ): Promise<boolean> {
    return isId(shopId) && followsOrder(this.database, orgId, shopId, externalId);
  }

  /** The id of the organization's order with this external id, or with this id; null for none. */
  async orderOf(
    { orgId }: Caller,
    [shopId, externalId]: [shopId: string, externalId: string],
    sql: Sql = this.database,
  ): Promise<string | null> {
    if (!isId(shopId)) return null;
    return (await store.findOrderByKey(sql, orgId, shopId, externalId))?.id ?? null;
  }

  async knownId({ orgId }: Caller, orderId: string, sql: Sql = this.database): Promise<string | null> {
    return isId(orderId) ? ((await store.findOrder(sql, orgId, orderId))?.id ?? null) : null;
  }

  /**
   * The patch with the names of its lines. Throws `Refused` (second_approval_needed) for lines of a person that two people
   * would have to approve.
   */
  async withLines(
    caller: Caller,
    patch: OrderPatch,
    { shopId, stored, names }: StoredLines,
  ): Promise<OrderPatch> {
    if (!patch.items) return patch;
    const ask = names?.productsOf ?? ((ids) => this.lines.products.productsOf(caller, ids));
    const items = await namedItems(patch.items, stored, ask);
    if (caller.kind === 'staff') await this.lines.check(caller, { shopId, items }, stored);
    return items === patch.items ? patch : { ...patch, items };
  }

  async patchStatus(
    caller: Caller,
    orderId: string,
    { force: reopen = false, reason, ...fields }: OrderStatusPatchBody,
    { ifSequences = null, tx, claiming = immediately }: PatchTerms = {},
  ): Promise<PatchedStatus> {
    if (reopen) requireReopening(caller);
    if (Object.values(fields).every((value) => value === undefined)) {
      throw invalid([
        { field: 'body', message: 'must hold one of status, payment_status, shipped, picked_up' },
      ]);
    }
    if (!isId(orderId)) throw notFound('order');
    const status: StatusPatch = {
      orgId: caller.orgId,
      orderId,
      ifSequences,
      reopen,
      eventId: newId(),
      actor: caller.actorId,
      credential: credentialOf(caller),
      audit: auditActorOf(caller),
      patch: { ...impliedFlags(fields.status, reopen), ...fields, reason },
      traceparent: storedTraceparent(),
    };
    let outcome = tx ? (await patchStatuses(tx, [status]))[0] : await this.statusPatches.submit(status);
    if (outcome?.lacks_claim && outcome.allowed) {
      if (tx) throw new NeedsOwnTransaction();
      requireVersion(ifSequences, outcome.old_sequence);
      outcome = await claiming(() => this.stocked.reopen(caller, status));
    }
    if (!outcome) {
      await assertCallerIsLive(tx ?? this.database, caller);
      throw notFound('order');
    }
    requireVersion(ifSequences, outcome.old_sequence);
    if (!outcome.allowed && fields.status !== undefined) {
      throw new Refused(
        'invalid_transition',
        refusedMove(outcome.workflow, outcome.old_status, fields.status),
      );
    }
    const changed = outcome.updated_at !== null;
    if (changed && !tx) this.relay.wake();
    return {
      order_id: orderId.toLowerCase(),
      status: outcome.status ?? outcome.old_status,
      updated_at: (outcome.updated_at ?? outcome.old_updated_at).toISOString(),
      sequence: outcome.sequence ?? outcome.old_sequence,
      changed,
    };
  }

  /** A transaction: it also stores the answers, and is rolled back for a written order that was not to be written. */
  private async upsertOnTerms(members: readonly UpsertWithTerms[]): Promise<store.UpsertOutcome[]> {
    return this.database.transaction(async (tx) => {
      const orders = members.map(({ order }) => order);
      const outcomes = await this.upsertOrders(tx, orders);
      const answers = members.flatMap(({ keyRun: run, precondition }, index) => {
        const outcome = outcomes[index];
        if (outcome?.kind !== 'written') return [];
        const { order: row, created: isNew } = outcome;
        precondition?.(isNew ? null : { sequence: row.sequence - 1 });
        if (!run) return [];
        answersAbout(run, row);
        return [{ run, answer: upsertAnswer({ row, change: isNew ? 'created' : 'updated' }) }];
      });
      await storeAnswers(tx, answers);
      return outcomes;
    });
  }
}

/** Runs the part of a change that claims stock, which waits for the catalog. */
export type Claiming = <T>(claim: () => Promise<T>) => Promise<T>;
const immediately: Claiming = (claim) => claim();

interface Terms {
  keyRun?: KeyRun | undefined;
  precondition?: Precondition | undefined;
  /** Of several changes (`transaction`), instead of the other terms. `names` must know the products of their lines. */
  tx?: Sql | undefined;
  /** The order of these changes, where stock follows it. */
  turn?: OrderInTurn | undefined;
  names?: BatchNames;
  claiming?: Claiming;
}

export interface SharedTerms extends Pick<Terms, 'turn'> {
  tx: Sql;
}

interface PatchTerms extends Pick<Terms, 'tx' | 'claiming'> {
  /** The versions of If-Match; null: any. */
  ifSequences?: readonly number[] | null;
}

interface StoredLines {
  shopId?: string;
  stored: () => Promise<OrderRow | null>;
  names?: BatchNames | undefined;
}

type UpsertWithTerms = Terms & { order: store.UpsertOrder };

export function upsertAnswer({ row, change }: Upserted): Answer<OrderDetail> {
  const tag = { etag: orderTag(row) };
  return change === 'created' ? created(orderDetail(row), tag) : ok(orderDetail(row), tag);
}

/** An order that took stock, by an approval or a claim, follows its lines also without the setting; a test shop's never. */
export async function followsStock(sql: Sql, { orgId }: Caller, order: OrderRow | null): Promise<boolean> {
  if (order?.is_test) return false;
  const tookStock = (order?.stock ?? order?.stock_claim_id ?? null) !== null;
  return tookStock || followsOrders(sql, orgId);
}

/** An API key cannot have the scope of people, so it needs the one for changing the workflow. */
function requireReopening(caller: Caller): void {
  requireScope(caller, caller.kind === 'staff' ? 'orders.reopen' : 'settings.write', 'Reopening an order');
}

export function requireScope({ kind, scopes }: Caller, scope: StaffScope, what: string): void {
  if ((kind !== 'key' && kind !== 'staff') || scopes.includes(scope)) return;
  throw new Refused('insufficient_scope', `${what} needs the scope ${scope}.`);
}
