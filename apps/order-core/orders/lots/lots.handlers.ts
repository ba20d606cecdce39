import { isDeepStrictEqual } from 'node:util';
import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { type OrderLot, type OrderLotBody, type OrderLots, setLots } from '@offizin/contracts/orders/lots';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { SCHEMA } from '../../db/schema';
import { orderTag, requireVersion, versionsIn } from '../orders/order-detail';
import { addedTo, lotAndLine, lotsAsRead, lotsToStore } from '../orders/order-lots';
import type { OrderRow } from '../orders/order-row';
import { lockOrder } from '../orders/orders.store';
import { heldAmong } from './lot-holds.store';
import { lotsOfOrder, writeLots } from './lots.store';

/**
 * The lots of an order. A change makes the next version of the order, with history, audit entry and event. The sender of its
 * request does not read lots, so its callback gets no event.
 */
@Controller()
export class LotsHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  @Handles(setLots)
  async set({ caller, params, body, headers }: Call<typeof setLots>): Promise<Answer<OrderLots>> {
    const { orderId } = params;
    if (!isId(orderId)) throw notFound('order');
    const versions = versionsIn(headers['if-match']);
    const { lots, ...version } = await liveTransaction(this.database, caller, async (tx) => {
      const order = await lockOrder(tx, caller.orgId, orderId);
      if (!order) throw notFound('order');
      requireVersion(versions, order.sequence);
      return changed(tx, caller, { ...order, lots: await lotsOfOrder(tx, order.id) }, body.lots);
    });
    this.relay.wake();
    return ok({ lots }, { etag: orderTag(version) });
  }
}

async function changed(
  tx: Sql,
  caller: Caller,
  order: OrderRow,
  given: readonly OrderLotBody[],
): Promise<{ lots: OrderLot[]; sequence: number }> {
  const before = lotsAsRead(order);
  const lots = lotsToStore(order, given, new Date());
  if (isDeepStrictEqual(lots, before)) return { lots, sequence: order.sequence };
  if (order.status === 'cancelled')
    throw new Refused('conflict', 'The order is cancelled, so it takes no lots: reopen it first.');
  await refuseHeld(
    tx,
    caller,
    addedTo(before, lots, ({ lot }) => [lot]),
  );
  const { sequence, topic } = await writeLots(tx, order.id, lots, caller.actorId);
  await appendAudit(tx, caller, 'order.set-lots', `order:${order.id}`);
  const { id, shop_id, order_request_id, stock_claim_id, status, external_id, is_test } = order;
  await appendEvent(tx, SCHEMA, {
    orgId: caller.orgId,
    eventType: 'order_updated',
    aggregateId: id,
    sequence,
    topic,
    title: 'Order changed',
    description: `Order changed (${external_id})`,
    metadata: { order_id: id, shop_id, order_request_id, stock_claim_id, status, ...testMark(is_test) },
  });
  return { lots, sequence };
}

/** Read under the lock of the order: a hold that was answered before counts. */
async function refuseHeld(tx: Sql, { orgId }: Caller, added: readonly OrderLot[]): Promise<void> {
  const held = await heldAmong(tx, orgId, added);
  if (!held) return;
  throw new Refused(
    'lot_on_hold',
    `${lotAndLine(held.lot)} is on hold (${held.reason}): take a pack of another lot.`,
  );
}
