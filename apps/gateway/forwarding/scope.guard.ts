import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/calls/errors';
import { accessOf, type Operation } from '@offizin/contracts/calls/operation';
import type { CallIdentity } from './forwarder';

/** The path's organization must be that of the token or session, which must have the operation's scope. */
export class ScopeGuard implements CanActivate {
  constructor(private readonly op: Operation) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: CallIdentity }>();
    const { orgId } = request.params as { orgId?: string };
    if (orgId !== undefined && orgId !== request.user.orgId) {
      const message = `The ${nameOf(request.user)} belongs to another organization.`;
      throw new Refused('forbidden', message, undefined, challengeOf(request.user));
    }
    const access = accessOf(this.op, request.user.staffId !== undefined);
    if (access !== 'session' && !request.user.scopes.some((scope) => scope === access)) {
      const message = `The ${nameOf(request.user)} lacks the scope ${access}.`;
      throw new Refused(
        'insufficient_scope',
        message,
        undefined,
        challengeOf(request.user, `, scope="${access}"`),
      );
    }
    return true;
  }
}

/** RFC 6750, section 3.1; a person has no token. */
function challengeOf({ staffId }: CallIdentity, scope = ''): Record<string, string> {
  if (staffId !== undefined) return {};
  return { 'www-authenticate': `Bearer error="insufficient_scope"${scope}` };
}

function nameOf({ staffId }: CallIdentity): string {
  return staffId === undefined ? 'token' : 'role';
}
