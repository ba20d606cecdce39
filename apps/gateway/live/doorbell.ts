import { afterReconnects } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { isEventType, mayStandOn } from '@offizin/contracts/webhooks/events';
import {
  CHANGE_KINDS,
  CHANGED_SUBJECT,
  KIND_OF_EVENT,
  type LiveChange,
} from '@offizin/contracts/console/live';
import { errorFields, log } from '@offizin/runtime/log';

/** What the relays publish into the stream reaches plain subscribers, too. */
const SUBJECT = 'events.>';
const NEWLINE = 0x0a;
const MAX_ID_LENGTH = 255;

export interface Ring {
  orgId: string;
  change: LiveChange;
}

/**
 * Hears every event of the platform, and of each only whose it is and what it is about. A plain subscription: no
 * consumer, no state, nothing is repeated.
 */
export class Doorbell {
  private readonly unsubscribe: (() => void)[] = [];

  constructor(
    private readonly connection: BusConnection,
    private readonly listener: { rung: (rings: Ring[]) => void; missed: () => void },
  ) {}

  start(): void {
    this.hear(SUBJECT, ringsOf);
    this.hear(CHANGED_SUBJECT, changeOf);
    void afterReconnects(this.connection, this.listener.missed);
  }

  stop(): void {
    if (!this.connection.isClosed()) this.unsubscribe.forEach((end) => end());
  }

  private hear(wanted: string, read: (subject: string, data: Uint8Array) => Ring[]): void {
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
