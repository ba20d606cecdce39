import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/errors';
import { scopesOfRole } from '@offizin/contracts/roles';
import type { KeyUses } from '@offizin/directory/key-uses';
import type { CallIdentity } from '../forwarding/forwarder';
import type { Sessions } from './sessions';

/** Only a live session passes; nothing else than the cookie counts here, a bearer token least of all. */
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: Sessions,
    private readonly uses: KeyUses,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: CallIdentity }>();
    const session = await this.sessions.of(request);
    if (!session) throw new Refused('unauthorized', 'You are not signed in, or your session has ended.');
    const { session_id: sessionId, staff_id: staffId, org_id: orgId, role } = session;
    this.uses.note(sessionId);
    request.user = { orgId, scopes: scopesOfRole(role), staffId, sessionId };
    return true;
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
