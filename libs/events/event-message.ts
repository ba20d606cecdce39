import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type EventTopic, mayStandOn, type OutboxEvent } from '@offizin/contracts/webhooks/events';

/** Two lines per event: the envelope, then the body exactly as stored. JSON text contains no raw newline. */
export function messageOf(events: readonly OutboxEvent[]): string {
  return events.map(({ body, ...envelope }) => `${JSON.stringify(envelope)}\n${body}`).join('\n');
}

/**
 * Why an event cannot be published, or null. A body of two lines would make the events of other organizations
 * unreadable.
 */
export function unpublishableReason({ topic, body }: OutboxEvent): string | null {
  if (!isTopic(topic)) return 'its topic is unknown';
  if (body.includes('\n')) return 'its body has more than one line';
  return null;
}

/** A part of a message that can never be processed. Only our services may publish here, so this is a defect. */
export interface DeadLetter {
  /** Derived from subject, event id and content: a repeated part gets the same id. */
  id: string;
  subject: string;
  /** Null when the part has no event id that is a UUID. */
  eventId: string | null;
  content: Uint8Array;
  reason: string;
}

/** `content` is the bytes as received. */
export interface MessagePart {
  subject: string;
  content: Uint8Array;
  read: { event: OutboxEvent } | Unreadable;
}

interface Unreadable {
  reason: string;
  /** Set when the envelope's id is a UUID. */
  eventId?: string;
}

/** A longer message is set aside whole; EventPublisher never sends one. */
const MAX_PARTS = 1_000;
const NEWLINE = 0x0a;

/** An unreadable part does not affect the others. Never throws. */
export function readMessage({ subject, data }: { subject: string; data: Uint8Array }): MessagePart[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const parts: MessagePart[] = [];
  let start = 0;
  while (start <= bytes.length) {
    if (parts.length === MAX_PARTS)
      return [{ subject, content: bytes, read: { reason: `more than ${MAX_PARTS} events` } }];
    const envelopeEnd = lineEnd(bytes, start);
    const end = lineEnd(bytes, envelopeEnd + 1);
    const read = readPart(bytes.subarray(start, envelopeEnd), bytes.subarray(envelopeEnd + 1, end));
    parts.push({ subject, content: bytes.subarray(start, end), read: ofItsService(subject, read) });
    start = end + 1;
  }
  return parts;
}

/** The broker's permissions bind a subject to its publisher; this check binds the event type to the subject. */
function ofItsService(subject: string, read: MessagePart['read']): MessagePart['read'] {
  if (!('event' in read) || mayStandOn(subject, read.event.eventType)) return read;
  return { reason: 'an event of another service', eventId: read.event.id };
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = from > bytes.length ? -1 : bytes.indexOf(NEWLINE, from);
  return end === -1 ? bytes.length : end;
}

function readPart(envelopeBytes: Buffer, bodyBytes: Buffer): MessagePart['read'] {
  if (!isUtf8(envelopeBytes)) return { reason: 'the envelope is not UTF-8' };
  let envelope: unknown;
  try {
    envelope = JSON.parse(envelopeBytes.toString());
  } catch {
    return { reason: 'the envelope is not JSON' };
  }
  if (typeof envelope !== 'object' || envelope === null) return { reason: 'the envelope is not an object' };
  return eventOf(envelope, bodyBytes);
}

const TOPICS: Readonly<Record<EventTopic, true>> = { plain: true, stock: true, audit: true };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const MAX_INTEGER = 2_147_483_647;
const MAX_TEXT_LENGTH = 255;

/** One invalid value would fail the statement of a whole batch. */
function eventOf(envelope: Envelope, bodyBytes: Buffer): MessagePart['read'] {
  const {
    id: eventId,
    orgId,
    eventType,
    aggregateId,
    sequence,
    topic,
    traceparent,
    integrationId,
  } = envelope;
  if (!isUuid(eventId)) return { reason: 'id is not a UUID' };
  const refused = (reason: string): Unreadable => ({ reason, eventId });
  if (!isUuid(orgId)) return refused('orgId is not a UUID');
  if (!isShortText(eventType)) return refused('eventType is not a text of at most 255 characters');
  if (!isShortText(aggregateId)) return refused('aggregateId is not a text of at most 255 characters');
  if (!isInteger(sequence)) return refused('sequence is not an integer of 32 bits');
  if (!isTopic(topic)) return refused('topic is not known');
  if (bodyBytes.length === 0 || bodyBytes.includes(0) || !isUtf8(bodyBytes))
    return refused('body is empty, not UTF-8, or has a NUL');
  const isTraced = typeof traceparent === 'string' && TRACEPARENT.test(traceparent);
  const event: OutboxEvent = {
    id: eventId,
    orgId,
    eventType: eventType as OutboxEvent['eventType'],
    aggregateId,
    sequence,
    topic,
    body: bodyBytes.toString(),
    ...(isTraced && { traceparent }),
    ...(isUuid(integrationId) && { integrationId }),
  };
  return { event };
}

type Envelope = Partial<Record<keyof OutboxEvent, unknown>>;

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

function isInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;
}

function isTopic(value: unknown): value is EventTopic {
  return typeof value === 'string' && Object.hasOwn(TOPICS, value);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && !value.includes('\0');
}

export function deadLetterOf({ subject, content, read }: MessagePart, reason: string): DeadLetter {
  const eventId = ('event' in read ? read.event.id : read.eventId) ?? null;
  // A repeated event may carry another trace context, so its identity is id and body.
  const identity = eventId === null ? content : content.subarray(content.indexOf(NEWLINE));
  const id = createHash('sha256')
    .update(`${subject}\n${eventId ?? ''}\n`)
    .update(identity)
    .digest('hex');
  return { id, subject, eventId, content, reason };
}
