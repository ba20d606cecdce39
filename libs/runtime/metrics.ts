import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import { VERSION } from './version';

/** Labels have few, fixed values: never an id, an organization or an address. */
export { register };
collectDefaultMetrics({ prefix: 'offizin_' });

export const REQUEST_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export const operationDuration = new Histogram({
  name: 'offizin_operation_duration_seconds',
  help: 'Time from receiving an operation at its owner to the answer, by operation and status',
  labelNames: ['operation', 'status'] as const,
  buckets: REQUEST_BUCKETS_SECONDS,
});

export const eventsPublished = new Counter({
  name: 'offizin_outbox_events_published_total',
  help: 'Outbox events that the broker acknowledged',
});

export const outboxRowsRefused = new Counter({
  name: 'offizin_outbox_rows_refused_total',
  help: 'Outbox rows set aside because they can never be published',
});

export const unreachableCalls = new Counter({
  name: 'offizin_unreachable_calls_total',
  help: 'Calls of another service that was unavailable or did not answer in time',
  labelNames: ['service', 'via'] as const,
});

export const periodicWorkFailures = new Counter({
  name: 'offizin_periodic_work_failures_total',
  help: 'Rounds of background work that failed and are retried',
  labelNames: ['work'] as const,
});

export const unhandledRejections = new Counter({
  name: 'offizin_unhandled_rejections_total',
  help: 'Unhandled promise rejections; each is a defect in our code',
});

export const droppedLogLines = new Counter({
  name: 'offizin_log_lines_dropped_total',
  help: 'Log lines dropped because the disk or the reader of the log accepted none',
});

const buildInfo = new Gauge({
  name: 'offizin_build_info',
  help: 'Always 1; the labels name the running versions',
  labelNames: ['version', 'node_version'] as const,
});

export function nameProcess(app: string): void {
  register.setDefaultLabels({ app });
  buildInfo.set({ version: VERSION, node_version: process.versions.node }, 1);
}
