import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Metrics of this process, named after the Prometheus conventions; served on the management port. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: 'offizin_' });

export const operationDuration = new Histogram({
  name: 'offizin_operation_duration_seconds',
  help: 'Time from receiving an operation to its answer, by operation and status',
  labelNames: ['operation', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

export const eventsPublished = new Counter({
  name: 'offizin_outbox_events_published_total',
  help: 'Events of the outbox that the broker acknowledged',
  registers: [registry],
});
