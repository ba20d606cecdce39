import type { Deadline } from './deadline';
import { Connection, retryAfterSeconds } from './errors';

/** How often and how long a request is tried. */
export interface RetryOptions {
  /** Attempts beyond the first; default 4. */
  maxRetries: number;
  /** Longest wait between two attempts in ms; default 30,000. A longer Retry-After is not waited for. */
  maxWaitMs: number;
}

/** One attempt, for logs. It holds no query, header or body: these may name customers. */
export interface Attempt {
  method: string;
  path: string;
  /** From 1. */
  attempt: number;
  /** null when there was no answer. */
  status: number | null;
  requestId: string | null;
  durationMs: number;
}

export interface TransportOptions {
  /** Instead of the global one, for tests and proxies. */
  fetch?: typeof fetch;
  retries?: Partial<RetryOptions>;
  /** Longest time of a call in ms, retries and waits included; default 30,000, Infinity for none. It is never retried. */
  timeoutMs?: number;
  /** Called after each attempt, the token exchange included. What it throws is ignored. */
  onAttempt?: (attempt: Attempt) => void;
}

export interface Outgoing {
  method: string;
  url: string;
  headers: Headers;
  body?: string | ArrayBuffer;
}

export interface Credentials {
  /** Name and value of the header that proves who calls. */
  header: (deadline: Deadline) => Promise<[name: string, value: string]>;
  /** After a 401 for this value: whether another one may be accepted. */
  renew: (value: string) => boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const FIRST_WAIT_MS = 250;
/** 429 was refused, and a server that failed may not have begun; every repeat is safe, see `Transport.send`. */
const RETRIED_STATUSES = new Set([429, 500, 502, 503, 504]);
/** A Response of these statuses must not have a body. Source: Fetch standard, "null body status". */
const BODILESS_STATUSES = new Set([204, 205, 304]);

/** A version that differs from the one of package.json fails a test. */
export const USER_AGENT = `offizin-client/0.1.0 node/${process.versions.node}`;

type Outcome = Response | { error: unknown };

/** Sends requests within a deadline, and again where that helps. */
export class Transport {
  readonly timeoutMs: number;
  private readonly fetch: typeof fetch;
  private readonly retries: RetryOptions;
  private readonly onAttempt: TransportOptions['onAttempt'];

  constructor(options: TransportOptions) {
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.fetch = options.fetch ?? fetch;
    this.retries = { maxRetries: 4, maxWaitMs: 30_000, ...options.retries };
    this.onAttempt = options.onAttempt;
  }

  /**
   * The whole answer: its body has arrived. Only what may take effect twice without harm is sent through here: GET, PUT,
   * PATCH and DELETE by their nature, a POST by its Idempotency-Key or external reference. A 401 renews the credentials
   * once. Throws `Connection`, `Timeout`, or the reason of the caller's signal.
   */
  async send(request: Outgoing, deadline: Deadline, credentials?: Credentials): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('user-agent', USER_AGENT);
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      const [name, value] = (await credentials?.header(deadline)) ?? [];
      if (name !== undefined && value !== undefined) headers.set(name, value);
      const outcome = await this.sendOnce({ ...request, headers }, deadline, attempt + 1);
      const refused = outcome instanceof Response && outcome.status === 401;
      if (refused && !renewed && credentials?.renew(value ?? '')) {
        renewed = true;
        continue;
      }
      const { maxRetries, maxWaitMs } = this.retries;
      const waitMs = attempt < maxRetries && mayRetry(outcome) ? waitBefore(outcome, attempt) : Infinity;
      // A wait that the deadline cuts short would hide the server's answer behind a time-out.
      if (waitMs > maxWaitMs || waitMs >= deadline.remainingMs()) {
        if (outcome instanceof Response) return outcome;
        throw new Connection(outcome.error);
      }
      await deadline.sleep(waitMs);
    }
  }

  private async sendOnce(request: Outgoing, deadline: Deadline, attempt: number): Promise<Outcome> {
    const { method, url, headers, body } = request;
    const startedMs = performance.now();
    const { fetch, onAttempt } = this;
    const report = (response: Response | null): void => {
      try {
        onAttempt?.({
          method,
          path: new URL(url).pathname,
          attempt,
          status: response?.status ?? null,
          requestId: response?.headers.get('x-request-id') ?? null,
          durationMs: Math.round(performance.now() - startedMs),
        });
      } catch {
        // a defect of the caller's logging must not change what the call does
      }
    };
    try {
      const init = { method, headers, body: body ?? null, signal: deadline.signal };
      const response = await deadline.race(fetch(url, init).then(withBody));
      report(response);
      return response;
    } catch (error) {
      report(null);
      if (deadline.signal.aborted) throw deadline.signal.reason;
      return { error };
    }
  }
}

/** Reads the body here, so that a connection that breaks or stalls in the middle of it counts as one. */
async function withBody(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(BODILESS_STATUSES.has(status) ? null : body, { status, statusText, headers });
}

function mayRetry(outcome: Outcome): boolean {
  if (!(outcome instanceof Response)) return true;
  if (RETRIED_STATUSES.has(outcome.status)) return true;
  // The one 409 with Retry-After: the first try of this very request is still running, and its answer is available soon.
  return outcome.status === 409 && outcome.headers.has('retry-after');
}

/** Retry-After when the server names it, else twice as long each time; a random part spreads the callers. */
function waitBefore(outcome: Outcome, attempt: number): number {
  const seconds = outcome instanceof Response ? retryAfterSeconds(outcome) : null;
  if (seconds !== null) return seconds * 1000 + Math.random() * FIRST_WAIT_MS;
  return FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2);
}
