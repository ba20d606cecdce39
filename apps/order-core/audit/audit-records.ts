import { AuditRecord } from '@offizin/contracts/audit-record';
import type { OutboxEvent } from '@offizin/contracts/events';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { errorFields, log } from '@offizin/runtime/log';
import { validate } from '@offizin/runtime/validate';
import { enterRecords } from './audit-records.store';

/**
 * Enters what the other services did. Resolves after the commit, then the batch is acknowledged. A record that comes
 * again makes nothing, however late: its id stays with its entry. One that cannot be read is let go and never said to be
 * known, so it stays in the outbox that it came from, and every round of its relay warns of it.
 */
export class AuditRecords {
  constructor(private readonly database: Database) {}

  readonly take = async (events: OutboxEvent[]): Promise<void> => {
    const records = events.flatMap((event) => readRecord(event) ?? []);
    if (records.length > 0) await enterRecords(this.database, records);
  };
}

function readRecord(event: OutboxEvent): AuditRecord | null {
  try {
    const record = validate(AuditRecord, JSON.parse(event.body) as object);
    if (isEnterable(record) && record.id === event.id) return record;
    log.error({ event_id: event.id }, 'unreadable audit record');
  } catch (error) {
    log.error({ event_id: event.id, ...errorFields(error) }, 'unreadable audit record');
  }
  return null;
}

/** True when the table takes it; one that it refuses would hold up the whole batch, again and again. */
function isEnterable({ id, org_id, actor, action, object, request_id }: AuditRecord): boolean {
  return isId(id) && isId(org_id) && ![actor, action, object, request_id].join('').includes('\0');
}
