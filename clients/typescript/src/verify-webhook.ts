import { createHmac, timingSafeEqual } from 'node:crypto';
import type { components, operations } from './generated/api';

type AnyEvent = components['schemas']['WebhookEvent'];
type Kind = AnyEvent['event_type'];

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

/** An event of any kind: `event_type` narrows `metadata`. */
export type WebhookEvent = {
  [EventType in Kind]: Omit<AnyEvent, 'event_type' | 'metadata'> & {
    event_type: EventType;
    metadata: Exclude<BodyOf<operations[`receive.${EventType}`]>['metadata'], undefined>;
  };
}[Kind];

type AnyCallback = components['schemas']['CallbackEvent'];

/** An event as a partner's callback gets it: `event_type` narrows `metadata`. */
export type CallbackEvent = {
  [EventType in AnyCallback['event_type']]: Omit<AnyCallback, 'event_type' | 'metadata'> & {
    event_type: EventType;
    metadata: Omit<AnyCallback['metadata'], Moved> &
      (EventType extends 'order_status_updated' ? Required<Pick<AnyCallback['metadata'], Moved>> : unknown) &
      (EventType extends 'order_updated' ? Required<Pick<AnyCallback['metadata'], 'changed'>> : unknown);
  };
}[AnyCallback['event_type']];
type Moved = 'old_status' | 'new_status' | 'changed' | 'old' | 'new';

type Headers = Record<string, string | string[] | undefined>;

/** A message that is older or newer than this is refused as a replay. Source: Standard Webhooks 1.0. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

/** The delivery is not from the subscription's secret, or not from now. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** A delivery as it came, and its secret. `nowSeconds` is for tests. */
type Delivery = [body: Buffer | string, headers: Headers, secret: string, nowSeconds?: number];

/**
 * Verifies a delivery and gives back its event. `body` must be the bytes as they came, not a parsed object. While a
 * secret is rotated the delivery carries two signatures, one of which fits. Answer a repeated `webhook-id` with 200.
 * Throws `WebhookVerificationError`.
 */
export function verifyWebhook(...delivery: Delivery): WebhookEvent {
  return verified(...delivery) as WebhookEvent;
}

/** The same for a delivery to the callback of a partner. Throws `WebhookVerificationError`. */
export function verifyCallback(...delivery: Delivery): CallbackEvent {
  return verified(...delivery) as CallbackEvent;
}

function verified(...[body, headers, secret, nowSeconds = Math.floor(Date.now() / 1000)]: Delivery): unknown {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A webhook-* header is missing.');
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= TOLERANCE_SECONDS)) {
    throw new WebhookVerificationError('The delivery is too old or too new.');
  }
  const key = Buffer.from(
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
    'base64',
  );
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const fits = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!fits) throw new WebhookVerificationError('No signature fits the secret.');
  return JSON.parse(body.toString()) as unknown;
}

/** Header names in any case, as frameworks hand them over. */
function headerOf(headers: Headers, name: string): string | undefined {
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  const value = entry?.[1];
  return Array.isArray(value) ? value[0] : value;
}
