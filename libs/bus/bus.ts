import { Events, type NatsConnection, type Status } from 'nats';
import { receiversOf } from '@offizin/contracts/calls/call-rights';
import type { Caller } from '@offizin/contracts/calls/caller';
import { ERRORS } from '@offizin/contracts/calls/error-table';
import { type ErrorBody, Refused, Unreachable, unanswered } from '@offizin/contracts/calls/errors';
import {
  type Call,
  type Operation,
  type ReplyOf,
  type ServiceName,
  subjectOf,
} from '@offizin/contracts/calls/operation';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { unreachableCalls } from '@offizin/runtime/metrics';
import type { ReceivedCall, WireAnswer } from '@offizin/operations/serve-operation';
import { currentTraceparent, type SpanStart, tracedPart } from '@offizin/runtime/tracing';
import { PROBE_MS } from './lost-calls';
import { NotAnswered, RequestMux } from './request-mux';

/** See docs/contract.md#errors */
export const REQUEST_TIMEOUT_MS = 10_000;

/** A broker that only restarted is back within this time, and heartbeats of all replicas come within it. */
const RECONNECT_GRACE_MS = 1_000;

/** Cached, because a string built per call would be hashed per call. */
interface Route {
  subject: string;
  requests: RequestMux;
  step: Omit<SpanStart, 'parent'>;
}

export type ForwardedCall = ReceivedCall;

/**
 * Request/reply on the raw connection: Nest's ClientProxy costs more per call. The body's bytes are passed on
 * unchanged.
 */
export class Bus {
  private isDisconnected = false;
  private connectedAtMs = performance.now();
  /** One reply subject per service, so that no other service can answer to it. */
  private readonly requests = new Map<ServiceName, RequestMux>();
  private readonly routes = new Map<Operation, Route>();

  constructor(
    readonly connection: NatsConnection,
    private readonly keys: CallKeys,
  ) {
    // Before the first call, so that the replicas are known by then.
    for (const service of receiversOf[keys.own]) this.requestsTo(service);
    void this.followConnection();
  }

  get isConnected(): boolean {
    return !this.isDisconnected;
  }

  /**
   * Resolves with the answer of any status. Throws `Unreachable`, or `Refused` if the call exceeds the size of a
   * message.
   */
  forward(op: Operation, call: ForwardedCall, timeoutMs = REQUEST_TIMEOUT_MS): Promise<WireAnswer> {
    const route = this.routeTo(op);
    return tracedPart(route.step, () => this.send(op, route, call, timeoutMs));
  }

  private async send(
    op: Operation,
    { subject, requests }: Route,
    call: ForwardedCall,
    timeoutMs: number,
  ): Promise<WireAnswer> {
    if (this.isDisconnected) throw unavailable(op);
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

  private routeTo(op: Operation): Route {
    const known = this.routes.get(op);
    if (known) return known;
    const subject = subjectOf(op);
    const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject };
    const step = { name: `${op.name} over NATS`, kind: 'client', attributes } as const;
    const route = { subject, requests: this.requestsTo(op.service), step };
    this.routes.set(op, route);
    return route;
  }

  private requestsTo(service: ServiceName): RequestMux {
    const known = this.requests.get(service);
    if (known) return known;
    const requests = new RequestMux(this.connection, service, this.keys);
    this.requests.set(service, requests);
    return requests;
  }

  private async followConnection(): Promise<void> {
    const probing = setInterval(() => this.endLost(), PROBE_MS).unref();
    for await (const status of this.connection.status()) {
      if (status.type === Events.Disconnect) this.broughtDown();
      if (status.type === Events.Reconnect) this.broughtUp();
      if (status.type === Events.Error) this.refusedByBroker(status);
    }
    clearInterval(probing);
  }

  private refusedByBroker({ permissionContext: refused }: Status): void {
    if (refused?.operation === 'publish') this.endAll(refused.subject);
  }

  /** Ends all calls after RECONNECT_GRACE_MS; after a short restart the answers still arrive. */
  private broughtDown(): void {
    this.isDisconnected = true;
    setTimeout(() => {
      if (this.isDisconnected) this.endAll();
    }, RECONNECT_GRACE_MS).unref();
  }

  private broughtUp(): void {
    this.isDisconnected = false;
    this.connectedAtMs = performance.now();
  }

  /** Not directly after connecting: replicas may reconnect later, and each must have sent a heartbeat first. */
  private endLost(): void {
    if (this.isDisconnected || this.connection.isClosed() || this.connection.isDraining()) return;
    if (performance.now() - this.connectedAtMs < RECONNECT_GRACE_MS) return;
    for (const requests of this.requests.values()) requests.endLost();
  }

  private endAll(subject?: string): void {
    for (const requests of this.requests.values()) requests.endAll(subject);
  }

  /** Throws the `Refused` of the other side, or `Unreachable`. */
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

const PASSED_HEADERS = new Set([
  'cache-control',
  'content-type',
  'etag',
  'retry-after',
  'content-disposition',
  'content-security-policy',
  'location',
  'idempotent-replayed',
  'vary',
  'set-cookie',
  'www-authenticate',
  'clear-site-data',
  'x-content-type-options',
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

function notSent(op: Operation, error: unknown): unknown {
  if (!(error instanceof NotAnswered)) return error;
  if (error.why === 'too-long') {
    return new Refused('payload_too_large', 'The body is larger than this operation takes.');
  }
  if (error.why === 'timeout' || error.why === 'lost') {
    unreachableCalls.inc({ service: op.service, via: 'bus' });
    if (error.why === 'timeout') return unanswered(op.method);
    return unanswered(op.method, 'The connection to the service was lost.');
  }
  return unavailable(op);
}

function unavailable(op: Operation): Unreachable {
  unreachableCalls.inc({ service: op.service, via: 'bus' });
  return new Unreachable('service_unavailable', `${op.service} is unavailable. Try again in a moment.`);
}
