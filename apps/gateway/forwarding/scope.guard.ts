import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import type { TokenIdentity } from '../tokens/access-token.guard';

/** The path's organization must be that of the token, and the token must have the operation's scope. */
export class ScopeGuard implements CanActivate {
  constructor(private readonly op: Operation) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: TokenIdentity }>();
    const { orgId } = request.params as { orgId?: string };
    if (orgId !== undefined && orgId !== request.user.orgId) {
      throw new Refused('forbidden', 'The token belongs to another organization.');
    }
    if (!request.user.scopes.some((scope) => scope === this.op.access)) {
      throw new Refused('insufficient_scope', `The token lacks the scope ${this.op.access}.`);
    }
    return true;
  }
}
