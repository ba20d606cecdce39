/**
 * The headers of one delivery: which event it is, which delivery, and two signatures over the exact bytes sent.
 *
 * - `X-Service-Signature`, the contract's own: `sha256=` and the hex HMAC-SHA256 of the raw body. Its key is the
 *   secret as text, prefix included, so that a receiver needs one line of code. One value: while
 *   a rotation overlaps, by the previous secret, which the receiver has for certain.
 * - `webhook-signature`, Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec): `v1,` and
 *   the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded part after `whsec_`. It covers the time,
 *   so a receiver can refuse replays. One value per secret while a rotation overlaps.
 */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64; more than SHA-256's 32 adds no strength (RFC 2104, section 3). */
const SECRET_BYTES = 32;

export interface DeliveryToSign {
  /** The same for every attempt of one delivery. */
  deliveryId: string;
  eventType: string;
  /** Exactly the text sent. */
  body: Buffer | string;
  /** The current secret first, then the previous one while its rotation overlaps. */
  secrets: readonly [string, ...string[]];
  /** The one that makes X-Service-Signature. */
  plainSecret: string;
  /** Seconds since 1970 of this attempt, not of the event. */
  nowSeconds: number;
}

export function signedHeaders(delivery: DeliveryToSign): Record<string, string> {
  const timestamp = String(Math.floor(delivery.nowSeconds));
  return {
    'content-type': 'application/json',
    'user-agent': 'Offizin-Webhooks/1',
    'X-Service-Event': delivery.eventType,
    'X-Service-Delivery-Id': delivery.deliveryId,
    'X-Service-Signature': `sha256=${createHmac('sha256', delivery.plainSecret).update(delivery.body).digest('hex')}`,
    'webhook-id': delivery.deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': delivery.secrets
      .map((secret) => standardSignature(secret, `${delivery.deliveryId}.${timestamp}.`, delivery.body))
      .join(' '),
  };
}

/** A new secret, shown to its owner once: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

function standardSignature(secret: string, prefix: string, body: Buffer | string): string {
  const signature = createHmac('sha256', signingKey(secret)).update(prefix).update(body).digest('base64');
  return `v1,${signature}`;
}

/** Throws for a malformed secret, which would silently sign with an empty or shortened key. */
function signingKey(secret: string): Buffer {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  if (!secret.startsWith(SECRET_PREFIX) || key.length < 24) {
    throw new Error('a webhook secret must be whsec_ followed by at least 24 bytes in base64');
  }
  return key;
}
