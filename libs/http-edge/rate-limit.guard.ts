import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/calls/errors';
import { rateLimitedRequests, type RateLimitName } from './edge-metrics';
import type { RateLimiter, RateVerdict } from './rate-limiter';
import { AlreadyAnswered } from './response-status';

/** Runs after the authentication guards and before the body is read. */
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly name: RateLimitName,
    private readonly limiter: RateLimiter,
    private readonly keyOf: (request: FastifyRequest) => string,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    // Passport is asynchronous: EdgeFront may have refused a malformed body meanwhile.
    if (reply.raw.headersSent) throw new AlreadyAnswered();
    this.count(this.keyOf(http.getRequest<FastifyRequest>()), reply);
    return true;
  }

  /** Throws `Refused` (rate_limited). */
  count(key: string, reply: FastifyReply): void {
    applyVerdict(reply, this.limiter.take(key), this.name);
  }
}

/** Sets the headers on the raw response, also for proxied answers. Throws `Refused` (rate_limited). */
export function applyVerdict(reply: FastifyReply, verdict: RateVerdict, limit: RateLimitName): void {
  reply.raw.setHeader('RateLimit-Limit', verdict.limit);
  reply.raw.setHeader('RateLimit-Remaining', verdict.remaining);
  reply.raw.setHeader('RateLimit-Reset', verdict.resetSeconds);
  if (verdict.allowed) return;
  rateLimitedRequests.inc({ limit });
  const seconds = String(verdict.retryAfterSeconds);
  throw new Refused('rate_limited', `Too many requests: wait ${seconds} s, then repeat.`, undefined, {
    'retry-after': seconds,
  });
}
