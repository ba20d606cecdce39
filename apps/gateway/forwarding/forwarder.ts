import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, type ForwardedCall } from '@offizin/bus/bus';
import { type Caller, serviceCaller } from '@offizin/contracts/caller';
import { CONSOLE_DOOR } from '@offizin/contracts/console';
import { Unreachable } from '@offizin/contracts/errors';
import { checkIdempotencyKey, IDEMPOTENCY_KEY_HEADER } from '@offizin/contracts/idempotency';
import { type Operation, REPLY_OVER_HTTP } from '@offizin/contracts/operation';
import { csvOperations } from '@offizin/contracts/operations';
import type { Role } from '@offizin/contracts/roles';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { acceptedType } from '@offizin/runtime/accepted-type';
import { queryStringOf } from '@offizin/operations/query-string';
import { checkBodyHeaders, hasBody, readBody } from '@offizin/http-body/read-body';
import { callHeaders, type WireAnswer } from '@offizin/operations/serve-operation';
import type { StaffScope } from '@offizin/contracts/scopes';

/**
 * Whom the guards have found: an API key by its token, a person by the session, or, while somebody signs in, nobody.
 */
export interface CallIdentity {
  orgId: string;
  scopes: readonly StaffScope[];
  keyId?: string;
  staffId?: string;
  sessionId?: string;
  /** Of the session. */
  confirmedUntil?: string | undefined;
  /** Of the person. */
  role?: Role;
}

const NO_BODY = Buffer.alloc(0);
const OVER_HTTP: WireAnswer = { status: REPLY_OVER_HTTP, headers: {}, body: '' };
/** A longer body mostly holds a document, and documents do not pass the broker. */
const MAX_BODY_OVER_BUS = 8 * 1024;

/**
 * Forwards an authorized call to its service: over the bus, with body and reply unparsed, or streamed to order-core
 * when body or reply may not fit a message.
 */
@Injectable()
export class Forwarder implements OperationCarrier {
  constructor(
    private readonly bus: Bus,
    private readonly proxy: CoreProxy,
  ) {}

  async carry(listed: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const op = asAccepted(listed, request.headers.accept);
    const caller = callerOf(request as FastifyRequest & { user: CallIdentity });
    if (request.url.startsWith(`${CONSOLE_DOOR}/`)) reply.raw.setHeader('cache-control', 'no-store');
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    checkIdempotencyKey(op, request.headers[IDEMPOTENCY_KEY_HEADER]);
    if (op.via === 'http' && !this.fitsBus(op, request)) return this.stream(op, request, reply, caller);
    // Forwards an unexpected body as well: the owning service refuses it before it runs the operation.
    if (!hasBody(request.raw) || op.method === 'GET')
      return this.ask(op, request, reply, { caller, body: NO_BODY });
    const { bytes: body, release } = await readBody(request.raw, op.maxBodyBytes, caller.orgId);
    await this.ask(op, request, reply, { caller, body }).finally(release);
  }

  /** A service that is not on the bus may still be reached over HTTP. A body is read already, so only a GET goes there. */
  private async answerOf(op: Operation, call: ForwardedCall): Promise<WireAnswer> {
    try {
      return await this.bus.forward(op, call);
    } catch (error) {
      const mayStream = op.via === 'http' && op.method === 'GET';
      if (mayStream && error instanceof Unreachable && error.code === 'service_unavailable') return OVER_HTTP;
      throw error;
    }
  }

  /** Without the broker, order-core can still be reached over HTTP. */
  private fitsBus({ smallOverBus }: Operation, { raw }: FastifyRequest): boolean {
    const isSmall = !hasBody(raw) || Number(raw.headers['content-length'] ?? NaN) <= MAX_BODY_OVER_BUS;
    return smallOverBus && isSmall && this.bus.isConnected;
  }

  private async stream(
    op: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
  ): Promise<void> {
    reply.hijack();
    const way = { caller, url: ownPath(request.url), maxBytes: op.maxBodyBytes };
    await this.proxy.pass(request.raw, reply.raw, way);
  }

  private async ask(
    op: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    sent: { caller: Caller; body: Buffer },
  ): Promise<void> {
    const { headers } = request;
    const answer = await this.answerOf(op, {
      ...sent,
      params: request.params as Record<string, string>,
      queryString: queryStringOf(request.url),
      headers: callHeaders((name) => {
        const value = headers[name];
        return typeof value === 'string' ? value : undefined;
      }),
    });
    if (answer.status === REPLY_OVER_HTTP) return this.stream(op, request, reply, sent.caller);
    // For an empty text Fastify would write a Content-Length: a 304 must not say 0.
    const body = answer.body.length === 0 ? undefined : answer.body;
    void reply.status(answer.status).headers(answer.headers).send(body);
  }
}

function asAccepted(op: Operation, accept: string | undefined): Operation {
  const csv = csvOperations.get(op.name);
  return csv && acceptedType(accept, ['application/json', 'text/csv']) === 'text/csv' ? csv : op;
}

export function callerOf({ user, id }: FastifyRequest & { user: CallIdentity }): Caller {
  const { orgId, keyId, staffId, sessionId, confirmedUntil, scopes } = user;
  const known = { orgId, shopId: null, scopes, requestId: id };
  if (keyId !== undefined) return { kind: 'key', actorId: keyId, ...known };
  if (staffId === undefined || sessionId === undefined) return serviceCaller('gateway', id);
  const confirmed = confirmedUntil === undefined ? {} : { confirmedUntil };
  return { kind: 'staff', actorId: staffId, sessionId, ...confirmed, ...known };
}

/** order-core knows an operation by its own path, whichever door it came through. */
function ownPath(url: string): string {
  return url.startsWith(`${CONSOLE_DOOR}/`) ? url.slice(CONSOLE_DOOR.length) : url;
}
