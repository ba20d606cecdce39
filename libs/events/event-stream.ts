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
import { WakeSignal } from '@offizin/runtime/periodic-work';
import { errorFields, log } from '@offizin/runtime/log';
import {
  eventBatchesFailed,
  eventsRedelivered,
  eventsTaken,
  observeConsumer,
} from '@offizin/bus/bus-metrics';
import { infoOrNull, makesStreamsAt, matchReplicas, streamReplicasAt } from '@offizin/bus/connection';
import { readMessage } from './event-message';
import { EventIntake, type EventIntakeOptions } from './event-intake';

/**
 * Transports every committed event; it may be deleted at any time, and the outboxes fill it again. `discard: new`,
 * because `old` drops messages silently. `retention: limits`, because work queues forget deduplication ids. NATS 2.9
 * may still drop the oldest message of a full stream; the outbox has it.
 */
export const EVENTS_STREAM = 'EVENTS';
const SUBJECTS = ['events.>', 'audit.>'];
const MAX_AGE_MS = 72 * 3600 * 1000;
/** Tried in this order, until one fits on the broker's disk. */
const MAX_BYTES = [1024, 128, 16].map((mebibytes) => mebibytes * 1024 * 1024);
const NANOS_PER_MS = 1_000_000;
const NANOS_PER_SECOND = 1_000 * NANOS_PER_MS;

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
  if (!makesStreamsAt(connection))
    throw new Error('the stream EVENTS does not exist yet; order-core creates it');
  for (const maxBytes of MAX_BYTES) {
    try {
      await manager.streams.add({ ...config, max_bytes: maxBytes });
      return;
    } catch (error) {
      if (maxBytes === MAX_BYTES.at(-1) || !isWithoutRoom(error)) throw error;
      log.warn(
        { stream: EVENTS_STREAM, max_bytes: maxBytes },
        'the broker has no space for a stream of this size',
      );
    }
  }
}

/**
 * JetStream error codes: insufficient storage resources, insufficient resources, and a stream that cannot store now.
 */
export function isWithoutRoom(error: unknown): boolean {
  return error instanceof NatsError && [10_047, 10_023, 10_077].includes(error.api_error?.err_code ?? 0);
}

export async function prepareEventStream(connection: NatsConnection): Promise<void> {
  await ensureEventStream(connection);
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const { config } = await manager.streams.info(EVENTS_STREAM);
  // An existing stream may lack a subject; publishing on it would find no stream.
  const lacksOne = SUBJECTS.some((subject) => !config.subjects.includes(subject));
  if (lacksOne) await manager.streams.update(EVENTS_STREAM, { subjects: SUBJECTS });
  await matchReplicas(connection, EVENTS_STREAM);
}

export interface EventConsumerOptions extends EventIntakeOptions {
  /** Durable name; all replicas of a service share it. */
  durable: string;
  /** Until the broker sends a message again that was not acknowledged. Default 30. */
  ackWaitSeconds?: number;
  filterSubject: string;
}

/** Prefetched messages. */
const MAX_IN_HAND_MESSAGES = 100;
const MAX_BATCH_BYTES = 512 * 1024;
const ACK_WAIT_SECONDS = 30;
const RETRY_PAUSE_MS = 1_000;
const HEARTBEAT_MS = 1_000;
/** Readiness reports a head that is older. */
const SLOW_HEAD_SECONDS = 10;

/**
 * A durable consumer. A wiped stream is created again, a failed batch is retried, an unreadable message is set aside.
 * Deliveries are unlimited, so no message is dropped.
 */
export class EventConsumer {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  /** Received messages that are not handled yet. */
  private arrived: JsMsg[] = [];
  /** By performance.now(). */
  private headSinceMs = 0;
  /** Null after a success. */
  private failure: string | null = null;
  private readonly intake: EventIntake;
  /** By performance.now(): no batch is handled before. */
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

  /** Call once per process. */
  observe(): void {
    observeConsumer(this.connection, EVENTS_STREAM, this.options.durable, () => this.headAgeSeconds());
  }

  /** For readiness: why the oldest message is not handled, or null. */
  notice(): Promise<string | null> {
    const age = this.headAgeSeconds();
    if (age < SLOW_HEAD_SECONDS) return Promise.resolve(null);
    const cause = this.failure ?? 'its handler has not answered';
    return Promise.resolve(`the oldest message has not moved for ${Math.round(age)} s: ${cause}`);
  }

  private headAgeSeconds(): number {
    return this.arrived.length === 0 ? 0 : (performance.now() - this.headSinceMs) / 1_000;
  }

  /** Handles what has arrived; when a batch fails, the broker redelivers the rest to another replica. */
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
   * Failed messages stay at the head, so that no later one overtakes them. `nak` would lose the order in NATS 2.9: it
   * repeats a message late.
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

  /** Restarts the ack wait, so that the broker does not redeliver to another replica. */
  private keepInHand(): void {
    for (const message of this.arrived) message.working();
  }

  private nextBatch(): JsMsg[] {
    let bytes = 0;
    const end = this.arrived.findIndex(({ data }) => (bytes += data.length) > MAX_BATCH_BYTES);
    return this.arrived.slice(0, end === -1 ? this.arrived.length : Math.max(1, end));
  }

  /** A wiped store shows as missed heartbeats or a deleted consumer. */
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
    const { durable, filterSubject, ackWaitSeconds = ACK_WAIT_SECONDS } = this.options;
    if (await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, durable))) return;
    await manager.consumers.add(EVENTS_STREAM, {
      durable_name: durable,
      filter_subject: filterSubject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ackWaitSeconds * NANOS_PER_SECOND,
      max_deliver: -1,
      max_ack_pending: 2_000,
    });
  }
}
