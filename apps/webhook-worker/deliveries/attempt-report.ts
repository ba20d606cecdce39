import { Counter, Gauge, Histogram } from 'prom-client';
import { DISABLED_REASONS } from '@offizin/contracts/webhooks/webhooks';
import { log } from '@offizin/runtime/log';
import { traceIdOf } from '@offizin/runtime/tracing';
import type { Attempted } from './attempt';
import type { LeasedDelivery } from './leases.store';

const attemptDuration = new Histogram({
  name: 'offizin_webhook_attempt_duration_seconds',
  help: 'Time of one attempt, by what follows it: succeeded, retry, failed, gone',
  labelNames: ['outcome'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

export const requestsInFlight = new Gauge({
  name: 'offizin_webhook_requests_in_flight',
  help: 'Webhook requests in flight',
});

export const attemptFailures = new Counter({
  name: 'offizin_webhook_attempt_failures_total',
  help: 'Attempts without success: the kind of failure (libs/egress/failure.ts), or the class of the status',
  labelNames: ['reason'] as const,
});

export const subscriptionsSwitchedOff = new Counter({
  name: 'offizin_webhook_subscriptions_switched_off_total',
  help: 'Subscriptions that the service switched off',
  labelNames: ['reason'] as const,
});
// Starts at 0: alert rules cannot see the first increase of a counter that did not exist.
for (const reason of Object.keys(DISABLED_REASONS)) subscriptionsSwitchedOff.inc({ reason }, 0);

/** `row`: subscription or delivery. */
export const refusedRows = new Counter({
  name: 'offizin_webhook_refused_rows_total',
  help: 'Subscriptions and deliveries with a value that the database refuses; others are not affected',
  labelNames: ['row'] as const,
});
for (const row of ['subscription', 'delivery']) refusedRows.inc({ row }, 0);

export function reportAttempt(delivery: LeasedDelivery, attempted: Attempted): void {
  logAttempt(delivery, attempted);
  countAttempt(attempted);
}

function countAttempt({ result, decision }: Attempted): void {
  attemptDuration.observe({ outcome: decision }, result.durationMs / 1000);
  if (decision === 'succeeded') return;
  const reason = result.failure ?? `status_${Math.floor((result.statusCode ?? 0) / 100)}xx`;
  attemptFailures.inc({ reason });
}

/** One wide line per attempt: ids, status, duration. No url (it may hold a token), no body, no answer. */
function logAttempt(delivery: LeasedDelivery, { result, decision }: Attempted): void {
  const line = {
    delivery_id: delivery.id,
    subscription_id: delivery.subscription_id,
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    trace_id: traceIdOf(delivery.traceparent),
    org_id: delivery.org_id,
    attempt: delivery.attempt_count + 1,
    outcome: decision,
    status: result.statusCode,
    failure: result.failure,
    duration_ms: result.durationMs,
  };
  log.info(
    decision === 'retry' ? { ...line, retry_in_ms: Math.round(result.waitMs) } : line,
    'delivery attempt',
  );
}
