import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/calls/errors';
import { EVENT_STREAM, type LiveQuery } from '@offizin/contracts/console/live';
import type { Operation } from '@offizin/contracts/calls/operation';
import { scopesOfRole } from '@offizin/contracts/people/roles';
import type { KeyUses } from '@offizin/directory/api-key';
import type { RateLimitGuard } from '@offizin/http-edge/rate-limit.guard';
import type { TrustedProxies } from '@offizin/http-edge/trusted-proxies';
import type { CallIdentity } from '../forwarding/forwarder';
import type { Sessions } from './sessions';

/** Seconds since the person last touched the page, where that is a minute or more. */
const IDLE_HEADER = 'x-offizin-idle';
const IDLE_FROM_SECONDS = 60;

/**
 * The person whom the page shows. The cookie belongs to the whole browser: what a page sends must not count as the
 * act of a person who has signed in since in another tab.
 */
const STAFF_HEADER = 'x-offizin-staff';

/** Requires a live session, from the cookie alone: a bearer token is ignored. */
export class SessionGuard implements CanActivate {
  constructor(
    private readonly op: Operation,
    private readonly sessions: Sessions,
    private readonly uses: KeyUses,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: CallIdentity }>();
    const session = await this.sessions.of(request, this.op);
    if (!session) throw new Refused('unauthorized', 'You are not signed in, or your session has ended.');
    const { session_id: sessionId, staff_id: staffId, org_id: orgId, role } = session;
    const meant = request.headers[STAFF_HEADER] ?? this.staffOfStream(request);
    if (meant !== undefined && meant !== staffId)
      throw new Refused('unauthorized', 'Another person has signed in since in this browser.');
    if (this.isUse(request)) this.uses.note(sessionId);
    const { confirmed_until: confirmedUntil } = session;
    request.user = { orgId, scopes: scopesOfRole(role), staffId, sessionId, confirmedUntil, role };
    return true;
  }

  /** The browser itself opens streams, and adds no header. */
  private staffOfStream({ query }: FastifyRequest): unknown {
    return this.op.reply === EVENT_STREAM ? (query as LiveQuery).staff : undefined;
  }

  /** A page that only refreshes itself keeps no session alive. */
  private isUse({ headers }: FastifyRequest): boolean {
    return this.op.reply !== EVENT_STREAM && !(Number(headers[IDLE_HEADER]) >= IDLE_FROM_SECONDS);
  }
}

/**
 * Requests before sign-in have no user: the gateway sends them in its own name. Their limit is by network. Behind a
 * load balancer missing from TRUSTED_PROXIES all callers share one, so only failures count, as for tokens. Redirects do
 * not tell a failure: those count always.
 */
export class AnonymousGuard implements CanActivate {
  constructor(
    private readonly op: Operation,
    private readonly limit: RateLimitGuard,
    private readonly trusted: TrustedProxies,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: CallIdentity }>();
    const nobody = { orgId: '', scopes: [] };
    if (this.op.service === 'gateway' || !this.trusted.isUndeclared(request.raw)) {
      request.user = nobody;
      return this.limit.canActivate(context);
    }
    request.user = { ...nobody, noteFailure: () => void this.limit.canActivate(context) };
    return true;
  }
}

/** A page of another site can make a form send it no such header. */
const CONSOLE_HEADER = 'x-offizin-console';

/**
 * The browser sends the cookie whatever page starts a call, so the console proves for each change that its own page
 * did, and for each document that no other page embeds it.
 */
export class OriginGuard implements CanActivate {
  constructor(
    private readonly op: Operation,
    private readonly ownOrigin: string,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method } = context.switchToHttp().getRequest<FastifyRequest>();
    const site = headers['sec-fetch-site'];
    const isReading = method === 'GET' || method === 'HEAD';
    if (isReading && typeof this.op.reply !== 'string') return true;
    if (isReading) {
      if (site !== 'same-origin') throw notFromConsole('A document');
      return true;
    }
    const isOwn = headers.origin === this.ownOrigin && (site === undefined || site === 'same-origin');
    if (!isOwn || headers[CONSOLE_HEADER] !== '1') throw notFromConsole('A change');
    return true;
  }
}

function notFromConsole(what: string): Refused {
  return new Refused('forbidden', `${what} is only for the console's own pages.`);
}
