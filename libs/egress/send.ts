/**
 * `Egress`: the one way out. Webhook deliveries and the fetch of prescription documents send through it.
 *
 * Cast: target-url (may this URL be a target), guarded-agent (which address is connected to), exchange (one
 * request, one answer, one deadline), capped-body, failure (why there is no answer).
 *
 * It guarantees that
 * - no byte reaches an address that the policy forbids (guarded-agent.ts says how);
 * - every `send` ends by its deadline, however slowly the other side connects, answers or drips;
 * - redirects are answers, never followed; nothing is decompressed; at most `maxResponseBytes` are kept, then
 *   the connection is destroyed, not drained;
 * - the outcome is an EgressAnswer, or an EgressFailure whose `kind` says what happened.
 *
 * Memory and connections are bounded by what the caller has in flight: one connection, its own body and at most
 * three times `maxResponseBytes` each. undici's `dispatch` is used without its streams: they cost a quarter of the rate.
 */
import type { Agent } from 'undici';
import { type EgressAnswer, Exchange } from './exchange';
import { EgressFailure, EgressRefused } from './failure';
import { type GuardedAgentOptions, guardedAgent } from './guarded-agent';
import { type TargetPolicy, checkTargetUrl } from './target-url';

export type EgressPolicy = TargetPolicy & GuardedAgentOptions;

export interface EgressRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without those that frame the message or name the host; they are refused, see RESERVED_HEADERS. */
  headers: Record<string, string>;
  body?: Buffer | string;
  /** From the call to the last byte of the answer. */
  timeoutMs: number;
  maxResponseBytes: number;
  /** Ends the request; `send` then rejects with the signal's reason, and the receiver may have acted. */
  signal?: AbortSignal;
}

export class Egress {
  private readonly agent: Agent;
  /** A count, not a set of the exchanges: keeping a set up to date takes a fifth of the rate. */
  private inFlight = 0;
  private readonly targets = new Map<string, Target>();
  private closed = false;

  constructor(private readonly policy: EgressPolicy) {
    this.agent = guardedAgent(policy);
  }

  /** Rejects with EgressFailure (EgressRefused for the policy's refusals), or with the caller's abort reason. */
  async send(request: EgressRequest): Promise<EgressAnswer> {
    request.signal?.throwIfAborted();
    if (this.closed) throw new EgressFailure('connect', 'The way out is closed: this process is stopping.');
    const target = this.checkedTarget(request.url);
    const headers = headerList(request.headers);

    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, (outcome) => {
        this.inFlight -= 1;
        if ('answer' in outcome) resolve(outcome.answer);
        else if (outcome.error instanceof Error) reject(outcome.error);
        else reject(new Error('aborted by the caller', { cause: outcome.error }));
      });
      this.inFlight += 1;
      this.agent.dispatch(
        { ...target, method: request.method, headers, body: request.body ?? null },
        exchange,
      );
    });
  }

  /** Requests not yet answered. */
  get pending(): number {
    return this.inFlight;
  }

  /**
   * Ends every connection. What is in flight fails as `reset`, or as `connect` where nothing was sent yet, at the
   * latest by its deadline; wait for `pending` to fall to 0 first where that matters.
   */
  async close(): Promise<void> {
    this.closed = true;
    await this.agent.destroy();
  }

  /** Throws EgressRefused. Remembers what it accepted: parsing and judging a URL anew costs a tenth of a request. */
  private checkedTarget(text: string): Target {
    const known = this.targets.get(text);
    if (known !== undefined) return known;
    const check = checkTargetUrl(text, this.policy);
    if (!check.ok) throw new EgressRefused(check.reason);
    const target = { origin: check.url.origin, path: check.url.pathname + check.url.search };
    if (this.targets.size >= MAX_REMEMBERED_TARGETS) this.targets.clear();
    this.targets.set(text, target);
    return target;
  }
}

interface Target {
  origin: string;
  path: string;
}

/** More than the endpoints of an installation: beyond it all are forgotten at once. */
const MAX_REMEMBERED_TARGETS = 10_000;

/** They frame the message, name the host (and with it SNI), or decide whether the answer is compressed. */
const RESERVED_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/; // RFC 9110, token
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/; // RFC 9110, field-value: above all no CR, LF, NUL

/**
 * Name, value, name, value … as undici takes them. Throws EgressRefused for what HTTP forbids before undici sees
 * it: undici refuses a bad header too, but its pool loses one client each time.
 */
function headerList(headers: Record<string, string>): string[] {
  const list = ['accept-encoding', 'identity'];
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!HEADER_NAME.test(name)) throw new EgressRefused('A header name contains a forbidden character.');
    if (RESERVED_HEADERS.has(name.toLowerCase())) {
      throw new EgressRefused(`The header ${name} is set by the sender and cannot be given.`);
    }
    if (FORBIDDEN_IN_VALUE.test(value)) {
      throw new EgressRefused(`The value of header ${name} contains a forbidden character.`);
    }
    list.push(name, value);
  }
  return list;
}
