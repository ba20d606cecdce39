import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimitGuard } from './rate-limit.guard';

/** Identifies the API key of a request that passed no guard. Each edge implements it. */
export abstract class KeyOfRequest {
  /** The key's id, or null without a valid key. */
  abstract keyIdOf(request: FastifyRequest): Promise<string | null>;
}

/**
 * Applies the rate limit of the key to requests that reach no route (404, 405, malformed path) and so run no
 * guards.
 */
export class UnroutedCalls {
  constructor(
    private readonly keys: KeyOfRequest,
    private readonly limit: RateLimitGuard,
  ) {}

  /** Throws `Refused` (rate_limited) when the key has no request left. Ignores requests without a valid key. */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const keyId = await this.keys.keyIdOf(request);
    if (keyId !== null) this.limit.count(keyId, reply);
  }
}
