import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import { orderHistory, type OrderHistoryResponse } from '@offizin/contracts/orders/order-history';
import {
  getOrder,
  listOrders,
  type OrderDetail,
  type OrderListResponse,
  type OrderStatusResponse,
  patchOrderStatus,
  updateOrder,
  upsertOrder,
} from '@offizin/contracts/orders/orders';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { auditActorOf } from '../../audit/audit.store';
import { requireShop } from '../../people/directory/organizations.store';
import { credentialOf, liveTransaction } from '../../callers/live-caller.store';
import { assertNotOvertaken, personIn } from '../../callers/overtaken.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { testRowsFor } from '../../callers/test-rows';
import { orderDetail, orderTag, preconditionOf, requireVersion, versionsIn } from './order-detail';
import { patchOf, SMALL_ORDER_LINES } from './order-patch';
import { orderHistory as readHistory } from './order-history.store';
import * as lists from './order-list.store';
import { followsStock, OrderWrites, requireScope, upsertAnswer } from './order-writes';
import type { OrderRow } from './order-row';
import * as store from './orders.store';
import { StockClaimedOrders, type WrittenOrder } from './stock-claimed-orders';

/** The operations of orders. Every change writes its history entry and event in the same transaction. */
@Controller()
export class OrdersHandlers {
  private readonly updates: MicroBatches<store.UpdateOrder, OrderRow | null>;
  private readonly details: Sql;
  /** `alone` runs each statement by itself, `shared` coalesces equal ones. */
  private readonly listReads: { alone: Sql; shared: Sql };

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly stocked: StockClaimedOrders,
    private readonly writes: OrderWrites,
    private readonly dataKeys: DataKeys,
  ) {
    this.updates = new MicroBatches<store.UpdateOrder, OrderRow | null>({
      run: async (orders) => {
        await assertNotOvertaken(
          database,
          orders.map((order) => personIn(dataKeys, order)),
        );
        return store.updateOrders(database, orders);
      },
      keyOf: ({ id }) => id.toLowerCase(),
      isLarge: ({ patch }) => (patch.items?.length ?? 0) > SMALL_ORDER_LINES,
    });
    this.details = new ReadCoalescer(database);
    this.listReads = { alone: database.reads, shared: new ReadCoalescer(database.reads) };
  }

  @Handles(listOrders)
  async list({ caller, query }: Call<typeof listOrders>): Promise<Answer<OrderListResponse>> {
    const { shop_id: shopId } = query;
    if (shopId !== undefined && !isId(shopId)) throw notFound('shop');
    const shown = { ...query, test: testRowsFor(caller, shopId) };
    const { json, total } = await lists.listOrdersJson(this.listReads, caller.orgId, shown);
    // A shop with orders exists; only an empty list needs the check.
    if (total === 0) await requireShop(this.database, caller.orgId, shopId);
    return okJson(json);
  }

  @Handles(getOrder)
  async get({ caller, params }: Call<typeof getOrder>): Promise<Answer<OrderDetail>> {
    return this.detail(await this.find(caller, params.orderId));
  }

  @Handles(upsertOrder)
  async upsert({ caller, body, headers, keyRun }: Call<typeof upsertOrder>): Promise<Answer<OrderDetail>> {
    const precondition = preconditionOf(headers);
    return upsertAnswer(await this.writes.upsert(caller, body, { keyRun, precondition }));
  }

  @Handles(updateOrder)
  async update({ caller, params, body, headers }: Call<typeof updateOrder>): Promise<Answer<OrderDetail>> {
    if (body.force) requireScope(caller, 'settings.write', 'Changing a closed order');
    const given = patchOf(body);
    const versions = versionsIn(headers['if-match']);
    if (Object.values(given).every((value) => value === undefined)) {
      throw invalid([{ field: 'body', message: 'must name at least one field to change' }]);
    }
    if (!isId(params.orderId)) throw notFound('order');
    const { orgId, actorId: actor } = caller;
    const stored = () => store.findOrder(this.database, orgId, params.orderId);
    const patch = await this.writes.withLines(caller, given, { stored });
    const change = { orgId, id: params.orderId, patch, force: body.force, actor };
    const by = { credential: credentialOf(caller), audit: auditActorOf(caller) };
    const traced = { eventId: newId(), traceparent: storedTraceparent() };
    const updated = await this.updates.submit({ ...change, ...by, ...traced, ifSequences: versions });
    if (!updated) return this.updateAlone(caller, change, versions);
    this.relay.wake();
    return this.detail(updated);
  }

  /** Refuses, or changes an order that a batch leaves out. */
  private async updateAlone(
    caller: Caller,
    { orgId, id, patch, force }: Pick<store.UpdateOrder, 'orgId' | 'id' | 'patch' | 'force'>,
    versions: readonly number[] | null,
  ): Promise<Answer<OrderDetail>> {
    const row = await liveTransaction(this.database, caller, async (tx) => {
      await assertNotOvertaken(tx, [personIn(this.dataKeys, { orgId, credential: caller, patch })]);
      const before = await store.lockOrder(tx, orgId, id);
      if (!before) throw notFound('order');
      requireVersion(versions, before.sequence);
      const { shop_id: shopId, external_id: externalId } = before;
      await store.compareOrder(tx, { orgId, shopId, externalId, patch, force });
      if (patch.items && (await followsStock(tx, caller, before))) return { ...before, claims: patch.items };
      const by = { actor: caller.actorId, audit: auditActorOf(caller) };
      return (await store.updateOrder(tx, orgId, { id, patch, eventId: newId(), ...by })) ?? before;
    });
    if ('claims' in row) {
      const { shop_id: shopId, external_id: externalId, claims: items } = row;
      const check = (before: OrderRow | null) => {
        if (!before) throw notFound('order');
        requireVersion(versions, before.sequence);
      };
      const change = { shopId, externalId, patch: { ...patch, items }, force, check };
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
    const ifSequences = versionsIn(headers['if-match']);
    const {
      sequence,
      changed: _changed,
      ...reply
    } = await this.writes.patchStatus(caller, params.orderId, body, { ifSequences });
    return ok(reply, { etag: orderTag({ sequence }) });
  }

  @Handles(orderHistory)
  async history({ caller, params, query }: Call<typeof orderHistory>): Promise<Answer<OrderHistoryResponse>> {
    const order = await this.find(caller, params.orderId);
    return ok(await readHistory(this.database, order.id, query));
  }

  private async find(caller: Caller, orderId: string): Promise<OrderRow> {
    const row = isId(orderId) ? await store.findOrder(this.details, caller.orgId, orderId) : null;
    if (!row) throw notFound('order');
    return row;
  }

  private written(row: WrittenOrder): Answer<OrderDetail> {
    this.relay.wake();
    return this.detail(row);
  }

  private detail(row: OrderRow): Answer<OrderDetail> {
    return ok(orderDetail(row), { etag: orderTag(row) });
  }
}
