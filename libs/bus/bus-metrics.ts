import type { NatsConnection } from 'nats';
import { Counter, Gauge } from 'prom-client';
import { registry } from '@offizin/runtime/metrics';
import { liveGauge, sampleGauges } from '@offizin/runtime/sampled-gauges';

export const busDisconnects = new Counter({
  name: 'offizin_bus_disconnects_total',
  help: 'Times that the connection to the broker was lost',
  registers: [registry],
});

export const untrustedCalls = new Counter({
  name: 'offizin_untrusted_calls_total',
  help: 'Calls that were refused: no inbox of a known process, no valid signature, too late, or no right of the sender',
  labelNames: ['why'],
  registers: [registry],
});

export const eventsTaken = new Counter({
  name: 'offizin_events_taken_total',
  help: 'Events of the stream that were handled and acknowledged',
  registers: [registry],
});

export const eventsRedelivered = new Counter({
  name: 'offizin_event_messages_redelivered_total',
  help: 'Messages of events that the broker handed over again, because nobody acknowledged them in time',
  registers: [registry],
});

export const eventBatchesFailed = new Counter({
  name: 'offizin_event_batches_failed_total',
  help: 'Batches of events that were not taken and are tried again',
  registers: [registry],
});

export const deadLetters = new Counter({
  name: 'offizin_dead_letters_total',
  help: 'Messages and parts of them that were set aside, because they can never be taken',
  registers: [registry],
});

export const repliesTooLarge = new Counter({
  name: 'offizin_bus_replies_too_large_total',
  help: 'Replies that were longer than a message may be; their callers got a 500 that says so',
  labelNames: ['operation'],
  registers: [registry],
});

export const busConnected = new Gauge({
  name: 'offizin_bus_connected',
  help: '1 while the process is connected to the broker',
  registers: [registry],
});

/** How far a durable consumer is behind. Every replica has the same figures, except for the age of the oldest message in hand. */
export function observeConsumer(
  connection: NatsConnection,
  stream: string,
  durable: string,
  headAgeSeconds: () => number,
): void {
  liveGauge(
    'offizin_consumer_head_age_seconds',
    'Time for which the oldest message in hand has not been taken; 0 without one',
    headAgeSeconds,
  );
  const ask = async () => {
    const manager = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
    return manager.consumers.info(stream, durable);
  };
  sampleGauges('consumer', ask, [
    {
      name: 'offizin_consumer_pending_messages',
      help: 'Messages of the stream, each with up to 64 events, that the consumer was not handed yet',
      value: (info) => info.num_pending,
    },
    {
      name: 'offizin_consumer_unacknowledged_messages',
      help: 'Messages that the consumer was handed and has not acknowledged',
      value: (info) => info.num_ack_pending,
    },
    {
      name: 'offizin_consumer_redelivered_messages',
      help: 'Of the messages not acknowledged, those that were handed over more than once',
      value: (info) => info.num_redelivered,
    },
  ]);
}

/** How full the stream is; the same figure in every replica. */
export function observeStream(connection: NatsConnection, stream: string): void {
  const ask = async () => {
    const manager = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
    return manager.streams.info(stream);
  };
  sampleGauges('stream', ask, [
    {
      name: 'offizin_event_stream_filled_ratio',
      help: 'Bytes in the stream of events, of what it may hold; near 1 it refuses further events',
      value: ({ state, config }) => (config.max_bytes > 0 ? state.bytes / config.max_bytes : null),
    },
  ]);
}
