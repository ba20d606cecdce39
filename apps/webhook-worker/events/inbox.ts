import type { UnreadableEvent } from '@offizin/events/event-intake';
import type { OutboxEvent } from '@offizin/contracts/events';
import type { Database } from '@offizin/pg/database';
import { type InboxEvent, receiveEvents } from './inbox.store';

/**
 * Stores batches of the stream. Resolves after the commit; the consumer then acknowledges the batch. A repeated event
 * is ignored. An event without a time in its body is returned, and the consumer sets it aside.
 */
export class Inbox {
  constructor(
    private readonly database: Database,
    private readonly wake: (subscriptionIds: string[]) => void,
  ) {}

  readonly handle = async (events: OutboxEvent[]): Promise<UnreadableEvent[]> => {
    const readable: InboxEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    for (const [place, event] of events.entries()) {
      const createdAt = createdAtOf(event.body);
      if (createdAt === null) unreadable.push({ place, reason: 'body is not an event with a created_at' });
      else readable.push({ event, createdAt });
    }
    if (readable.length > 0) this.wake(await receiveEvents(this.database, readable));
    return unreadable;
  };
}

/** The `created_at` of the body as ISO text; null if missing or invalid. */
function createdAtOf(body: string): string | null {
  try {
    const parsed = JSON.parse(body) as { created_at?: unknown } | null;
    return typeof parsed?.created_at === 'string' ? new Date(parsed.created_at).toISOString() : null;
  } catch {
    return null;
  }
}
