import { deadLetters } from '@offizin/bus/bus-metrics';
import type { DeadLetter } from '@offizin/bus/event-message';
import type { OutboxEvent } from '@offizin/contracts/events';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { log } from '@offizin/runtime/log';
import { type InboxEvent, keepUnreadable, receiveEvents } from './inbox.store';

const MAX_INTEGER = 2_147_483_647;

/**
 * Takes batches of the stream. Resolves after the commit, then the batch is acknowledged; an event that comes again
 * makes nothing. One that the table would refuse is set aside first, or it would hold up all others for ever.
 */
export class Inbox {
  constructor(
    private readonly database: Database,
    private readonly ring: (subscriptionIds: string[]) => void,
  ) {}

  readonly handle = async (events: OutboxEvent[]): Promise<void> => {
    const readable: InboxEvent[] = [];
    for (const event of events) {
      const createdAt = createdAtOf(event);
      if (createdAt !== null) readable.push({ event, createdAt });
      else await this.setAside(event, mistakeIn(event) ?? 'body is no event with a created_at');
    }
    if (readable.length === 0) return;
    this.ring(await receiveEvents(this.database, readable));
  };

  /** A message of the stream that is not even an event. Base64, because its bytes may be no text. */
  readonly setLetterAside = async ({ id, subject, content, reason }: DeadLetter): Promise<void> => {
    const text = JSON.stringify({ subject, base64: Buffer.from(content).toString('base64') });
    await keepUnreadable(this.database, `message ${id}`, reason, text);
  };

  private async setAside(event: OutboxEvent, reason: string): Promise<void> {
    // JSON escapes what the database would refuse in a text.
    const id = JSON.stringify(event.id).slice(0, 255).replaceAll('"', '');
    log.error({ event_id: id, reason }, 'unreadable event set aside');
    await keepUnreadable(this.database, id, reason, JSON.stringify(event));
    deadLetters.inc();
  }
}

/** When it happened, out of its body; null for what cannot be stored. It comes from our own services, so that is a defect of ours. */
function createdAtOf(event: OutboxEvent): string | null {
  if (mistakeIn(event) !== null) return null;
  try {
    const parsed = JSON.parse(event.body) as { created_at: string };
    return new Date(parsed.created_at).toISOString();
  } catch {
    return null;
  }
}

/** What of its envelope keeps an event from being stored, or null. */
function mistakeIn({ id, orgId, eventType, aggregateId, sequence, body }: OutboxEvent): string | null {
  if (!isId(id)) return 'id is no UUID';
  if (!isId(orgId)) return 'orgId is no UUID';
  if (!isPlainText(eventType) || !isPlainText(aggregateId)) return 'eventType or aggregateId is no text';
  if (!Number.isInteger(sequence) || Math.abs(sequence) > MAX_INTEGER) return 'sequence is no integer';
  if (typeof body !== 'string' || body.includes('\0')) return 'body is no text';
  if (body.includes('\n')) return 'body is more than a line';
  return null;
}

function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 255 && !value.includes('\0');
}
