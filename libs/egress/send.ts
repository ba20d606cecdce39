/**
 * Sends all outbound requests to URLs of customers, partners and the operator. Every `send` ends by its deadline. Redirects are
 * returned, not followed; nothing is decompressed. Uses undici's `dispatch` because its stream API is slower.
 */
import type { Agent } from 'undici';
import { type EgressAnswer, Exchange } from './exchange';
import { EgressFailure, EgressRefused } from './failure';
import { type GuardedAgentOptions, guardedAgent } from './guarded-agent';
import { type TargetPolicy, checkTargetUrl, isLocalHttp } from './address-policy';

export type EgressPolicy = TargetPolicy & GuardedAgentOptions;

export interface EgressRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** RESERVED_HEADERS are refused. */
  headers: Record<string, string>;
  body?: Buffer | string;
  /** From the call to the last byte of the answer. */
  timeoutMs: number;
  maxResponseBytes: number;
  /** On abort `send` rejects with the signal's reason; the receiver may have acted. */
  signal?: AbortSignal;
}

export class Egress {
  private readonly agent: Agent;
  private inFlight = 0;
  private readonly targets = new Map<string, Target>();
  private closed = false;

  constructor(private readonly policy: EgressPolicy) {
    this.agent = guardedAgent(policy);
  }

  /** Rejects with EgressFailure, EgressRefused or the caller's abort reason. */
  async send(request: EgressRequest): Promise<EgressAnswer> {
    request.signal?.throwIfAborted();
    if (this.closed)
      throw new EgressFailure('connect', 'The process is stopping and sends no more requests.');
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

  /** Whether the operator allows this URL without TLS: only for development, only on this machine. */
  allowsUnencrypted(url: string): boolean {
    return this.policy.allowHttp && this.policy.allowLoopback && isLocalHttp(url);
  }

  get pending(): number {
    return this.inFlight;
  }

  /** Ends every connection; requests in flight fail. Wait until `pending` is 0 to let them finish. */
  async close(): Promise<void> {
    this.closed = true;
    await this.agent.destroy();
  }

  /** Throws EgressRefused. Caches accepted URLs, because parsing and checking is costly. */
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

const MAX_REMEMBERED_TARGETS = 10_000;

/** Firewalls of storage refuse requests without one. */
const USER_AGENT = 'Offizin/1';

/** These frame the message, set the host (and SNI), or allow compression of the answer. */
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
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/; // RFC 9110, field-value: no CR, LF, NUL

/**
 * Alternating names and values. Throws EgressRefused for invalid headers: undici's pool would lose one client each
 * time.
 */
function headerList(headers: Record<string, string>): string[] {
  const list = ['accept-encoding', 'identity'];
  if (headers['user-agent'] === undefined) list.push('user-agent', USER_AGENT);
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
