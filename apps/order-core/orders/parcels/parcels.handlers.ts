import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  addParcel,
  type Parcel,
  parcelUrlOf,
  removeParcel,
  trackingNumberOf,
} from '@offizin/contracts/orders/parcels';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { liveTransaction } from '../../callers/live-caller.store';
import { equalParcel, parcelAsRead, type StoredParcel } from './parcel';
import { changeParcels } from './parcel-change';
import { type LockedOrder, lockParcels } from './parcels.store';

/**
 * The parcels of an order. A change makes the next version of the order, with history, audit entry and event. Only the history
 * has the number, which is personal data: an erasure empties it.
 */
@Controller()
export class ParcelsHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  @Handles(addParcel)
  add({ caller, params: { orderId }, body, keyRun }: Call<typeof addParcel>): Promise<Answer<Parcel>> {
    const given = {
      carrier: body.carrier,
      tracking_number: trackingNumberOf(body.tracking_number),
      url: body.url ? parcelUrlOf(body.url) : null,
    };
    return this.change(caller, orderId, async (tx, order) => {
      answersAbout(keyRun, order);
      const known = equalParcel(order, given);
      if (known) return ok(parcelAsRead(known));
      const parcel: StoredParcel = { id: newId(), ...given, created_at: order.now };
      await changeParcels(tx, caller, order, {
        parcels: [...order.parcels, parcel],
        action: 'order.add-parcel',
      });
      return storeAnswer(tx, keyRun, created(parcelAsRead(parcel)));
    });
  }

  @Handles(removeParcel)
  remove({ caller, params: { orderId, parcelId } }: Call<typeof removeParcel>): Promise<Answer<never>> {
    return this.change(caller, orderId, async (tx, order) => {
      const parcels = order.parcels.filter(({ id }) => id !== parcelId.toLowerCase());
      if (parcels.length === order.parcels.length) throw notFound('parcel');
      await changeParcels(tx, caller, order, { parcels, action: 'order.remove-parcel' });
      return noContent();
    });
  }

  private async change<Reply>(
    caller: Caller,
    orderId: string,
    work: (tx: Sql, order: LockedOrder) => Promise<Answer<Reply>>,
  ): Promise<Answer<Reply>> {
    if (!isId(orderId)) throw notFound('order');
    const answer = await liveTransaction(this.database, caller, async (tx) => {
      const order = await lockParcels(tx, caller.orgId, orderId);
      if (!order) throw notFound('order');
      return work(tx, order);
    });
    this.relay.wake();
    return answer;
  }
}
