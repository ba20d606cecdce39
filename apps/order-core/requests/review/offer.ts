import { invalid, Refused } from '@offizin/contracts/calls/errors';
import type { OfferBody } from '@offizin/contracts/requests/offers';
import type { OrderRequestPayload, OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import type { OfferState } from '@offizin/contracts/requests/partner-answer';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { sumOfLines } from '../../orders/orders/order-patch';
import { approvedOrder } from '../intake/approved-order';
import type { StoredOffer } from '../intake/read-back.store';
import { lineProblems, linesOf } from '../intake/submission';
import { isUndecided, tooLate } from './decision';

/** What the pharmacist offers for a request, and what the answer of its sender does. */

type Offered = Omit<StoredOffer, 'id' | 'message'>;

/** Lines, money and sizes have the limits of an approval and of a submission, so that the offer can be accepted. Throws `Refused`. */
export function offered(
  payload: OrderRequestPayload,
  { items: given, total_amount: total, shipping_option: option, valid_hours }: OfferBody,
): Offered {
  const { items, total_amount, shipping_option } = approvedOrder(payload, {
    items: given,
    ...(total !== undefined && { total_amount: total }),
    ...(option && { shipping_option: option }),
  }).fields;
  const problems = lineProblems({ items }, true);
  if (problems.length > 0) throw invalid(problems);
  if (
    canonicalJson([items, shipping_option]) ===
    canonicalJson([linesOf(payload), payload.shipping_option ?? null])
  )
    throw invalid([{ field: 'items', message: 'are those of the request: there is nothing to offer' }]);
  return { items, total_amount, shipping_option, valid_hours };
}

/** Whether an open offer says the same. */
export function isSameOffer(
  open: StoredOffer | null,
  { items, total_amount, shipping_option, valid_hours }: Offered,
): boolean {
  return (
    open !== null &&
    open.valid_hours === valid_hours &&
    canonicalJson([open.items, open.total_amount, open.shipping_option]) ===
      canonicalJson([items, total_amount, shipping_option])
  );
}

/**
 * The payload of the next version: the lines of the offer, with its total where that is not their sum. `sent` is the same
 * payload, validated. The dosage of a line whose product stays is that of the prescription: each sent line gives its own once.
 */
export function acceptedPayload(
  payload: Record<string, unknown>,
  { items: sent }: OrderRequestPayload,
  { items, total_amount, shipping_option }: StoredOffer,
): Record<string, unknown> {
  const { total_amount: _ofSentLines, ...kept } = payload;
  const left = [...(sent ?? [])];
  const dosageOf = (line: StoredOffer['items'][number]) => {
    const index = left.findIndex(({ p1_id, product_id, name = null }) => {
      const id = p1_id ?? product_id ?? null;
      return id === line.p1_id && (id !== null || name === line.name);
    });
    return index < 0 ? undefined : left.splice(index, 1)[0]?.dosage;
  };
  const lines = items.map((line) => {
    const dosage = dosageOf(line);
    return { ...line, ...(dosage && { dosage }) };
  });
  const isSum = total_amount === sumOfLines(items);
  return {
    ...kept,
    items: lines,
    ...(!isSum && { total_amount }),
    ...(shipping_option && { shipping_option }),
  };
}

export type OfferAnswer = Extract<OfferState, 'accepted' | 'declined'>;

/** `state` and `id` are null without an offer. */
interface AnsweredOffer {
  status: OrderRequestStatus;
  state: OfferState | null;
  id: string | null;
}

/** `repeat`: the answer was given before. Throws `Refused`. */
export function decideAnswer(
  { status, state, id }: AnsweredOffer,
  answer: OfferAnswer,
  meant: string | null,
): 'first' | 'repeat' {
  if (state === null) throw new Refused('not_found', 'There is no offer for this request.');
  if (meant !== null && meant.toLowerCase() !== id)
    throw conflict('There is another offer now: read the request, then answer.');
  if (state === answer) return 'repeat';
  switch (state) {
    case 'open':
      return 'first';
    case 'expired':
      throw new Refused(
        'offer_expired',
        'The offer has expired: the pharmacist decides about the request as it was sent.',
      );
    case 'ended':
      if (!isUndecided(status)) throw tooLate(status, null);
      throw conflict('The offer has ended: the pharmacy took it back, or the request has another version.');
    case 'accepted':
    case 'declined':
      throw new Refused('already_decided', `The offer is already ${state}; that is final.`);
  }
}

function conflict(message: string): Refused {
  return new Refused('conflict', message);
}
