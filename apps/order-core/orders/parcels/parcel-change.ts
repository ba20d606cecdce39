import type { Caller } from '@offizin/contracts/calls/caller';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { appendEvent } from '@offizin/events/outbox';
import type { Sql } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { SCHEMA } from '../../db/schema';
import type { StoredParcel } from './parcel';
import { type LockedOrder, writeParcels } from './parcels.store';

/** The next version of the locked order with these parcels, and what is recorded beside it. */
export async function changeParcels(
  tx: Sql,
  caller: Caller,
  order: LockedOrder,
  { parcels, action }: { parcels: readonly StoredParcel[]; action: string },
): Promise<void> {
  const { id, shop_id, order_request_id, stock_claim_id, status, external_id, is_test, topic } = order;
  const sequence = await writeParcels(tx, id, parcels, caller.actorId);
  await appendAudit(tx, caller, action, `order:${id}`);
  await appendEvent(tx, SCHEMA, {
    orgId: caller.orgId,
    eventType: 'order_updated',
    aggregateId: id,
    sequence,
    topic,
    title: 'Order changed',
    description: `Order changed (${external_id})`,
    metadata: {
      order_id: id,
      shop_id,
      order_request_id,
      stock_claim_id,
      status,
      changed: ['parcels'],
      ...testMark(is_test),
    },
    integrationId: order.integration_id,
  });
}
