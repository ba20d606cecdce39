import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/errors';
import { type Answer, type Call, created, type KeyRun, ok, okJson } from '@offizin/contracts/operation';
import {
  getOrder,
  listOrders,
  type OrderDetail,
  orderHistory,
  type OrderHistoryResponse,
  type OrderListResponse,
  type OrderStatusResponse,
  patchOrderStatus,
  updateOrder,
  upsertOrder,
} from '@offizin/contracts/orders';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { answersAbout, storeAnswer, storeAnswers } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { auditActorOf } from '../audit/audit.store';
import { shopExists } from '../directory/directory.store';
import { assertCallerIsLive, callerNotLive, credentialOf } from '../directory/live-caller.store';
import { followsOrders } from '../stock/stock-claims.store';
import { orderDetail, orderTag, requireVersion, versionsIn } from './order-detail';
import { changeLocked, changeMeasured, upsertMeasured } from './measured-orders';
import { patchOf } from './order-patch';
import { orderHistory as readHistory } from './order-history.store';
import * as lists from './order-list.store';
import { mustBeMeasured, SMALL_ORDER_LINES } from './order-size';
import { impliedFlags, refusedMove } from './order-status';
import { patchStatuses, type StatusOutcome, type StatusPatch } from './order-status.store';
import * as store from './orders.store';
import { StockClaimedOrders, type WrittenOrder } from './stock-claimed-orders';

/** The operations of orders. Every change writes its history entry and event in the same transaction. */
@Controller()
export class OrdersHandlers {
  private readonly upserts: MicroBatches<store.UpsertOrder, store.UpsertOutcome>;
  private readonly keyedUpserts: MicroBatches<KeyedUpsert, store.UpsertOutcome>;
  private readonly updates: MicroBatches<store.UpdateOrder, store.OrderRow | null>;
  private readonly statusPatches: MicroBatches<StatusPatch, StatusOutcome | null>;
  /** For reads: `alone` runs each statement by itself, `shared` coalesces equal ones. */
  private readonly reads: { alone: Sql; shared: Sql };

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly stocked: StockClaimedOrders,
  ) {
    // Ids are case-insensitive.
    const keyOf = ({ shopId, externalId }: store.UpsertOrder) => `${shopId.toLowerCase()} ${externalId}`;
    const isLarge = ({ patch }: Pick<store.UpsertOrder, 'patch'>) =>
      (patch.items?.length ?? 0) > SMALL_ORDER_LINES;
    const run = (orders: store.UpsertOrder[]) => store.upsertOrders(database, orders);
    this.upserts = new MicroBatches({ run, keyOf, isLarge });
    this.keyedUpserts = new MicroBatches({
      run: (members) => this.upsertUnderKeys(members),
      keyOf: ({ order }) => keyOf(order),
      isLarge: ({ order }) => isLarge(order),
    });
    this.updates = new MicroBatches<store.UpdateOrder, store.OrderRow | null>({
      run: (orders) => store.updateOrders(database, orders),
      keyOf: ({ id }) => id.toLowerCase(),
      isLarge,
    });
    this.statusPatches = new MicroBatches({
      run: (patches) => patchStatuses(database, patches),
      keyOf: ({ orderId }) => orderId.toLowerCase(),
    });
    this.reads = { alone: database, shared: new ReadCoalescer(database) };
  }

  @Handles(listOrders)
  async list({ caller, query }: Call<typeof listOrders>): Promise<Answer<OrderListResponse>> {
    const { shop_id: shopId } = query;
    if (shopId !== undefined && !isId(shopId)) throw notFound('shop');
    const { json, total } = await lists.listOrdersJson(this.reads, caller.orgId, query);
    // A shop with orders exists; only an empty list needs the check.
    const mayBeUnknown = shopId !== undefined && total === 0;
    if (mayBeUnknown && !(await this.isShop(caller, shopId))) throw notFound('shop');
    return okJson(json);
  }

  @Handles(getOrder)
  async get({ caller, params }: Call<typeof getOrder>): Promise<Answer<OrderDetail>> {
    return this.detail(await this.find(caller, params.orderId));
  }

  @Handles(upsertOrder)
  async upsert({ caller, body, keyRun }: Call<typeof upsertOrder>): Promise<Answer<OrderDetail>> {
    const { shop_id: shopId, external_id: externalId } = body;
    if (!isId(shopId)) throw notFound('shop');
    const patch = patchOf(body);
    const order: store.UpsertOrder = {
      id: newId(),
      eventId: newId(),
      orgId: caller.orgId,
      shopId,
      externalId,
      patch,
      actor: caller.actorId,
      credential: credentialOf(caller),
      audit: auditActorOf(caller),
      traceparent: storedTraceparent(),
    };
    const { items } = patch;
    const storeResult = (tx: Sql, row: WrittenOrder) => {
      answersAbout(keyRun, row.id);
      return storeAnswer(tx, keyRun, writtenDetail(row));
    };
    const outcome = await (items && mustBeMeasured(items)
      ? upsertMeasured(this.database, order, storeResult)
      : keyRun
        ? this.keyedUpserts.submit({ order, keyRun })
        : this.upserts.submit(order));
    if (outcome.kind === 'written') return this.written({ ...outcome.order, created: outcome.created });
    if (outcome.kind === 'caller-not-live') throw callerNotLive(caller);
    if (outcome.kind === 'shop-unknown') throw notFound('shop');
    const unchanged = await store.findOrderByKey(this.database, caller.orgId, shopId, externalId);
    if (items && (await followsStock(this.database, caller, unchanged))) {
      const change = { shopId, externalId, patch: { ...patch, items }, keep: storeResult };
      return this.written(await this.stocked.write(caller, { ...change, check: () => undefined }));
    }
    if (!unchanged) throw new Error('an upsert wrote no order and found none');
    if (items === undefined && unchanged.items.length > SMALL_ORDER_LINES) {
      const change = { orderId: unchanged.id, patch };
      return this.written(await changeMeasured(this.database, caller, change, storeResult));
    }
    answersAbout(keyRun, unchanged.id);
    return this.detail(unchanged);
  }

  @Handles(updateOrder)
  async update({ caller, params, body, headers }: Call<typeof updateOrder>): Promise<Answer<OrderDetail>> {
    const patch = patchOf(body);
    const versions = versionsIn(headers['if-match']);
    if (Object.values(patch).every((value) => value === undefined)) {
      throw invalid([{ field: 'body', message: 'must name at least one field to change' }]);
    }
    if (!isId(params.orderId)) throw notFound('order');
    const { items } = patch;
    const change = { orgId: caller.orgId, id: params.orderId, patch, actor: caller.actorId };
    const by = { credential: credentialOf(caller), audit: auditActorOf(caller) };
    const traced = { eventId: newId(), traceparent: storedTraceparent() };
    const updated =
      items && mustBeMeasured(items)
        ? null
        : await this.updates.submit({ ...change, ...by, ...traced, ifSequences: versions });
    if (!updated) return this.updateAlone(caller, change, versions);
    this.relay.wake();
    return this.detail(updated);
  }

  /** Refuses, or changes an order that a batch leaves out. */
  private async updateAlone(
    caller: Caller,
    { id, patch }: Pick<store.UpdateOrder, 'id' | 'patch'>,
    versions: readonly number[] | null,
  ): Promise<Answer<OrderDetail>> {
    const row = await this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      const before = await store.lockOrder(tx, caller.orgId, id);
      if (!before) throw notFound('order');
      requireVersion(versions, before.sequence);
      if (patch.items && (await followsStock(tx, caller, before))) return { ...before, claims: patch.items };
      return changeLocked(tx, caller, before, patch);
    });
    if ('claims' in row) {
      const { shop_id: shopId, external_id: externalId, claims: items } = row;
      const check = (before: store.OrderRow | null) => {
        if (!before) throw notFound('order');
        requireVersion(versions, before.sequence);
      };
      const change = { shopId, externalId, patch: { ...patch, items }, check };
      return this.written(await this.stocked.write(caller, change));
    }
    this.relay.wake();
    return this.detail(row);
  }

  @Handles(patchOrderStatus)
  async patchStatus({
    caller,
    params,
    body,
    headers,
  }: Call<typeof patchOrderStatus>): Promise<Answer<OrderStatusResponse>> {
    const { orderId } = params;
    const { force: reopen = false, reason, ...fields } = body;
    if (reopen) requireReopening(caller);
    if (Object.values(fields).every((value) => value === undefined)) {
      throw invalid([
        { field: 'body', message: 'must hold one of status, payment_status, shipped, picked_up' },
      ]);
    }
    const ifSequences = versionsIn(headers['if-match']);
    if (!isId(orderId)) throw notFound('order');
    const outcome = await this.statusPatches.submit({
      ...{ orgId: caller.orgId, orderId, ifSequences, reopen, eventId: newId() },
      ...{ actor: caller.actorId, credential: credentialOf(caller), audit: auditActorOf(caller) },
      patch: { ...impliedFlags(body.status), ...fields, reason },
      traceparent: storedTraceparent(),
    });
    if (!outcome) {
      await assertCallerIsLive(this.database, caller);
      throw notFound('order');
    }
    requireVersion(ifSequences, outcome.old_sequence);
    if (!outcome.allowed && body.status !== undefined) {
      throw new Refused('invalid_transition', refusedMove(outcome.workflow, outcome.old_status, body.status));
    }
    if (outcome.updated_at) this.relay.wake();
    const reply = {
      order_id: orderId.toLowerCase(),
      status: outcome.status ?? outcome.old_status,
      updated_at: (outcome.updated_at ?? outcome.old_updated_at).toISOString(),
    };
    return ok(reply, { etag: orderTag({ sequence: outcome.sequence ?? outcome.old_sequence }) });
  }

  @Handles(orderHistory)
  async history({ caller, params, query }: Call<typeof orderHistory>): Promise<Answer<OrderHistoryResponse>> {
    const order = await this.find(caller, params.orderId);
    return ok(await readHistory(this.database, order.id, query));
  }

  private async find(caller: Caller, orderId: string): Promise<store.OrderRow> {
    const row = isId(orderId) ? await store.findOrder(this.reads.shared, caller.orgId, orderId) : null;
    if (!row) throw notFound('order');
    return row;
  }

  /** Upserts under an Idempotency-Key: a transaction, because it also stores their answers. */
  private async upsertUnderKeys(members: readonly KeyedUpsert[]): Promise<store.UpsertOutcome[]> {
    return this.database.transaction(async (tx) => {
      const orders = members.map(({ order }) => order);
      const outcomes = await store.upsertOrders(tx, orders);
      const answers = members.flatMap(({ keyRun: run }, index) => {
        const outcome = outcomes[index];
        if (outcome?.kind !== 'written') return [];
        answersAbout(run, outcome.order.id);
        return [{ run, answer: writtenDetail({ ...outcome.order, created: outcome.created }) }];
      });
      await storeAnswers(tx, answers);
      return outcomes;
    });
  }

  private written(row: WrittenOrder): Answer<OrderDetail> {
    this.relay.wake();
    return writtenDetail(row);
  }

  private detail(row: store.OrderRow): Answer<OrderDetail> {
    return ok(orderDetail(row), { etag: orderTag(row) });
  }

  private async isShop(caller: Caller, shopId: string): Promise<boolean> {
    return isId(shopId) && (await shopExists(this.database, caller.orgId, shopId));
  }
}

interface KeyedUpsert {
  order: store.UpsertOrder;
  keyRun: KeyRun;
}

function writtenDetail(row: WrittenOrder): Answer<OrderDetail> {
  const tag = { etag: orderTag(row) };
  return row.created ? created(orderDetail(row), tag) : ok(orderDetail(row), tag);
}

/** An order with a claim keeps claiming stock even after the setting was turned off. */
async function followsStock(sql: Sql, { orgId }: Caller, order: store.OrderRow | null): Promise<boolean> {
  return (order?.stock_claim_id ?? null) !== null || followsOrders(sql, orgId);
}

/** An API key cannot have the scope of people, so it needs the one for changing the workflow. */
function requireReopening({ kind, scopes }: Caller): void {
  if (kind !== 'key' && kind !== 'staff') return;
  const scope = kind === 'staff' ? 'orders.reopen' : 'settings.write';
  if (scopes.includes(scope)) return;
  throw new Refused('insufficient_scope', `Reopening an order needs the scope ${scope}.`);
}
