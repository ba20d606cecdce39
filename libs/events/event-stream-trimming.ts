import type { JetStreamManager, NatsConnection } from 'nats';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { observeStream } from '@offizin/bus/bus-metrics';
import { EVENTS_STREAM } from './event-stream';
import { infoOrNull } from '@offizin/bus/jetstream';
import { eventConsumers } from './unknown-events';

/** A stream of 16 MiB, the smallest, takes some seconds to fill at the highest rate of orders. */
const PAUSE_MS = 5_000;
/** Below it, what was taken stays readable for whoever looks into a case, until it is 72 hours old. */
const TRIM_FROM_SHARE = 0.5;

/**
 * Keeps the stream EVENTS from filling up with what everyone has taken. It refuses what it has no room for (`discard: new`),
 * so that a full one stops every event until old ones are 72 hours old: 1.5 million orders within that time fill it.
 * For the one service that may change the stream, once per process; beside each other, its replicas do the same. Among
 * the metrics it tells how full the stream is.
 */
export function eventStreamTrimming(connection: NatsConnection): PeriodicWork {
  observeStream(connection, EVENTS_STREAM);
  return new PeriodicWork('trim the event stream', PAUSE_MS, () => trimEventStream(connection));
}

/** Removes what all consumers have acknowledged, if the stream is half full; what one of them lacks stays. */
export async function trimEventStream(connection: NatsConnection): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000, checkAPI: false });
  const stream = await infoOrNull(() => manager.streams.info(EVENTS_STREAM));
  if (!stream || stream.config.max_bytes <= 0) return;
  // The consumers are asked later than the stream: one that then lacks nothing has taken all that was in it. And always,
  // so that a right which the broker does not give is told long before the stream is full.
  const taken = await Promise.all(eventConsumers.map((name) => takenBy(manager, name)));
  if (stream.state.bytes < stream.config.max_bytes * TRIM_FROM_SHARE) return;
  const upTo = Math.min(stream.state.last_seq, ...taken);
  if (upTo < stream.state.first_seq) return;
  const { purged } = await manager.streams.purge(EVENTS_STREAM, { seq: upTo + 1 });
  log.info({ stream: EVENTS_STREAM, messages: purged }, 'removed what every consumer has taken');
}

/**
 * Sequence of the last message before which the consumer lacks nothing; 0 while it does not exist. Its acknowledgements
 * tell only of messages that concern it: a stream without records for the audit log leaves order-core's at 0.
 */
async function takenBy(manager: JetStreamManager, consumer: string): Promise<number> {
  const info = await infoOrNull(() => manager.consumers.info(EVENTS_STREAM, consumer));
  if (!info) return 0;
  const lacksNothing = info.num_pending === 0 && info.num_ack_pending === 0;
  return lacksNothing ? Infinity : info.ack_floor.stream_seq;
}
