import type { JetStreamManager, NatsConnection } from 'nats';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import type { EventTopic } from '@offizin/contracts/webhooks/events';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { newRequestId } from '@offizin/runtime/request-id';
import type { Bus } from '@offizin/bus/bus';
import { infoOrNull } from '@offizin/bus/connection';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { observeStream } from '@offizin/bus/bus-metrics';
import { EVENTS_STREAM } from './event-stream';

/** A new consumer must be added here, or rows are deleted before it received them. */
const CONSUMERS: Record<EventTopic, ServiceName[]> = {
  plain: ['webhook-worker'],
  stock: ['webhook-worker', 'catalog'],
  audit: ['order-core'],
};

export const eventConsumers: readonly ServiceName[] = [...new Set(Object.values(CONSUMERS).flat())];

export async function eventsUnknownTo(
  bus: Bus,
  asker: ServiceName,
  topic: EventTopic,
  ids: string[],
): Promise<string[]> {
  const caller = serviceCaller(asker, newRequestId());
  const answers = await Promise.all(
    CONSUMERS[topic].map((consumer) => bus.call(unknownEvents(consumer), caller, { ids })),
  );
  return [...new Set(answers.flatMap((answer) => answer.ids))];
}

/** With more pending messages, an unknown event is probably in transit. */
const MANY_MESSAGES = 50;

type Ask = (topic: EventTopic, ids: string[]) => Promise<string[]>;

/**
 * `lost` rejects while a consumer of the topic is behind, so that events in transit are not published again (decision
 * 0027).
 */
export function relayQuestions(connection: NatsConnection, unknown: Ask): { unknown: Ask; lost: Ask } {
  return {
    unknown,
    lost: async (topic, ids) => {
      const manager = await connection.jetstreamManager({ timeout: 5_000, checkAPI: false });
      for (const consumer of CONSUMERS[topic]) {
        const info = await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, consumer));
        if (!info || info.num_pending + info.num_ack_pending > MANY_MESSAGES)
          throw new Error(`${consumer} is behind`);
      }
      return unknown(topic, ids);
    },
  };
}

/** Shorter than the smallest stream takes to fill. */
const PAUSE_MS = 5_000;
/** Below this share, consumed messages stay readable for inspection. */
const TRIM_FROM_SHARE = 0.5;

/**
 * Keeps the stream EVENTS from filling up (decision 0027). Runs in each replica of order-core; a purge is idempotent.
 */
export function eventStreamTrimming(connection: NatsConnection): PeriodicWork {
  observeStream(connection, EVENTS_STREAM);
  return new PeriodicWork('trim the event stream', PAUSE_MS, () => trimEventStream(connection));
}

/** Purges all messages before the first that some consumer has not acknowledged. */
export async function trimEventStream(connection: NatsConnection): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000, checkAPI: false });
  const stream = await infoOrNull(() => manager.streams.info(EVENTS_STREAM));
  if (!stream || stream.config.max_bytes <= 0) return;
  // Read after the stream's state, so a consumer without pending messages has taken all of it. Read always, so that a
  // missing permission shows early.
  const taken = await Promise.all(eventConsumers.map((name) => takenBy(manager, name)));
  if (stream.state.bytes < stream.config.max_bytes * TRIM_FROM_SHARE) return;
  const upTo = Math.min(stream.state.last_seq, ...taken);
  if (upTo < stream.state.first_seq) return;
  const { purged } = await manager.streams.purge(EVENTS_STREAM, { seq: upTo + 1 });
  log.info(
    { stream: EVENTS_STREAM, messages: purged },
    'purged messages that every consumer has acknowledged',
  );
}

/**
 * Stream sequence up to which the consumer lacks nothing; 0 while it does not exist. `ack_floor` counts only messages
 * that match the filter, hence the test for pending ones.
 */
async function takenBy(manager: JetStreamManager, consumer: string): Promise<number> {
  const info = await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, consumer));
  if (!info) return 0;
  const lacksNothing = info.num_pending === 0 && info.num_ack_pending === 0;
  return lacksNothing ? Infinity : info.ack_floor.stream_seq;
}
