import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, type ForwardedCall } from '@offizin/bus/bus';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import { CONSOLE_DOOR } from '@offizin/contracts/console/console';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { checkIdempotencyKey, IDEMPOTENCY_KEY_HEADER } from '@offizin/contracts/calls/idempotency';
import { type Operation, REPLY_OVER_HTTP } from '@offizin/contracts/calls/operation';
import { csvOperations } from '@offizin/contracts/exports';
import type { Role } from '@offizin/contracts/people/roles';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { acceptedType } from '@offizin/runtime/accepted-type';
import { organizations } from '@offizin/runtime/fair-shares';
import { queryStringOf } from '@offizin/operations/query-string';
import { checkBodyHeaders, hasBody, readBody } from '@offizin/http-body/read-body';
import { callHeaders, type WireAnswer } from '@offizin/operations/serve-operation';
import { PasswordTurns } from './password-turns';
import type { StaffScope } from '@offizin/contracts/people/scopes';

/**
 * The caller that the guards have found: an API key by its token, a person by the session, or none during a sign-in.
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
  /** Before sign-in, where only failures count: counts one. Throws `Refused` (rate_limited). */
  noteFailure?: () => void;
}

const NO_BODY = { bytes: Buffer.alloc(0), release: () => undefined };
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
    private readonly passwordTurns: PasswordTurns,
  ) {}

  async carry(listed: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const op = asAccepted(listed, request.headers.accept);
    const known = request as FastifyRequest & { user: CallIdentity };
    const caller = callerOf(known);
    organizations.note(caller.orgId);
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    checkIdempotencyKey(op, request.headers[IDEMPOTENCY_KEY_HEADER]);
    const answer = this.travelsByBus(op, request) ? await this.ask(op, { request, reply }, caller) : null;
    if (!answer) return this.stream(op, request, reply, caller);
    if (answer.status >= 400 && answer.status < 500) known.user.noteFailure?.();
    // For an empty text Fastify would write a Content-Length: a 304 must not say 0.
    const body = answer.body.length === 0 ? undefined : answer.body;
    void reply.status(answer.status).headers(answer.headers).send(body);
  }

  /** Without the broker, order-core can still be reached over HTTP. */
  private travelsByBus({ via, smallOverBus }: Operation, { raw }: FastifyRequest): boolean {
    if (via !== 'http') return true;
    const isSmall = !hasBody(raw) || Number(raw.headers['content-length'] ?? NaN) <= MAX_BODY_OVER_BUS;
    return smallOverBus && isSmall && this.bus.isConnected;
  }

  /**
   * Null when the reply does not fit a message, or the service is not on the bus but may be reached over HTTP: only a
   * GET, because a body is read already.
   */
  private async ask(
    op: Operation,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    caller: Caller,
  ): Promise<WireAnswer | null> {
    // Forwards an unexpected body as well: the owning service refuses it before it runs the operation.
    const isRead = hasBody(request.raw) && op.method !== 'GET';
    const { bytes: body, release } = isRead
      ? await readBody(request.raw, op.maxBodyBytes, caller.orgId)
      : NO_BODY;
    try {
      const staffId = caller.kind === 'staff' ? caller.actorId : undefined;
      const from = { ip: request.ip, response: reply.raw, staffId };
      const answer = await this.passwordTurns.run(op, from, () =>
        this.bus.forward(op, { caller, body, ...wireRequestOf(request) }),
      );
      return answer.status === REPLY_OVER_HTTP ? null : answer;
    } catch (error) {
      const mayStream = op.via === 'http' && op.method === 'GET';
      if (mayStream && error instanceof Unreachable && error.code === 'service_unavailable') return null;
      throw error;
    } finally {
      release();
    }
  }

  private async stream(
    op: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
  ): Promise<void> {
    reply.hijack();
    const route = { caller, url: ownPath(request.url), maxBytes: op.maxBodyBytes };
    await this.proxy.pass(request.raw, reply.raw, route);
  }
}

function wireRequestOf({ params, url, headers }: FastifyRequest): Omit<ForwardedCall, 'caller' | 'body'> {
  return {
    params: params as Record<string, string>,
    queryString: queryStringOf(url),
    headers: callHeaders((name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    }),
  };
}

function asAccepted(op: Operation, accept: string | undefined): Operation {
  const csv = csvOperations.get(op.name);
  return csv && acceptedType(accept, ['application/json', 'text/csv']) === 'text/csv' ? csv : op;
}

export function callerOf({ user, id }: FastifyRequest & { user: CallIdentity }): Caller {
  const { orgId, keyId, staffId, sessionId, confirmedUntil, scopes } = user;
  const known = { orgId, shopId: null, scopes, begunAtMs: Date.now(), requestId: id };
  if (keyId !== undefined) return { kind: 'key', actorId: keyId, ...known };
  if (staffId === undefined || sessionId === undefined) return serviceCaller('gateway', id);
  const confirmed = confirmedUntil === undefined ? {} : { confirmedUntil };
  return { kind: 'staff', actorId: staffId, sessionId, ...confirmed, ...known };
}

/** order-core knows an operation by its own path, whichever door it came through. */
function ownPath(url: string): string {
  return url.startsWith(`${CONSOLE_DOOR}/`) ? url.slice(CONSOLE_DOOR.length) : url;
}
