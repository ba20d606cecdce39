import type { NatsConnection } from 'nats';
import { Counter, Gauge } from 'prom-client';
import { liveGauge, sampleGauges } from '@offizin/runtime/sampled-gauges';

export const busDisconnects = new Counter({
  name: 'offizin_bus_disconnects_total',
  help: 'Times that the connection to the broker was lost',
});

export const untrustedCalls = new Counter({
  name: 'offizin_untrusted_calls_total',
  help: 'Refused calls: no reply subject of a known process, no valid signature, too late, or sender without the right',
  labelNames: ['why'],
});
// Starts at 0: `increase` ignores a series that begins at 1, and one such call is an incident.
for (const why of ['no inbox', 'unauthorized', 'insufficient_scope', 'invalid_request'])
  untrustedCalls.inc({ why }, 0);

export const eventsTaken = new Counter({
  name: 'offizin_events_taken_total',
  help: 'Events of the stream that were handled and acknowledged',
});

export const eventsRedelivered = new Counter({
  name: 'offizin_event_messages_redelivered_total',
  help: 'Messages of events that the broker redelivered because they were not acknowledged in time',
});

export const eventBatchesFailed = new Counter({
  name: 'offizin_event_batches_failed_total',
  help: 'Batches of events that failed and are retried',
});

export const deadLetters = new Counter({
  name: 'offizin_dead_letters_total',
  help: 'Messages, or parts of them, that were set aside because they can never be processed',
});

export const repliesTooLarge = new Counter({
  name: 'offizin_bus_replies_too_large_total',
  help: 'Replies that exceeded the size of a message; their callers got a 500 that names the size',
  labelNames: ['operation'],
});

export const busConnected = new Gauge({
  name: 'offizin_bus_connected',
  help: '1 while the process is connected to the broker',
});

export function observeConsumer(
  connection: NatsConnection,
  stream: string,
  durable: string,
  headAgeSeconds: () => number,
): void {
  liveGauge(
    'offizin_consumer_head_age_seconds',
    'Age of the oldest message that was received and not yet handled; 0 without one',
    headAgeSeconds,
  );
  const ask = async () => {
    const manager = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
    return manager.consumers.info(stream, durable);
  };
  sampleGauges('consumer', ask, [
    {
      name: 'offizin_consumer_pending_messages',
      help: 'Messages of the stream, each with up to 64 events, not yet delivered to the consumer',
      value: (info) => info.num_pending,
    },
    {
      name: 'offizin_consumer_unacknowledged_messages',
      help: 'Messages that were delivered to the consumer and not acknowledged',
      value: (info) => info.num_ack_pending,
    },
    {
      name: 'offizin_consumer_redelivered_messages',
      help: 'Messages not acknowledged that were delivered more than once',
      value: (info) => info.num_redelivered,
    },
  ]);
}

export function observeStream(connection: NatsConnection, stream: string): void {
  const ask = async () => {
    const manager = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
    return manager.streams.info(stream);
  };
  sampleGauges('stream', ask, [
    {
      name: 'offizin_event_stream_filled_ratio',
      help: 'Bytes in the stream of events, relative to its limit; near 1 it refuses further events',
      value: ({ state, config }) => (config.max_bytes > 0 ? state.bytes / config.max_bytes : null),
    },
  ]);
}
