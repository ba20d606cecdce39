import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';

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
