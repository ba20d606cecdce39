import type { WebhookEvent } from '@offizin/contracts/webhooks/events';
import { KEPT_ANSWER_BYTES } from '@offizin/contracts/webhooks/webhooks';
import type { EgressAnswer } from '@offizin/egress/exchange';
import { EgressFailure, type FailureKind } from '@offizin/egress/failure';
import type { Egress } from '@offizin/egress/send';
import { errorFields, log } from '@offizin/runtime/log';
import { type OpenSpan, traced } from '@offizin/runtime/tracing';
import type { LeasedDelivery } from './leases.store';
import type { AttemptResult } from './results.store';
import { type AfterAttempt, afterAttempt } from './retry-schedule';
import { signedHeaders } from './signature';
import type { Target } from './targets.store';

/**
 * Read limit of an answer, above the stored size: a longer answer costs its connection, and error pages often have a
 * few KiB.
 */
const READ_ANSWER_BYTES = 8 * 1024;

export interface Attempted {
  result: AttemptResult;
  decision: AfterAttempt['kind'];
}

export interface AttemptOptions {
  leaseToken: string;
  timeoutMs: number;
  /** Time of the lease by performance.now(). */
  leasedAtMs: number;
}

/**
 * The current time by the database's clock, for signatures, `Retry-After` dates and attempt times. If this process had
 * a wrong clock, subscribers would refuse the signatures and retries would be hours late.
 */
function databaseTimeMs({ leased_at_ms }: LeasedDelivery, { leasedAtMs }: AttemptOptions): number {
  return leased_at_ms + performance.now() - leasedAtMs;
}

/** Sends a delivery once. Never rejects: a missing answer is also a result. */
export async function attemptDelivery(
  egress: Egress,
  delivery: LeasedDelivery,
  target: Target,
  options: AttemptOptions,
): Promise<Attempted> {
  const { leaseToken, timeoutMs } = options;
  const startedAtMs = databaseTimeMs(delivery, options);
  if (!hasBody(delivery)) return withoutEvent(delivery, leaseToken, startedAtMs);
  const outcome = await sendTraced(egress, delivery, target, { startedAtMs, timeoutMs });
  const nowMs = databaseTimeMs(delivery, options);
  const after = afterAttempt({
    attemptNumber: delivery.attempt_count + 1,
    outcome: outcome.answer
      ? { status: outcome.answer.status, retryAfter: outcome.answer.headers['retry-after'] }
      : 'no_answer',
    nowMs,
    random: Math.random,
  });
  const result: AttemptResult = {
    deliveryId: delivery.id,
    subscriptionId: delivery.subscription_id,
    leaseToken,
    status: STATUS_AFTER[after.kind],
    waitMs: after.kind === 'retry' ? after.atMs - nowMs : 0,
    startedAt: new Date(startedAtMs),
    durationMs: outcome.durationMs,
    statusCode: outcome.answer?.status ?? null,
    failure: outcome.failure,
    answer: outcome.answer && !isCallback(delivery) ? storableText(outcome.answer.body) : null,
  };
  return { result, decision: after.kind };
}

/** Its receiver may repeat patient data, which no erasure would find in the answer. */
function isCallback({ integration_id }: LeasedDelivery): boolean {
  return integration_id !== null;
}

type Sendable = LeasedDelivery & { body: string };

function hasBody(delivery: LeasedDelivery): delivery is Sendable {
  return delivery.body !== null;
}

/** Fails immediately: a retry would find no event either and would block the queue. */
function withoutEvent(
  { id, subscription_id }: LeasedDelivery,
  leaseToken: string,
  startedAtMs: number,
): Attempted {
  const result: AttemptResult = {
    deliveryId: id,
    subscriptionId: subscription_id,
    leaseToken,
    status: 'failed',
    waitMs: 0,
    startedAt: new Date(startedAtMs),
    durationMs: 0,
    statusCode: null,
    failure: 'event_gone',
    answer: null,
  };
  return { result, decision: 'failed' };
}

const STATUS_AFTER = { succeeded: 'succeeded', retry: 'pending', failed: 'failed', gone: 'failed' } as const;

interface SendOutcome {
  answer: EgressAnswer | null;
  failure: FailureKind | null;
  durationMs: number;
}

/** Adds a span to the trace of the event, without the URL, which may contain a token. */
async function sendTraced(...[egress, delivery, target, moment]: SendArguments): Promise<SendOutcome> {
  const { traceparent: parent } = delivery;
  if (parent === null) return send(egress, delivery, target, moment);
  const attributes = {
    'http.request.method': 'POST',
    'http.request.resend_count': delivery.attempt_count,
    'offizin.event_type': delivery.event_type,
    'offizin.delivery_id': delivery.id,
    'offizin.subscription_id': delivery.subscription_id,
  };
  return traced({ name: 'webhook POST', kind: 'client', attributes, parent }, async (span) => {
    const outcome = await send(egress, delivery, target, { ...moment, span });
    if (outcome.answer) span?.set({ 'http.response.status_code': outcome.answer.status });
    const failure = outcome.failure ?? (outcome.answer && outcome.answer.status >= 300 ? 'status' : null);
    if (failure !== null) span?.fail(failure);
    return outcome;
  });
}

/** `startedAtMs`: by the clock of the database. */
interface Moment {
  startedAtMs: number;
  timeoutMs: number;
}

type SendArguments = [egress: Egress, delivery: Sendable, target: Target, moment: Moment];

async function send(
  egress: Egress,
  delivery: Sendable,
  target: Target,
  { startedAtMs, timeoutMs, span = null }: Moment & { span?: OpenSpan | null },
): Promise<SendOutcome> {
  try {
    const headers = headersOf(delivery, target, startedAtMs);
    if (span !== null) headers['traceparent'] = span.traceparent;
    const answer = await egress.send({
      url: target.url,
      method: 'POST',
      headers,
      body: delivery.body,
      timeoutMs,
      maxResponseBytes: READ_ANSWER_BYTES,
    });
    return { answer, failure: null, durationMs: answer.durationMs };
  } catch (error) {
    if (error instanceof EgressFailure)
      return { answer: null, failure: error.kind, durationMs: error.durationMs };
    // Retried like any failure: a new secret or a repaired row may help.
    log.error({ delivery_id: delivery.id, ...errorFields(error) }, 'delivery cannot be sent');
    return { answer: null, failure: 'refused_by_policy', durationMs: 0 };
  }
}

/** Throws if the secret or the event type is invalid. */
function headersOf(
  delivery: Sendable,
  { secret, previousSecret }: Target,
  startedAtMs: number,
): Record<string, string> {
  const both = delivery.previous_secret_signs && previousSecret !== null;
  return signedHeaders({
    deliveryId: delivery.id,
    eventType: kindOf(delivery),
    body: delivery.body,
    secrets: both ? [secret, previousSecret] : [secret],
    // A partner that lost the answer with a callback's new secret asks for another: it never had the previous one.
    plainSecret: both && delivery.integration_id === null ? previousSecret : secret,
    nowSeconds: startedAtMs / 1000,
  });
}

/** A test event may contain the example of another kind, and to a partner a payment is an `order_status_updated`. */
function kindOf({ event_type: eventType, body }: Sendable): string {
  if (eventType !== 'webhook_test' && eventType !== 'order_payment_updated') return eventType;
  return (JSON.parse(body) as WebhookEvent).event_type;
}

/** The first KiB as text that PostgreSQL accepts: invalid UTF-8 and NUL become U+FFFD. */
export function storableText(bytes: Buffer): string {
  return bytes.subarray(0, KEPT_ANSWER_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
}
