import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '@offizin/contracts/caller';
import { Refused, Unreachable } from '@offizin/contracts/errors';

/**
 * The internal token: an edge signs who is calling, the owning service believes nothing else. It is made per request,
 * lives for 30 seconds (and five more for clocks that differ) and is HMAC-SHA256 under a secret that only our processes
 * hold.
 */
export const CALLER_TOKEN_HEADER = 'x-offizin-caller';
const LIFETIME_MS = 30_000;
const CLOCK_LEEWAY_MS = 5_000;
/**
 * A call is begun so soon after it was signed, or not at all: with the 4.5 s that its work may take (answer-in-time.ts) it
 * has ended when its caller stops waiting (10 s). Begun later, for the process stood still or the broker was away, it could
 * undo what the caller was told was done meanwhile.
 */
const BEGIN_WITHIN_MS = 5_000;

interface Claims extends Caller {
  expiresAtMs: number;
}

export class CallerTokens {
  /** The first signs, all are accepted. */
  private readonly secrets: readonly string[];

  /** One secret, or two with a comma between while it is changed. */
  constructor(secret: string) {
    this.secrets = secret.split(',');
  }

  sign(caller: Caller): string {
    const claims: Claims = { ...caller, expiresAtMs: Date.now() + LIFETIME_MS };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${payload}.${macOf(payload, this.secrets[0])}`;
  }

  /** As `verify`, when a call begins. Throws `Unreachable` when it waited so long that nobody may wait for it any more. */
  verifyToBegin(token: string | undefined): Caller {
    const { expiresAtMs, ...caller } = this.claimsOf(token);
    if (Date.now() <= expiresAtMs - LIFETIME_MS + BEGIN_WITHIN_MS) return caller;
    throw new Unreachable(
      'service_unavailable',
      'The call reached its service too late: nothing was done. Send it again.',
    );
  }

  /** Throws `Refused` (unauthorized) for a token that is missing, forged or too old. */
  verify(token: string | undefined): Caller {
    const { expiresAtMs, ...caller } = this.claimsOf(token);
    return caller;
  }

  private claimsOf(token: string | undefined): Claims {
    const [payload = '', mac = '', ...rest] = (token ?? '').split('.');
    const given = Buffer.from(mac);
    const isOurs = this.secrets.some((secret) => {
      const expected = Buffer.from(macOf(payload, secret));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!isOurs || rest.length > 0) throw untrusted();
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (!(claims.expiresAtMs + CLOCK_LEEWAY_MS > Date.now())) throw untrusted();
    return claims;
  }
}

function macOf(payload: string, secret = ''): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

function untrusted(): Refused {
  return new Refused('unauthorized', 'This port answers only the processes of this installation.');
}
