import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimitGuard } from './rate-limit.guard';

/** Identifies the API key of a request that passed no guard. */
export abstract class KeyOfRequest {
  abstract keyIdOf(request: FastifyRequest): Promise<string | null>;
}

/** Rate limit of requests that reach no route and so run no guards. */
export class UnroutedCalls {
  constructor(
    private readonly keys: KeyOfRequest,
    private readonly limit: RateLimitGuard,
  ) {}

  /** Throws `Refused` (rate_limited). Ignores requests without a valid key. */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const keyId = await this.keys.keyIdOf(request);
    if (keyId !== null) this.limit.count(keyId, reply);
  }
}
