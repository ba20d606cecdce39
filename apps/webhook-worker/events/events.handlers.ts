import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid } from '@offizin/contracts/calls/errors';
import { describedEventTypes } from '@offizin/contracts/webhooks/event-descriptions';
import { type EventIds, unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import {
  type EventFeedResponse,
  listWebhookEventTypes,
  readEventFeed,
  type WebhookEventType,
  type WebhookEventTypeListResponse,
} from '@offizin/contracts/webhooks/event-feed';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { decodeCursor, encodeCursor, filteredName, pageOf } from '@offizin/operations/cursor-pages';
import { feedPage, feedPosition, unknownEventIds } from './inbox.store';

const unknownToWorker = unknownEvents('webhook-worker');

const eventTypes = describedEventTypes();
const TYPE_LIST = {
  name: 'event-types',
  keyOf: (type: WebhookEventType) => String(eventTypes.indexOf(type)).padStart(4, '0'),
};

const FEED = 'events';

/** `after` is the id of an event; a cursor of the feed names its event, under every filter. */
function eventOf(after: string): string {
  return isId(after)
    ? after
    : (/^events\.[^:]*:(.+)$/.exec(Buffer.from(after, 'base64url').toString())?.[1] ?? after);
}

@Controller()
export class EventsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(listWebhookEventTypes)
  async types({ query }: Call<typeof listWebhookEventTypes>): Promise<Answer<WebhookEventTypeListResponse>> {
    return ok(pageOf(eventTypes, query, TYPE_LIST));
  }

  /** Passes the bodies on as the same bytes that webhooks sign. */
  @Handles(readEventFeed)
  async feed(call: Call<typeof readEventFeed>): Promise<Answer<EventFeedResponse>> {
    const { after, cursor, event_type: eventType = null, limit } = call.query;
    const list = filteredName(FEED, call.query);
    const { orgId } = call.caller;
    if (after !== undefined && cursor !== undefined)
      throw invalid([{ field: 'after', message: 'must not be given together with cursor' }]);
    const last = cursor === undefined ? after && eventOf(after) : decodeCursor(list, cursor, isId);
    const field = after === undefined ? 'cursor' : 'after';
    const position = last === undefined ? '0' : await this.positionOf(orgId, last, field);
    const page = { orgId, after: position, eventType, limit };
    const { events, more } = await feedPage(this.database, page);
    const end = more ? events.at(-1) : undefined;
    const next = end ? encodeCursor(list, end.id) : null;
    const pagination = JSON.stringify({ limit, next_cursor: next });
    return okJson(`{"data":[${events.map(({ body }) => body).join(',')}],"pagination":${pagination}}`);
  }

  @Handles(unknownToWorker)
  async unknown(call: Call<typeof unknownToWorker>): Promise<Answer<EventIds>> {
    const { ids } = call.body;
    const malformed = ids.findIndex((id) => !isId(id));
    if (malformed !== -1) throw invalid([{ field: `ids[${malformed}]`, message: 'must be a UUID' }]);
    return ok({ ids: await unknownEventIds(this.database, ids) });
  }

  private async positionOf(orgId: string, eventId: string, field: 'after' | 'cursor'): Promise<string> {
    const position = isId(eventId) ? await feedPosition(this.database, orgId, eventId) : null;
    if (position !== null) return position;
    const message = 'is not an event of the last 30 days; leave it out to begin with the oldest one';
    throw invalid([{ field, message }]);
  }
}
