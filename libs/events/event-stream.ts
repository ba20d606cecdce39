import {
  AckPolicy,
  ConsumerEvents,
  type ConsumerMessages,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  NatsError,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { WakeSignal } from '@offizin/runtime/wake-signal';
import { errorFields, log } from '@offizin/runtime/log';
import {
  eventBatchesFailed,
  eventsRedelivered,
  eventsTaken,
  observeConsumer,
} from '@offizin/bus/bus-metrics';
import { makesStreamsAt, streamReplicasAt } from '@offizin/bus/connection';
import { infoOrNull, matchReplicas } from '@offizin/bus/jetstream';
import { readMessage } from './event-message';
import { EventIntake, type EventIntakeOptions } from './event-intake';

/**
 * The stream EVENTS: every committed event, and every record for the audit log, on its way to those who follow. It is a doorbell with a memory, not the
 * ledger: it may be deleted at any time, and the outboxes fill it again.
 *
 * Settings that were measured: `discard: new` (with `old` a full stream drops silently), `retention: limits` (work
 * queues forget their dedupe ids), dedupe window of 2 minutes (the relay repeats after a crash within seconds). A server 2.9
 * drops the oldest in spite of `discard: new` where only its own 30 bytes per message have no room: the outbox has it.
 */
export const EVENTS_STREAM = 'EVENTS';
const SUBJECTS = ['events.>', 'audit.>'];
const MAX_AGE_MS = 72 * 3600 * 1000;
/** What the stream may hold; where the broker's disk has no room for it, the next smaller one. */
const MAX_BYTES = [1024, 128, 16].map((mebibytes) => mebibytes * 1024 * 1024);
const NANOS_PER_MS = 1_000_000;

export async function ensureEventStream(connection: NatsConnection): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const config = {
    name: EVENTS_STREAM,
    subjects: SUBJECTS,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    max_age: MAX_AGE_MS * NANOS_PER_MS,
    duplicate_window: 120_000 * NANOS_PER_MS,
    num_replicas: streamReplicasAt(connection),
  };
  if (await infoOrNull(() => manager.streams.info(EVENTS_STREAM))) return;
  if (!makesStreamsAt(connection)) throw new Error('order-core has not made the stream EVENTS yet');
  for (const maxBytes of MAX_BYTES) {
    try {
      await manager.streams.add({ ...config, max_bytes: maxBytes });
      return;
    } catch (error) {
      if (maxBytes === MAX_BYTES.at(-1) || !isWithoutRoom(error)) throw error;
      log.warn(
        { stream: EVENTS_STREAM, max_bytes: maxBytes },
        'the broker has no room for a stream so large',
      );
    }
  }
}

/**
 * Error codes of JetStream: insufficient storage resources available, insufficient resources, and what a stream answers
 * that cannot store now (`maximum bytes exceeded`, a full disk).
 */
export function isWithoutRoom(error: unknown): boolean {
  return error instanceof NatsError && [10_047, 10_023, 10_077].includes(error.api_error?.err_code ?? 0);
}

/** For the one service that may change the stream: there, with all subjects, kept by as many servers as configured. */
export async function prepareEventStream(connection: NatsConnection): Promise<void> {
  await ensureEventStream(connection);
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const { config } = await manager.streams.info(EVENTS_STREAM);
  // Made by a version before, which had fewer: what is published on a new one would find nobody.
  const lacksOne = SUBJECTS.some((subject) => !config.subjects.includes(subject));
  if (lacksOne) await manager.streams.update(EVENTS_STREAM, { subjects: SUBJECTS });
  await matchReplicas(connection, EVENTS_STREAM);
}

export interface EventConsumerOptions extends EventIntakeOptions {
  /** Durable name; all replicas of a service share it. */
  durable: string;
  filterSubject: string;
}

/** In hand at a time; one holds up to 64 events and some 128 KiB (event-publisher.ts). */
const MAX_IN_HAND_MESSAGES = 100;
const MAX_BATCH_BYTES = 512 * 1024;
const ACK_WAIT_MS = 30_000;
const RETRY_PAUSE_MS = 1_000;
const HEARTBEAT_MS = 1_000;
/** A message that the handler has not taken by then is reported by readiness. */
const SLOW_HEAD_SECONDS = 10;

/**
 * A durable consumer that survives everything: the broker gone, its store wiped (stream and consumer are made again),
 * a handler that fails (the batch comes again). Nothing is ever dropped after some number of deliveries. A message that
 * can never be taken is stored as bytes (event-intake.ts) and holds up no other.
 */
export class EventConsumer {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  /** Messages that came and are not handled yet; the broker hands over at most MAX_IN_HAND_MESSAGES ahead. */
  private arrived: JsMsg[] = [];
  /** By performance.now(): since when the oldest of them has been the oldest. */
  private headSinceMs = 0;
  /** Why the last batch failed; null once one was taken. */
  private failure: string | null = null;
  private readonly intake: EventIntake;
  /** After a failure, nothing is handled before this time. */
  private retryAtMs = 0;
  private readonly wakeSignal = new WakeSignal();

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: EventConsumerOptions,
  ) {
    this.intake = new EventIntake(options);
  }

  start(): void {
    this.running = this.run();
  }

  /** Its lag and the age of its head, among the metrics; once per process. */
  observe(): void {
    observeConsumer(this.connection, EVENTS_STREAM, this.options.durable, () => this.headAgeSeconds());
  }

  /** For readiness: why the oldest message does not move, or null. */
  notice(): Promise<string | null> {
    const age = this.headAgeSeconds();
    if (age < SLOW_HEAD_SECONDS) return Promise.resolve(null);
    const cause = this.failure ?? 'its handler has not answered';
    return Promise.resolve(`the oldest message has not moved for ${Math.round(age)} s: ${cause}`);
  }

  private headAgeSeconds(): number {
    return this.arrived.length === 0 ? 0 : (performance.now() - this.headSinceMs) / 1_000;
  }

  /** Takes no more, and finishes what has arrived; what its handler still refuses is delivered to another replica. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeSignal.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await ensureEventStream(this.connection);
        await this.ensureConsumer(await this.connection.jetstreamManager({ timeout: 5_000 }));
        await this.follow();
      } catch (error) {
        log.warn({ consumer: this.options.durable, ...errorFields(error) }, 'event consumer starts over');
      }
      if (!this.stopped) await this.wakeSignal.pause(RETRY_PAUSE_MS);
    }
  }

  /** Pulls until stopped, or until stream or consumer are gone. */
  private async follow(): Promise<void> {
    const { consumers } = this.connection.jetstream({ timeout: 5_000 });
    const consumer = await consumers.get(EVENTS_STREAM, this.options.durable);
    this.arrived = [];
    let lost: string | null = null;
    const messages = await consumer.consume({
      max_messages: MAX_IN_HAND_MESSAGES,
      idle_heartbeat: HEARTBEAT_MS,
      callback: (message) => {
        if (message.redelivered) eventsRedelivered.inc();
        if (this.arrived.length === 0) this.headSinceMs = performance.now();
        this.arrived.push(message);
        this.wakeSignal.wake();
      },
    });
    void this.watchPull(messages, (reason) => {
      lost = reason;
      this.wakeSignal.wake();
    });
    try {
      while (!this.stopped) {
        if (lost !== null) throw new Error(lost);
        const waitMs = this.arrived.length === 0 ? HEARTBEAT_MS : this.retryAtMs - performance.now();
        if (waitMs > 0) await this.wakeSignal.pause(waitMs);
        else await this.handleBatch();
      }
    } finally {
      messages.stop();
    }
    while (this.arrived.length > 0 && (await this.handleBatch()));
  }

  /**
   * Handles the oldest messages; false when the handler failed. They stay at the head until it has taken them, so that
   * nothing overtakes them. (Handing them back by `nak` mixes them up: a server 2.9 without a pull in wait forgets one
   * until its ack wait is over, and repeats another.)
   */
  private async handleBatch(): Promise<boolean> {
    const batch = this.nextBatch();
    let taken = 0;
    try {
      taken = await this.intake.take(batch.flatMap(readMessage), () => this.keepInHand());
    } catch (error) {
      eventBatchesFailed.inc();
      this.failure = error instanceof Error ? error.message : String(error);
      log.warn(
        { consumer: this.options.durable, messages: batch.length, ...errorFields(error) },
        'events not taken',
      );
      this.retryAtMs = performance.now() + RETRY_PAUSE_MS;
      this.keepInHand();
      return false;
    }
    for (const message of batch) message.ack();
    eventsTaken.inc(taken);
    this.arrived.splice(0, batch.length);
    this.headSinceMs = performance.now();
    this.failure = null;
    return true;
  }

  /** Starts the ack wait again, so that the broker does not hand the messages to another replica meanwhile. */
  private keepInHand(): void {
    for (const message of this.arrived) message.working();
  }

  /** The oldest messages, at least one: so many events that a handler can take them in one statement. */
  private nextBatch(): JsMsg[] {
    let bytes = 0;
    const end = this.arrived.findIndex(({ data }) => (bytes += data.length) > MAX_BATCH_BYTES);
    return this.arrived.slice(0, end === -1 ? this.arrived.length : Math.max(1, end));
  }

  /** A wiped store shows as missed heartbeats or as a deleted consumer: the caller makes both again. */
  private async watchPull(messages: ConsumerMessages, lost: (reason: string) => void): Promise<void> {
    for await (const status of await messages.status()) {
      const missed = status.type === ConsumerEvents.HeartbeatsMissed && Number(status.data) >= 3;
      const deleted =
        status.type === ConsumerEvents.ConsumerDeleted ||
        status.type === ConsumerEvents.ConsumerNotFound ||
        status.type === ConsumerEvents.StreamNotFound;
      if (missed || deleted) lost(`lost the consumer: ${status.type}`);
    }
  }

  private async ensureConsumer(manager: JetStreamManager): Promise<void> {
    const { durable, filterSubject } = this.options;
    if (await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, durable))) return;
    await manager.consumers.add(EVENTS_STREAM, {
      durable_name: durable,
      filter_subject: filterSubject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
      max_deliver: -1,
      max_ack_pending: 2_000,
    });
  }
}
