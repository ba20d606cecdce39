import type { Answer } from '@offizin/contracts/requests/answer-changes';
import type { RequestOffer, RequestOrder } from '@offizin/contracts/requests/partner-answer';
import { valueOf } from '@offizin/pg/queries';
import type { OrderRequestEntity } from '../../db/request-entities';
import { decrypt, encrypt } from '../../crypto/encryption';
import { OFFER_STATE } from './late-offers.store';
import { parcelsAsRead, type StoredParcel } from '../../orders/parcels/parcel';

/** What the sender of a request reads back of it: the pharmacy's offer, its answer, and the order. */

/** SQL over `o`, the order of a request where there is one: a StoredRequestOrder, without data of the customer. */
export const ORDER_OF_REQUEST = `CASE WHEN o.id IS NOT NULL THEN json_build_object(
    'external_id', o.external_id, 'status', o.status, 'items', o.items, 'total_amount', o.total_amount::float8,
    'shipping_option', o.shipping_option, 'payment_status', o.payment_status, 'shipped', o.shipped,
    'picked_up', o.picked_up, 'parcels', o.parcels) END`;

type StoredRequestOrder = Omit<RequestOrder, 'parcels'> & { parcels: StoredParcel[] };

export interface WithOrder {
  request_order: StoredRequestOrder | null;
}

export function requestOrderOf(stored: WithOrder['request_order']): RequestOrder | null {
  return stored && { ...stored, parcels: parcelsAsRead(stored.parcels) };
}

export const orderOfRequest = valueOf<WithOrder['request_order'], [orgId: string, orderId: string]>(
  'order_of_request',
  `SELECT ${ORDER_OF_REQUEST} AS request_order FROM core.orders o WHERE o.org_id = $1 AND o.id = $2`,
  null,
);

export function encryptedAnswer(key: Buffer, requestId: string, answer: Answer): Buffer {
  return encrypt(key, Buffer.from(JSON.stringify(answer)), answerRowId(requestId));
}

/** Null until the approval, of one of before answers were stored, and after an erasure. */
export function openedAnswer(
  key: Buffer,
  { id, answer_ciphertext: ciphertext }: Pick<OrderRequestEntity, 'id' | 'answer_ciphertext'>,
): Answer | null {
  return ciphertext ? (JSON.parse(decrypt(key, ciphertext, answerRowId(id)).toString()) as Answer) : null;
}

/** Row id for encrypting: the ciphertext cannot be decrypted as another column. */
function answerRowId(requestId: string): string {
  return `${requestId}:answer`;
}

/** SQL over `r`. */
export const OFFER_COLUMNS = `r.offer_ciphertext, r.offer_valid_until, ${OFFER_STATE} AS offer_state`;

/** By `valid_hours` a repeated offer differs from another one. */
export type StoredOffer = Omit<RequestOffer, 'valid_until' | 'state'> & { valid_hours: number };

type OfferRow = Pick<OrderRequestEntity, 'id' | 'offer_ciphertext' | 'offer_state' | 'offer_valid_until'>;

export function encryptedOffer(key: Buffer, requestId: string, offer: StoredOffer): Buffer {
  return encrypt(key, Buffer.from(JSON.stringify(offer)), offerRowId(requestId));
}

/** Null without an offer, and after an erasure. */
export function openedOffer(key: Buffer, { id, offer_ciphertext: ciphertext }: OfferRow): StoredOffer | null {
  return ciphertext ? (JSON.parse(decrypt(key, ciphertext, offerRowId(id)).toString()) as StoredOffer) : null;
}

/** As its sender reads it. */
export function offerAsRead(key: Buffer, row: OfferRow): RequestOffer | null {
  const { offer_state: state, offer_valid_until: validUntil } = row;
  const offer = openedOffer(key, row);
  if (!offer || !state || !validUntil) return null;
  const { id, items, total_amount, shipping_option, message } = offer;
  return { id, items, total_amount, shipping_option, valid_until: validUntil.toISOString(), state, message };
}

/** As that of an answer. */
function offerRowId(requestId: string): string {
  return `${requestId}:offer`;
}
