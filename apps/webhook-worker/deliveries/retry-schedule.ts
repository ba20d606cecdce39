/**
 * Decides what follows an attempt: success, retry at a time, failure, or the end of the subscription.
 * Pure: time and randomness are arguments.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Wait after the first, second, … failed attempt: about three days in total. */
export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
export const MAX_ATTEMPTS = RETRY_WAITS_MS.length + 1;
/** Jitter in both directions, as a share of the wait: deliveries that failed together are not retried together. */
const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

export interface Attempt {
  /** 1 for the first. */
  attemptNumber: number;
  /** `no_answer`: any failure to get an answer. */
  outcome: { status: number; retryAfter?: string } | 'no_answer';
  nowMs: number;
  /** Uniform in [0, 1), as Math.random. */
  random: () => number;
}

export type AfterAttempt =
  | { kind: 'succeeded' }
  | { kind: 'retry'; atMs: number }
  /** The last attempt failed; only a manual redelivery follows. */
  | { kind: 'failed' }
  /** 410: the subscription ends. */
  | { kind: 'gone' };

/** 2xx succeeds, 410 ends the subscription, everything else (redirects included) is retried. */
export function afterAttempt({ attemptNumber, outcome, nowMs, random }: Attempt): AfterAttempt {
  const status = outcome === 'no_answer' ? undefined : outcome.status;
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'succeeded' };
  if (status === 410) return { kind: 'gone' };

  const waitMs = RETRY_WAITS_MS[attemptNumber - 1];
  if (waitMs === undefined) return { kind: 'failed' };
  const scheduledWaitMs = waitMs * (1 - JITTER + 2 * JITTER * random());
  // The later of both: a receiver can delay a retry, never bring it forward.
  const atMs = nowMs + Math.max(scheduledWaitMs, requestedWaitMs(outcome, nowMs));
  return { kind: 'retry', atMs: Math.round(atMs) };
}

/** Wait from Retry-After on 429 and 503, at most 24 h; 0 if missing or invalid. */
function requestedWaitMs(outcome: Attempt['outcome'], nowMs: number): number {
  if (outcome === 'no_answer' || (outcome.status !== 429 && outcome.status !== 503)) return 0;
  const waitMs = retryAfterMs(outcome.retryAfter?.trim() ?? '', nowMs);
  return Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

/** RFC 9110, section 10.2.3: seconds, or a date in one of the three forms of section 5.6.7 (always GMT). */
function retryAfterMs(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  // The form is checked first: Date.parse accepts nearly anything, such as "tomorrow 3".
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]{15,40}$/.test(text)) return 0;
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
