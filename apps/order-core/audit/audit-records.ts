import type { UnreadableEvent } from '@offizin/events/event-intake';
import { AuditRecord } from '@offizin/contracts/reports/audit-record';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { validate } from '@offizin/operations/validate';
import { enterRecords } from './audit.store';

/**
 * Enters audit records of the other services. Resolves after the commit; then the batch is acknowledged. A repeated
 * record has no effect, however late, because its id stays with its entry. An unreadable record is returned, and the
 * consumer sets it aside (core.set_aside). It is never reported as known, so its outbox keeps it and the relay sends
 * it again. A version that can read it enters it then.
 */
export class AuditRecords {
  constructor(private readonly database: Database) {}

  readonly take = async (events: OutboxEvent[]): Promise<UnreadableEvent[]> => {
    const records: AuditRecord[] = [];
    const unreadable: UnreadableEvent[] = [];
    for (const [place, event] of events.entries()) {
      const record = readRecord(event);
      if (record instanceof Error) unreadable.push({ place, reason: record.message });
      else records.push(record);
    }
    if (records.length > 0) await enterRecords(this.database, records);
    return unreadable;
  };
}

function readRecord(event: OutboxEvent): AuditRecord | Error {
  try {
    const record = validate(AuditRecord, JSON.parse(event.body) as object);
    if (isEnterable(record) && record.id === event.id) return record;
    return new Error('its ids are not UUIDs, differ from its envelope, or a text holds a NUL');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** True when the table accepts the record. An invalid one would fail its whole batch, which would have to be split. */
function isEnterable({ id, org_id, actor, action, object, request_id }: AuditRecord): boolean {
  return isId(id) && isId(org_id) && ![actor, action, object, request_id].join('').includes('\0');
}
