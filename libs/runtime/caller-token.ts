import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '@offizin/contracts/caller';
import { Refused, Unreachable } from '@offizin/contracts/errors';

/**
 * The internal token: an edge signs who is calling, the owning service believes nothing else. It is made per request,
 * lives for 30 seconds (and five more for clocks that differ) and is HMAC-SHA256 under a secret that only our processes
 * hold. Calls in a message of the bus have one signature together instead, over all that the message says (`seal`).
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

/** Instead of a token for each: all that one message of the bus says, and when it was said. */
export interface Sealed {
  subject: string;
  atMs: number;
  bytes: Uint8Array;
}

export class CallerTokens {
  /** The first signs, all are accepted. */
  private readonly secrets: readonly string[];
  private readonly sealSecrets: readonly string[];

  /** One secret, or two with a comma between while it is changed. */
  constructor(secret: string) {
    this.secrets = secret.split(',');
    this.sealSecrets = this.secrets.map((own) => macOf(SEAL_KEY, own));
  }

  sign(caller: Caller): string {
    const claims: Claims = { ...caller, expiresAtMs: Date.now() + LIFETIME_MS };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${payload}.${macOf(payload, this.secrets[0])}`;
  }

  /** As `verify`, when a call begins. Throws `Unreachable` when it waited so long that nobody may wait for it any more. */
  verifyToBegin(token: string | undefined): Caller {
    const { expiresAtMs, ...caller } = this.claimsOf(token);
    beginInTime(expiresAtMs - LIFETIME_MS);
    return caller;
  }

  /** Throws `Refused` (unauthorized) for a token that is missing, forged or too old. */
  verify(token: string | undefined): Caller {
    const { expiresAtMs, ...caller } = this.claimsOf(token);
    return caller;
  }

  seal(sealed: Sealed): string {
    return sealOf(sealed, this.sealSecrets[0]);
  }

  /**
   * Of a message whose calls begin now. Throws `Refused` (unauthorized) where one of ours did not say exactly this to this
   * subject, and `Unreachable` as `verifyToBegin`.
   */
  verifySealToBegin(sealed: Sealed, seal: string): void {
    if (!this.sealSecrets.some((secret) => isEqual(seal, sealOf(sealed, secret)))) throw untrusted();
    if (!(sealed.atMs + LIFETIME_MS + CLOCK_LEEWAY_MS > Date.now())) throw untrusted();
    beginInTime(sealed.atMs);
  }

  private claimsOf(token: string | undefined): Claims {
    const [payload = '', mac = '', ...rest] = (token ?? '').split('.');
    const isOurs = this.secrets.some((secret) => isEqual(mac, macOf(payload, secret)));
    if (!isOurs || rest.length > 0) throw untrusted();
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (!(claims.expiresAtMs + CLOCK_LEEWAY_MS > Date.now())) throw untrusted();
    return claims;
  }
}

/** A key of its own: what is a seal is never a token, nor the other way round. */
const SEAL_KEY = 'offizin: seals of the calls in a message';

function sealOf({ subject, atMs, bytes }: Sealed, secret = ''): string {
  return createHmac('sha256', secret).update(`${subject}\n${atMs}\n`).update(bytes).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function beginInTime(signedAtMs: number): void {
  if (Date.now() <= signedAtMs + BEGIN_WITHIN_MS) return;
  throw new Unreachable(
    'service_unavailable',
    'The call reached its service too late: nothing was done. Send it again.',
  );
}

function macOf(payload: string, secret = ''): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

function untrusted(): Refused {
  return new Refused('unauthorized', 'This port answers only the processes of this installation.');
}
