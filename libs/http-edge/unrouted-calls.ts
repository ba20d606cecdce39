import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimitGuard } from './rate-limit.guard';

/** Finds the key of a request that no guard has seen. Each edge provides one. */
export abstract class KeyOfRequest {
  /** The key's id, or null without a key that is valid here. */
  abstract keyIdOf(request: FastifyRequest): Promise<string | null>;
}

/**
 * Requests that reach no route (404, 405, a malformed path) run no guards. This class counts them against the rate limit
 * of their key, so that their answers carry the RateLimit headers, too.
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
