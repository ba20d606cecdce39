import { randomUUID } from 'node:crypto';
import type { AccessToken } from './access-token';

/** How often and how long a request is tried. */
export interface RetryOptions {
  /** Attempts beyond the first; default 4. */
  maxRetries: number;
  /** Longest wait between two attempts in ms; default 30,000. A longer Retry-After is not waited for. */
  maxWaitMs: number;
}

const FIRST_WAIT_MS = 250;
/** The request did not happen, or may not have: 429 was refused, 502 to 504 and a broken connection are unknown. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/**
 * Sends a request with the token, and again where that is safe: GET, PUT, PATCH and DELETE may be repeated by their
 * nature, a POST because it carries an Idempotency-Key, which is made here unless the caller set one. A 401 renews the
 * token once.
 */
export async function sendWithRetries(
  request: Request,
  token: AccessToken,
  send: typeof fetch,
  { maxRetries, maxWaitMs }: RetryOptions,
): Promise<Response> {
  const headers = new Headers(request.headers);
  if (request.method === 'POST' && !headers.has('idempotency-key'))
    headers.set('idempotency-key', randomUUID());
  let renewed = false;
  for (let attempt = 0; ; attempt++) {
    headers.set('authorization', `Bearer ${await token.get()}`);
    const outcome = await sendOnce(new Request(request.clone(), { headers }), send);
    if (outcome instanceof Response && outcome.status === 401 && !renewed) {
      renewed = true;
      token.forget();
      continue;
    }
    const waitMs = attempt < maxRetries && mayRetry(outcome) ? waitBefore(outcome, attempt) : null;
    if (waitMs === null || waitMs > maxWaitMs) {
      if (outcome instanceof Response) return outcome;
      throw outcome.error;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

type Outcome = Response | { error: unknown };

async function sendOnce(request: Request, send: typeof fetch): Promise<Outcome> {
  try {
    return await send(request);
  } catch (error) {
    return { error };
  }
}

function mayRetry(outcome: Outcome): boolean {
  if (!(outcome instanceof Response)) return !isAbort(outcome.error);
  if (RETRIED_STATUSES.has(outcome.status)) return true;
  // The one 409 with Retry-After: the first try of this very request is still running, and its answer is available soon.
  return outcome.status === 409 && outcome.headers.has('retry-after');
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Retry-After when the server names it, else twice as long each time, with a random part so that callers spread. */
function waitBefore(outcome: Outcome, attempt: number): number {
  const seconds =
    outcome instanceof Response ? Number(outcome.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  if (Number.isFinite(seconds)) return seconds * 1000;
  return FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2);
}
