import {
  type Msg,
  type MsgHdrs,
  headers as newHeaders,
  type NatsConnection,
  NatsError,
  ErrorCode,
  Events,
} from 'nats';
import type { Caller } from '@offizin/contracts/caller';
import {
  ERROR_STATUS,
  type ErrorBody,
  type ErrorCode as ContractErrorCode,
  Refused,
  Unreachable,
} from '@offizin/contracts/errors';
import { type Call, type Operation, type ReplyOf, subjectOf } from '@offizin/contracts/operation';
import { CALLER_TOKEN_HEADER, type CallerTokens } from '@offizin/runtime/caller-token';
import { endOfTurn } from '@offizin/runtime/end-of-turn';
import { unreachableCalls } from '@offizin/runtime/metrics';
import type { ReceivedCall, WireAnswer } from '@offizin/runtime/serve-operation';
import { currentTraceparent, tracedPart } from '@offizin/runtime/tracing';

/** Source of the figure: decisions.md section 2 (504 after 10 s). */
export const REQUEST_TIMEOUT_MS = 10_000;

export const HEADER = {
  params: 'x-params',
  query: 'x-query',
  status: 'x-status',
  traceparent: 'traceparent',
} as const;

/** The client tries to connect again every 250 ms. */
const RECONNECT_GRACE_MS = 1_000;

/** The connection ended while an answer was awaited: the call may have taken effect. */
class ConnectionLost extends Error {}

/** What an edge forwards: everything but the caller's token is passed on as it came. */
export type ForwardedCall = ReceivedCall;

/**
 * Request/reply over NATS. Requests go out on the raw connection (Nest's ClientProxy costs several hundred
 * microseconds more); the services answer through Nest's transport, see operation-server.ts. The envelope is: call in
 * headers, body bytes as they are; answer status in a header, body bytes as they are. So nothing is parsed on the way.
 */
export class Bus {
  /** The broker is known to be gone: a request would only wait for its deadline. */
  private away = false;
  /** Ends the requests whose answers are awaited; each with what becomes of its caller. */
  private readonly underWay = new Set<(error: Error) => void>();

  constructor(
    readonly connection: NatsConnection,
    private readonly tokens: CallerTokens,
  ) {
    void this.followConnection();
  }

  /**
   * Sends a call and gives back the answer as it came, of any status. Throws `Unreachable`, or `Refused` when the
   * call with its headers is longer than a message may be.
   */
  async forward(op: Operation, call: ForwardedCall, timeoutMs = REQUEST_TIMEOUT_MS): Promise<WireAnswer> {
    const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subjectOf(op) };
    return tracedPart({ name: `${op.name} over NATS`, kind: 'client', attributes }, () =>
      this.send(op, call, timeoutMs),
    );
  }

  private async send(op: Operation, call: ForwardedCall, timeoutMs: number): Promise<WireAnswer> {
    if (this.away) throw absent(op);
    await endOfTurn();
    const headers = newHeaders();
    headers.set(CALLER_TOKEN_HEADER, this.tokens.sign(call.caller));
    headers.set(HEADER.params, new URLSearchParams(call.params).toString());
    headers.set(HEADER.query, call.queryString);
    for (const [name, value] of Object.entries(call.headers)) headers.set(name, value);
    const traceparent = currentTraceparent();
    if (traceparent !== null) headers.set(HEADER.traceparent, traceparent);
    let reply: Msg;
    try {
      const { connection } = this;
      reply = await this.untilLost(
        connection.request(subjectOf(op), call.body, { headers, timeout: timeoutMs }),
      );
    } catch (error) {
      throw notSent(op, error);
    }
    return {
      status: Number(reply.headers?.get(HEADER.status)),
      headers: contentHeaders(reply.headers),
      body: reply.data,
    };
  }

  private async followConnection(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) this.broughtDown();
      if (type === Events.Reconnect) this.away = false;
    }
  }

  /** A broker that was only restarted still brings the answers; one that stays away brings none, and nobody waits. */
  private broughtDown(): void {
    this.away = true;
    setTimeout(() => {
      if (!this.away) return;
      for (const end of this.underWay) end(new ConnectionLost());
    }, RECONNECT_GRACE_MS).unref();
  }

  private async untilLost<T>(request: Promise<T>): Promise<T> {
    let end: (error: Error) => void = () => undefined;
    const lost = new Promise<never>((_, reject) => this.underWay.add((end = reject)));
    try {
      return await Promise.race([request, lost]);
    } finally {
      this.underWay.delete(end);
      // When the connection was quicker to be lost than the request to fail, nobody else looks at the request.
      request.catch(() => undefined);
    }
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
const PASSED_HEADERS = [
  'content-type',
  'etag',
  'retry-after',
  'content-disposition',
  'location',
  'idempotent-replayed',
  'vary',
];

function contentHeaders(headers: MsgHdrs | undefined): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_HEADERS) {
    const value = headers?.get(name);
    if (value) passed[name] = value;
  }
  return passed;
}

function refusalOf(body: ErrorBody): Error {
  const code: ContractErrorCode = body.error;
  if (code === 'service_unavailable' || code === 'timeout')
    return new Unreachable(code, body.message ?? code);
  if (ERROR_STATUS[code] >= 500) return new Error(`the other service failed: ${code}`);
  return new Refused(code, body.message ?? code, body.details);
}

const TOO_LONG: string = ErrorCode.MaxPayloadExceeded;
const TIMED_OUT: string = ErrorCode.Timeout;

/** The one place that knows how the client says: too long, nobody there, no answer in time, not connected. */
function notSent(op: Operation, error: unknown): Refused | Unreachable {
  const code: string = error instanceof NatsError ? error.code : '';
  if (code === TOO_LONG) {
    return new Refused('payload_too_large', 'The body is larger than this operation takes.');
  }
  if (code === TIMED_OUT || error instanceof ConnectionLost) {
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
  return new Unreachable('service_unavailable', `${op.service} is not there now. Try again in a moment.`);
}
