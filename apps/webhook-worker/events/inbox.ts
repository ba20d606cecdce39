import type { UnreadableEvent } from '@offizin/events/event-intake';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
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
      const content = contentOf(event.body);
      const createdAt = content && createdAtOf(content);
      if (!content || createdAt === null)
        unreadable.push({ place, reason: 'body is not an event with a created_at' });
      else readable.push({ event, createdAt, callback: callbackOf(event, content) });
    }
    if (readable.length > 0) this.wake(await receiveEvents(this.database, readable));
    return unreadable;
  };
}

interface Content {
  created_at?: unknown;
  metadata?: { shop_id?: unknown };
}

/** Null unless the body is a JSON object. */
function contentOf(body: string): Content | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    return null;
  }
}

/** As ISO text; null if missing or invalid. */
function createdAtOf({ created_at: at }: Content): string | null {
  const ms = typeof at === 'string' ? Date.parse(at) : NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function callbackOf({ integrationId }: OutboxEvent, { metadata }: Content): InboxEvent['callback'] {
  const shopId = metadata?.shop_id;
  if (typeof integrationId !== 'string' || typeof shopId !== 'string' || !isId(shopId)) return null;
  return { integrationId, shopId };
}
