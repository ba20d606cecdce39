import { createHash } from 'node:crypto';
import { ErrorCode, type NatsConnection, NatsError } from 'nats';
import { Refused } from '@offizin/contracts/calls/errors';
import { type OutboxEvent, subjectOfEvent } from '@offizin/contracts/webhooks/events';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { endOfTick } from '@offizin/runtime/tick-batch';
import { messageOf, unpublishableReason } from './event-message';
import { ensureEventStream, EVENTS_STREAM, isWithoutRoom } from './event-stream';
import { publishTraced } from './event-traces';
import { MAX_CHARACTERS, MAX_EVENTS } from './outbox-publishing';

/** Publishes an outbox. Events of one tick share a message per topic: one message each cost the broker most of a write. */
export class EventPublisher {
  private waiting: Waiting[] = [];

  constructor(
    private readonly connection: NatsConnection,
    private readonly publisher: ServiceName,
  ) {}

  /** The events, of one topic, travel in one message: the broker stores all of them or none. */
  readonly publish = (events: readonly OutboxEvent[]): Promise<void> =>
    new Promise((resolve, reject) => {
      if (events.length === 0) return resolve();
      const reason = events.map(unpublishableReason).find((one) => one !== null) ?? null;
      if (reason !== null) return reject(new Refused('invalid_request', `The event is refused: ${reason}.`));
      this.waiting.push({ events, resolve, reject });
      if (this.waiting.length === 1) void endOfTick().then(() => this.sendWaiting());
    });

  private sendWaiting(): void {
    for (const members of messagesOf(this.waiting.splice(0), this.publisher)) void this.send(members);
  }

  private async send(members: readonly Waiting[]): Promise<void> {
    try {
      await publishTraced(
        members.flatMap(({ events }) => events),
        (events) => this.publishMessage(events),
      );
      for (const { resolve } of members) resolve();
    } catch (error) {
      // A refused event must not block those of other objects in its message.
      if (members.length > 1 && isRefusal(error)) await Promise.all(members.map((one) => this.send([one])));
      else for (const { reject } of members) reject(isTooLarge(error) ? tooLarge(error) : inWords(error));
    }
  }

  /** Creates a missing stream, and rejects. */
  private async publishMessage(events: readonly OutboxEvent[]): Promise<void> {
    const [first] = events;
    if (!first) return;
    const subject = subjectOfEvent(first, this.publisher);
    try {
      const jetstream = this.connection.jetstream({ timeout: PUBLISH_TIMEOUT_MS });
      await jetstream.publish(subject, messageOf(events), { msgID: dedupeId(events) });
    } catch (error) {
      if (isNobodyThere(error)) await ensureEventStream(this.connection);
      throw error;
    }
  }
}

const PUBLISH_TIMEOUT_MS = 5_000;

interface Waiting {
  events: readonly OutboxEvent[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Keeps the order within a subject. */
function messagesOf(waiting: readonly Waiting[], publisher: ServiceName): Waiting[][] {
  const messages: Waiting[][] = [];
  const open = new Map<string, { members: Waiting[]; events: number; characters: number }>();
  for (const entry of waiting) {
    const [first] = entry.events;
    if (!first) continue;
    const subject = subjectOfEvent(first, publisher);
    const events = entry.events.length;
    const characters = entry.events.reduce((sum, { body }) => sum + body.length, 0);
    const last = open.get(subject);
    if (last && last.events + events <= MAX_EVENTS && last.characters + characters <= MAX_CHARACTERS) {
      last.members.push(entry);
      last.events += events;
      last.characters += characters;
    } else {
      const members = [entry];
      open.set(subject, { members, events, characters });
      messages.push(members);
    }
  }
  return messages;
}

/** The broker deduplicates a message repeated unchanged; consumers deduplicate events in any grouping. */
function dedupeId(events: readonly OutboxEvent[]): string {
  if (events.length === 1) return events[0]?.id ?? '';
  const hash = createHash('sha256');
  for (const { id } of events) hash.update(id);
  return hash.digest('hex');
}

/** False for no answer, no stream and a full stream. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof NatsError &&
    !isWithoutRoom(error) &&
    (error.isJetStreamError() || error.code === (ErrorCode.MaxPayloadExceeded as string))
  );
}

/** JetStream error code: message size exceeds maximum allowed. */
const STREAM_MESSAGE_TOO_LARGE = 10_054;

/** A retry cannot succeed. */
function isTooLarge(error: unknown): error is NatsError {
  if (!(error instanceof NatsError)) return false;
  const isOfClient = error.code === (ErrorCode.MaxPayloadExceeded as string);
  return isOfClient || error.api_error?.err_code === STREAM_MESSAGE_TOO_LARGE;
}

function tooLarge(error: NatsError): Refused {
  const refusal = new Refused('payload_too_large', 'The event is larger than the broker takes.');
  refusal.cause = error;
  return refusal;
}

/** A full stream also has code 503, but as a JetStream error. */
function isNobodyThere(error: unknown): boolean {
  return error instanceof NatsError && !error.isJetStreamError() && error.code === '503';
}

/** The broker's description; the client's message would be only the code. */
function inWords(error: unknown): unknown {
  if (!(error instanceof NatsError) || !error.api_error) return error;
  return new Error(`${EVENTS_STREAM}: ${error.api_error.description}`, { cause: error });
}
