import type { JetStreamManager, NatsConnection } from 'nats';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { observeStream } from '@offizin/bus/bus-metrics';
import { EVENTS_STREAM } from './event-stream';
import { infoOrNull } from '@offizin/bus/connection';
import { eventConsumers } from './unknown-events';

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
