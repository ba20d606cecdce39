import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/errors';
import { EVENT_STREAM, type LiveQuery } from '@offizin/contracts/live';
import type { Operation } from '@offizin/contracts/operation';
import { scopesOfRole } from '@offizin/contracts/roles';
import type { KeyUses } from '@offizin/directory/key-uses';
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

/** Only a live session passes; nothing else than the cookie counts here, a bearer token least of all. */
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

/** Before signing in there is nobody; the gateway itself asks. */
export class NobodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: CallIdentity }>();
    request.user = { orgId: '', scopes: [] };
    return true;
  }
}
