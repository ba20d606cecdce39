import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from './version';

/**
 * Metrics of this process, named after the Prometheus conventions; served on the management port. What only one part of
 * a process counts is defined beside that part; all of it ends in this registry. Labels have few values, known
 * beforehand: never an id, an organization, an address.
 */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: 'offizin_' });

/** From a cached read to a request that runs into its time limit. */
export const REQUEST_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export const operationDuration = new Histogram({
  name: 'offizin_operation_duration_seconds',
  help: 'Time from receiving an operation at its owner to the answer, by operation and status',
  labelNames: ['operation', 'status'] as const,
  buckets: REQUEST_BUCKETS_SECONDS,
  registers: [registry],
});

export const eventsPublished = new Counter({
  name: 'offizin_outbox_events_published_total',
  help: 'Events of the outbox that the broker acknowledged',
  registers: [registry],
});

export const outboxRowsRefused = new Counter({
  name: 'offizin_outbox_rows_refused_total',
  help: 'Rows of the outbox that were set aside, because they can never be published',
  registers: [registry],
});

/** `service` is the one that was called, `via` the way: bus or http. */
export const unreachableCalls = new Counter({
  name: 'offizin_unreachable_calls_total',
  help: 'Calls of another service that found it away or got no answer in time',
  labelNames: ['service', 'via'] as const,
  registers: [registry],
});

export const periodicWorkFailures = new Counter({
  name: 'offizin_periodic_work_failures_total',
  help: 'Rounds of background work that failed and are tried again',
  labelNames: ['work'] as const,
  registers: [registry],
});

export const unhandledRejections = new Counter({
  name: 'offizin_unhandled_rejections_total',
  help: 'Rejections that nobody awaited: a defect of ours each time',
  registers: [registry],
});

export const droppedLogLines = new Counter({
  name: 'offizin_log_lines_dropped_total',
  help: 'Log lines that could not be written, because the disk or the reader of the log took none',
  registers: [registry],
});

const buildInfo = new Gauge({
  name: 'offizin_build_info',
  help: 'Always 1; the labels say what is running',
  labelNames: ['version', 'node_version'] as const,
  registers: [registry],
});

/** Every metric of the process says of which app it is, so that no dashboard depends on how it was scraped. */
export function nameProcess(app: string): void {
  registry.setDefaultLabels({ app });
  buildInfo.set({ version: VERSION, node_version: process.versions.node }, 1);
}
