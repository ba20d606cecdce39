import { Refused } from '@offizin/contracts/calls/errors';
import type { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { OFFER_STATES, type OfferState } from '@offizin/contracts/requests/partner-answer';
import { acceptedPayload, decideAnswer, type OfferAnswer } from './offer';

const ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c24';

function outcomeOf(state: OfferState | null, answer: OfferAnswer, meant: string | null = null): string {
  try {
    return decideAnswer({ status: 'needs_clarification', state, id: state && ID }, answer, meant);
  } catch (error) {
    if (error instanceof Refused) return error.code;
    throw error;
  }
}

it.each([
  ['open', 'first', 'first'],
  ['accepted', 'repeat', 'already_decided'],
  ['declined', 'already_decided', 'repeat'],
  ['expired', 'offer_expired', 'offer_expired'],
  ['ended', 'conflict', 'conflict'],
  [null, 'not_found', 'not_found'],
] as const)('an offer that is %s: accepted %s, declined %s', (state, accepted, declined) => {
  expect([outcomeOf(state, 'accepted'), outcomeOf(state, 'declined')]).toEqual([accepted, declined]);
});

it.each(OFFER_STATES)('an answer to another offer is none to one that is %s', (state) => {
  expect(outcomeOf(state, 'accepted', '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c25')).toBe('conflict');
  expect(outcomeOf(state, 'accepted', ID.toUpperCase())).toBe(outcomeOf(state, 'accepted'));
});

it('the answer to an offer that a decision has ended names the decision', () => {
  const ended = { status: 'rejected', state: 'ended', id: ID } as const;
  expect(() => decideAnswer(ended, 'accepted', null)).toThrow(
    'The request is already rejected; that is final.',
  );
});

describe('the payload of an accepted offer', () => {
  const offer = {
    id: ID,
    items: [
      { p1_id: 'p1', name: 'Blüte', quantity: 1, price: 9 },
      { p1_id: null, name: 'Salbe', quantity: 1, price: 2 },
      { p1_id: 'p2', name: 'Salbe', quantity: 1, price: 3 },
    ],
    total_amount: 14,
    shipping_option: null,
    valid_hours: 72,
    message: null,
  };
  const sent: OrderRequestPayload = {
    customer_name: 'Erika',
    total_amount: 99,
    shipping_option: 'Versand',
    items: [
      { product_id: 'p1', quantity: 2, price: 9, dosage: '1-0-1' },
      { name: 'Salbe', quantity: 2, price: 2, dosage: '0-0-1' },
    ],
  };

  it('has a total that is not the sum of its lines', () => {
    expect(acceptedPayload({ ...sent }, sent, { ...offer, total_amount: 18.9 })).toMatchObject({
      total_amount: 18.9,
    });
  });

  it('has its lines and no total; a dosage stays with its product', () => {
    const { items, ...rest } = acceptedPayload({ ...sent }, sent, offer);
    expect(rest).toEqual({ customer_name: 'Erika', shipping_option: 'Versand' });
    expect(items).toEqual([
      { ...offer.items[0], dosage: '1-0-1' },
      { ...offer.items[1], dosage: '0-0-1' },
      offer.items[2],
    ]);
  });

  it('has the dosage of each of two lines of one product, and no more of it than was sent', () => {
    const line = { p1_id: 'p1', quantity: 1, price: 9 };
    const twice = [
      { ...line, dosage: '1-0-0' },
      { ...line, dosage: '0-0-2' },
    ];
    const lines = [1, 2, 3].map((quantity) => ({ p1_id: 'p1', name: null, quantity, price: 9 }));
    const { items } = acceptedPayload({}, { ...sent, items: twice }, { ...offer, items: lines });
    expect(items).toEqual([{ ...lines[0], dosage: '1-0-0' }, { ...lines[1], dosage: '0-0-2' }, lines[2]]);
  });

  it('has the delivery of the offer, and unknown keys', () => {
    const unknown = { ...sent, questionnaire: { a: 1 } };
    expect(acceptedPayload(unknown, sent, { ...offer, shipping_option: 'Express' })).toMatchObject({
      shipping_option: 'Express',
      questionnaire: { a: 1 },
    });
  });

  it('has the lines of the offer where a prescription came without lines', () => {
    const { items } = acceptedPayload({ customer_name: 'Erika' }, { customer_name: 'Erika' }, offer);
    expect(items).toEqual(offer.items);
  });
});
