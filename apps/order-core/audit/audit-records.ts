import { deadLetters } from '@offizin/bus/bus-metrics';
import type { DeadLetter } from '@offizin/bus/event-message';
import { AuditRecord } from '@offizin/contracts/audit-record';
import type { OutboxEvent } from '@offizin/contracts/events';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { errorFields, log } from '@offizin/runtime/log';
import { validate } from '@offizin/runtime/validate';
import { enterRecords, keepUnreadable } from './audit-records.store';

/**
 * Enters what the other services did. Resolves after the commit, then the batch is acknowledged. A record that comes
 * again makes nothing, however late: its id stays with its entry. One that cannot be read is kept as it came
 * (core.unreadable_audit_records) and never said to be known: so it stays in the outbox that it came from, too, comes
 * again with every round of its relay, and is entered by a version that can read it.
 */
export class AuditRecords {
  constructor(private readonly database: Database) {}

  readonly take = async (events: OutboxEvent[]): Promise<void> => {
    const records: AuditRecord[] = [];
    for (const event of events) {
      const record = readRecord(event);
      if (record instanceof Error) await this.keep(event, record);
      else records.push(record);
    }
    if (records.length > 0) await enterRecords(this.database, records);
  };

  /** A message of the stream that is no event of ours; the reader has counted it. Base64: its bytes may be no text. */
  readonly setLetterAside = async ({ id, subject, content, reason }: DeadLetter): Promise<void> => {
    const text = JSON.stringify({ subject, base64: Buffer.from(content).toString('base64') });
    await keepUnreadable(this.database, `message ${id}`, reason, text);
  };

  private async keep(event: OutboxEvent, error: Error): Promise<void> {
    log.error({ event_id: event.id, ...errorFields(error) }, 'unreadable audit record');
    // JSON escapes what the database would refuse in a text.
    const id = JSON.stringify(event.id ?? null)
      .slice(0, 255)
      .replaceAll('"', '');
    const reason = error.message.replaceAll('\0', ' ');
    if (await keepUnreadable(this.database, id, reason, JSON.stringify(event))) deadLetters.inc();
  }
}

function readRecord(event: OutboxEvent): AuditRecord | Error {
  try {
    const record = validate(AuditRecord, JSON.parse(event.body) as object);
    if (isEnterable(record) && record.id === event.id) return record;
    return new Error('its ids are none, differ from its envelope, or a text holds a NUL');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** True when the table takes it; one that it refuses would hold up the whole batch, again and again. */
function isEnterable({ id, org_id, actor, action, object, request_id }: AuditRecord): boolean {
  return isId(id) && isId(org_id) && ![actor, action, object, request_id].join('').includes('\0');
}
