import type { AuditRecord } from '@offizin/contracts/reports/audit-record';
import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { AUDIT_RECORD } from '@offizin/contracts/webhooks/events';
import type { Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { appendToOutbox, type UntimedEvent, upToTime } from './outbox';

/** order-core owns the audit log; other services append their records to their own outbox (decision 0014). */
export interface AuditedChange {
  orgId: string;
  /** `<noun>.<verb>`, such as `product.update`. */
  action: string;
  object: string;
}

/** Wake the relay after the commit. */
export async function appendAuditRecord(
  tx: Sql,
  schema: string,
  caller: Pick<Caller, 'kind' | 'actorId' | 'requestId'>,
  change: AuditedChange,
): Promise<void> {
  await appendToOutbox(tx, schema, buildAuditRecord(caller, change));
}

export function buildAuditRecord(
  caller: Pick<Caller, 'kind' | 'actorId' | 'requestId'>,
  { orgId, action, object }: AuditedChange,
): UntimedEvent {
  const id = newId();
  const record: Omit<AuditRecord, 'at'> = {
    id,
    org_id: orgId,
    actor: actorOf(caller),
    action,
    object,
    request_id: caller.requestId,
  };
  // One aggregate per object, so the records of an object keep their order.
  const about = { aggregateId: `audit:${object}`, sequence: 0, topic: 'audit' as const };
  return { id, orgId, eventType: AUDIT_RECORD, ...about, bodyUpToTime: upToTime(record, 'at') };
}
