import { Events, type NatsConnection, type Status } from 'nats';
import type { Caller } from '@offizin/contracts/caller';
import { ERRORS } from '@offizin/contracts/error-table';
import { type ErrorBody, Refused, Unreachable } from '@offizin/contracts/errors';
import {
  type Call,
  type Operation,
  type ReplyOf,
  type ServiceName,
  subjectOf,
} from '@offizin/contracts/operation';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { unreachableCalls } from '@offizin/runtime/metrics';
import type { ReceivedCall, WireAnswer } from '@offizin/operations/serve-operation';
import { currentTraceparent, type SpanStart, tracedPart } from '@offizin/runtime/tracing';
import { NotAnswered, RequestMux } from './request-mux';

/** Source of the figure: decisions.md section 2 (504 after 10 s). */
export const REQUEST_TIMEOUT_MS = 10_000;

/** The client tries to connect again every 250 ms. */
const RECONNECT_GRACE_MS = 1_000;

/** Kept for each operation: a subject put together for each call would be hashed for each. */
interface Way {
  subject: string;
  requests: RequestMux;
  step: Omit<SpanStart, 'parent'>;
}

/** What an edge forwards: everything but the caller is passed on as it came. */
export type ForwardedCall = ReceivedCall;

/**
 * Request/reply over NATS. Requests go out on the raw connection (Nest's ClientProxy costs several hundred
 * microseconds more); the services answer through Nest's transport, see operation-server.ts. What a call or an answer
 * says beside its body stands in the head of its frame, the body's bytes are passed on as they are.
 */
export class Bus {
  /** The broker is known to be gone: a request would only wait for its deadline. */
  private away = false;
  /** By service: an inbox that only one service knows is one that no other can answer to. */
  private readonly requests = new Map<ServiceName, RequestMux>();
  private readonly ways = new Map<Operation, Way>();

  constructor(
    readonly connection: NatsConnection,
    private readonly keys: CallKeys,
  ) {
    void this.followConnection();
  }

  /**
   * Sends a call and gives back the answer as it came, of any status. Throws `Unreachable`, or `Refused` when the
   * call with its headers is longer than a message may be.
   */
  forward(op: Operation, call: ForwardedCall, timeoutMs = REQUEST_TIMEOUT_MS): Promise<WireAnswer> {
    const way = this.wayTo(op);
    return tracedPart(way.step, () => this.send(op, way, call, timeoutMs));
  }

  private async send(
    op: Operation,
    { subject, requests }: Way,
    call: ForwardedCall,
    timeoutMs: number,
  ): Promise<WireAnswer> {
    if (this.away) throw absent(op);
    const head = {
      params: call.params,
      query: call.queryString,
      headers: call.headers,
      traceparent: currentTraceparent(),
    };
    try {
      const sent = { caller: call.caller, head, body: call.body };
      const { status, headers, body } = await requests.send(subject, sent, timeoutMs);
      return { status, headers: contentHeaders(headers), body };
    } catch (error) {
      throw notSent(op, error);
    }
  }

  private wayTo(op: Operation): Way {
    const known = this.ways.get(op);
    if (known) return known;
    const subject = subjectOf(op);
    const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject };
    const step = { name: `${op.name} over NATS`, kind: 'client', attributes } as const;
    const way = { subject, requests: this.requestsTo(op.service), step };
    this.ways.set(op, way);
    return way;
  }

  private requestsTo(service: ServiceName): RequestMux {
    const known = this.requests.get(service);
    if (known) return known;
    const requests = new RequestMux(this.connection, service, this.keys);
    this.requests.set(service, requests);
    return requests;
  }

  private async followConnection(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === Events.Disconnect) this.broughtDown();
      if (status.type === Events.Reconnect) this.away = false;
      if (status.type === Events.Error) this.refusedByBroker(status);
    }
  }

  /** Who may not call a subject hears so at once. */
  private refusedByBroker({ permissionContext: refused }: Status): void {
    if (refused?.operation === 'publish') this.endAll(refused.subject);
  }

  /** A broker that was only restarted still brings the answers; one that stays away brings none, and nobody waits. */
  private broughtDown(): void {
    this.away = true;
    setTimeout(() => {
      if (this.away) this.endAll();
    }, RECONNECT_GRACE_MS).unref();
  }

  /** The calls under way; with a subject, those of it. */
  private endAll(subject?: string): void {
    for (const requests of this.requests.values()) requests.endAll(subject);
  }

  /** A typed call between our own processes. Throws `Refused` as the other side did, or `Unreachable`. */
  async call<O extends Operation>(
    op: O,
    caller: Caller,
    body: Call<O>['body'],
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<ReplyOf<O>> {
    const bytes = Buffer.from(JSON.stringify(body));
    const call = { caller, params: {}, queryString: '', headers: {}, body: bytes };
    const answer = await this.forward(op, call, timeoutMs);
    const value: unknown = answer.body.length > 0 ? JSON.parse(Buffer.from(answer.body).toString()) : null;
    if (answer.status < 300) return value as ReplyOf<O>;
    throw refusalOf(value as ErrorBody);
  }
}

/** Headers of the answer that the caller of an edge sees, too. */
const PASSED_HEADERS = new Set([
  'content-type',
  'etag',
  'retry-after',
  'content-disposition',
  'location',
  'idempotent-replayed',
  'vary',
]);

function contentHeaders(headers: Record<string, string>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && PASSED_HEADERS.has(name)) passed[name] = value;
  }
  return passed;
}

function refusalOf(body: ErrorBody): Error {
  const code = body.error;
  if (code === 'service_unavailable' || code === 'timeout')
    return new Unreachable(code, body.message ?? code);
  if (ERRORS[code].status >= 500) return new Error(`the other service failed: ${code}`);
  return new Refused(code, body.message ?? code, body.details);
}

/** The one place that knows what the caller is told: too long, nobody there, no answer in time, not connected. */
function notSent(op: Operation, error: unknown): unknown {
  if (!(error instanceof NotAnswered)) return error;
  if (error.why === 'too-long') {
    return new Refused('payload_too_large', 'The body is larger than this operation takes.');
  }
  if (error.why === 'timeout' || error.why === 'lost') {
    unreachableCalls.inc({ service: op.service, via: 'bus' });
    return new Unreachable(
      'timeout',
      `${op.service} did not answer in time. Whether it took effect is unknown: repeat.`,
    );
  }
  return absent(op);
}

function absent(op: Operation): Unreachable {
  unreachableCalls.inc({ service: op.service, via: 'bus' });
  return new Unreachable('service_unavailable', `${op.service} is unavailable. Try again in a moment.`);
}
