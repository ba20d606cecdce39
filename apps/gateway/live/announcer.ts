import {
  CHANGE_KINDS,
  CHANGED_SUBJECT,
  type ChangeKind,
  KIND_OF_EVENT,
  type LiveChange,
  type LiveEvents,
  MAX_LIVE_CHANGES,
  SCOPE_OF_KIND,
} from '@offizin/contracts/console/live';
import type { StaffScope } from '@offizin/contracts/people/scopes';
import { afterReconnects } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { isEventType, mayStandOn } from '@offizin/contracts/webhooks/events';
import { errorFields, log } from '@offizin/runtime/log';
import { eventText, type LiveStream, type Streams } from './streams';
import type { Viewers } from './presence';

/** What the relays publish into the stream reaches plain subscribers, too. */
const SUBJECT = 'events.>';
const NEWLINE = 0x0a;
const MAX_ID_LENGTH = 255;

export interface Ring {
  orgId: string;
  change: LiveChange;
}

/**
 * Receives every event of the platform, and reads of each only whose it is and what it is about. A plain
 * subscription: no consumer, no state, nothing is repeated.
 */
export class Doorbell {
  private readonly unsubscribe: (() => void)[] = [];

  constructor(
    private readonly connection: BusConnection,
    private readonly listener: { rung: (rings: Ring[]) => void; missed: () => void },
  ) {}

  start(): void {
    this.receive(SUBJECT, ringsOf);
    this.receive(CHANGED_SUBJECT, changeOf);
    void afterReconnects(this.connection, this.listener.missed);
  }

  stop(): void {
    if (!this.connection.isClosed()) this.unsubscribe.forEach((end) => end());
  }

  private receive(wanted: string, read: (subject: string, data: Uint8Array) => Ring[]): void {
    const subscription = this.connection.subscribe(wanted, {
      callback: (error, { subject, data }) => {
        if (error) log.warn({ subject: wanted, ...errorFields(error) }, 'events subscription failed');
        else this.listener.rung(read(subject, data));
      },
    });
    this.unsubscribe.push(() => subscription.unsubscribe());
  }
}

/** Of a message's lines (libs/events/event-message.ts) the first of each pair is the envelope; bodies are not read. */
export function ringsOf(subject: string, data: Uint8Array): Ring[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const rings: Ring[] = [];
  let start = 0;
  while (start < bytes.length) {
    const envelopeEnd = lineEnd(bytes, start);
    const ring = ringOf(subject, bytes.toString('utf8', start, envelopeEnd));
    if (ring) rings.push(ring);
    start = lineEnd(bytes, envelopeEnd + 1) + 1;
  }
  return rings;
}

/** Of a change without an event (UnpublishedChange). */
export function changeOf(_subject: string, data: Uint8Array): Ring[] {
  const { orgId, kind: given, id } = envelopeOf(Buffer.from(data).toString());
  const kind = CHANGE_KINDS.find((known) => known === given);
  if (typeof orgId !== 'string' || kind === undefined || typeof id !== 'string') return [];
  return id.length > MAX_ID_LENGTH ? [] : [{ orgId, change: { kind, id } }];
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = from > bytes.length ? -1 : bytes.indexOf(NEWLINE, from);
  return end === -1 ? bytes.length : end;
}

/** Null for an event that no page shows. The consumers report malformed messages. */
function ringOf(subject: string, line: string): Ring | null {
  const { orgId, eventType, aggregateId } = envelopeOf(line);
  if (typeof orgId !== 'string' || typeof eventType !== 'string' || typeof aggregateId !== 'string')
    return null;
  if (!isEventType(eventType) || !mayStandOn(subject, eventType)) return null;
  if (aggregateId.length > MAX_ID_LENGTH) return null;
  return { orgId, change: { kind: KIND_OF_EVENT[eventType], id: objectOf(aggregateId) } };
}

function envelopeOf(line: string): Record<string, unknown> {
  try {
    const envelope: unknown = JSON.parse(line);
    return typeof envelope === 'object' && envelope !== null ? { ...envelope } : {};
  } catch {
    return {};
  }
}

/** The aggregate of a product is `product:<organization>:<p1_id>` or `shop-product:<shop>:<p1_id>`. */
function objectOf(aggregateId: string): string {
  return /^(?:shop-)?product:[^:]+:(.+)$/s.exec(aggregateId)?.[1] ?? aggregateId;
}

/** Pause between two messages to one organization. */
const PAUSE_MS = 250;

/** The next message to an organization's streams. */
class News {
  readonly changes = new PendingChanges();
  hasPresence = false;

  isEmpty(): boolean {
    return this.changes.isEmpty() && !this.hasPresence;
  }
}

/** Sends changes to an organization's streams: immediately after a pause, merged while there are many. */
export class Announcer {
  /** Organizations that received a message less than a pause ago. */
  private readonly waiting = new Map<string, News>();

  constructor(
    private readonly streams: Streams,
    private readonly viewers: Viewers,
  ) {}

  readonly rung = (rings: readonly Ring[]): void => {
    const listened = rings.filter(({ orgId }) => this.streams.of(orgId).size > 0);
    for (const orgId of new Set(listened.map((ring) => ring.orgId))) {
      this.announce(orgId, ({ changes }) => {
        for (const ring of listened) if (ring.orgId === orgId) changes.add(ring.change);
      });
    }
  };

  readonly missed = (): void => {
    for (const orgId of this.streams.organizations()) this.announce(orgId, ({ changes }) => changes.addAll());
  };

  readonly presenceChanged = (orgId: string): void => {
    if (this.streams.of(orgId).size > 0) this.announce(orgId, (news) => (news.hasPresence = true));
  };

  /** Empty for a role that may not read order requests. */
  presenceFor({ listener, scopes }: LiveStream): string {
    if (!scopes.includes(SCOPE_OF_KIND.order_request)) return '';
    return eventText('presence', { people: this.viewers.peopleFor(listener) });
  }

  private announce(orgId: string, add: (news: News) => void): void {
    const news = this.waiting.get(orgId) ?? new News();
    add(news);
    if (!this.waiting.has(orgId)) this.send(orgId, news);
  }

  private send(orgId: string, news: News): void {
    this.waiting.set(orgId, new News());
    setTimeout(() => this.paused(orgId), PAUSE_MS).unref();
    const changesByRole = new Map<string, string>();
    for (const stream of this.streams.of(orgId)) {
      const changes = changesByRole.get(stream.role) ?? changesFor(stream, news);
      changesByRole.set(stream.role, changes);
      const text = changes + (news.hasPresence ? this.presenceFor(stream) : '');
      if (text !== '') stream.write(text);
    }
  }

  private paused(orgId: string): void {
    const news = this.waiting.get(orgId);
    this.waiting.delete(orgId);
    if (news && !news.isEmpty()) this.send(orgId, news);
  }
}

function changesFor({ scopes }: LiveStream, { changes }: News): string {
  const message = changes.messageFor(scopes);
  return message ? eventText('change', message) : '';
}

/** Changes of one organization that wait for the next message; each object once. Bounded, however many arrive. */
export class PendingChanges {
  private readonly idsByKind = new Map<ChangeKind, Set<string>>();
  private isAll = false;

  add({ kind, id }: LiveChange): void {
    const ids = this.idsByKind.get(kind) ?? new Set();
    this.idsByKind.set(kind, ids);
    // One more than the limit is enough to say that there were too many.
    if (ids.size <= MAX_LIVE_CHANGES) ids.add(id);
  }

  /** Changes may have been missed. */
  addAll(): void {
    this.isAll = true;
  }

  isEmpty(): boolean {
    return !this.isAll && this.idsByKind.size === 0;
  }

  /** The message for a role with these scopes, or null when none of it is for that role. */
  messageFor(scopes: readonly StaffScope[]): LiveEvents['change'] | null {
    if (this.isAll) return { changes: [], all: true };
    const changes = CHANGE_KINDS.filter((kind) => scopes.includes(SCOPE_OF_KIND[kind])).flatMap((kind) =>
      [...(this.idsByKind.get(kind) ?? [])].map((id) => ({ kind, id })),
    );
    if (changes.length === 0) return null;
    return changes.length > MAX_LIVE_CHANGES ? { changes: [], all: true } : { changes };
  }
}
