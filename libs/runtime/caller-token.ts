import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '@offizin/contracts/caller';
import { Refused } from '@offizin/contracts/errors';

/**
 * The internal token: an edge signs who is calling, the owning service believes nothing else. It is made per request,
 * lives for 30 seconds (and five more for clocks that differ) and is HMAC-SHA256 under a secret that only our processes
 * hold.
 */
export const CALLER_TOKEN_HEADER = 'x-offizin-caller';
const LIFETIME_MS = 30_000;
const CLOCK_LEEWAY_MS = 5_000;

interface Claims extends Caller {
  expiresAtMs: number;
}

export class CallerTokens {
  constructor(private readonly secret: string) {}

  sign(caller: Caller): string {
    const claims: Claims = { ...caller, expiresAtMs: Date.now() + LIFETIME_MS };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${payload}.${this.mac(payload)}`;
  }

  /** Throws `Refused` (unauthorized) for a token that is missing, forged or too old. */
  verify(token: string | undefined): Caller {
    const [payload = '', mac = '', ...rest] = (token ?? '').split('.');
    const expected = Buffer.from(this.mac(payload));
    const given = Buffer.from(mac);
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    if (!isOurs || rest.length > 0) throw untrusted();
    const { expiresAtMs, ...caller } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (!(expiresAtMs + CLOCK_LEEWAY_MS > Date.now())) throw untrusted();
    return caller;
  }

  private mac(payload: string): string {
    return createHmac('sha256', this.secret).update(payload).digest('base64url');
  }
}

function untrusted(): Refused {
  return new Refused('unauthorized', 'This port answers only the processes of this installation.');
}
