import { connectorOperations } from '../operations';
import {
  CALLBACK_STEPS,
  CERTIFICATION_STEPS,
  type ObservedCall,
  type ObservedDelivery,
  STEP_NAMES,
  stepsOf,
} from './certification-steps';
import { REJECTION_REASONS } from './order-requests';

const call: ObservedCall = {
  kind: 'call',
  operation: 'order-requests.read-external',
  status: 200,
  found: undefined,
  request: {},
};
const of = (action: string, more: Partial<ObservedCall> = {}): ObservedCall => {
  return { ...call, operation: `order-requests.${action}-external`, ...more };
};
const parcel = { id: '1', carrier: 'dhl', tracking_number: '1234', url: null, created_at: '' } as const;
const orderWith = (parcels: (typeof parcel)[]): ObservedCall['request'] => ({
  order: {
    external_id: 'visit-1',
    status: 'shipped',
    items: [],
    total_amount: 6,
    shipping_option: 'Versand',
    payment_status: 'paid',
    shipped: true,
    picked_up: false,
    parcels,
  },
});
const answer = (corrected: boolean) => ({ answer: { corrected, changes: [] } });
const delivery = (status: number | null, isForged = false): ObservedDelivery => {
  return { kind: 'delivery', isForged, status };
};

it.each<[string, ObservedCall | ObservedDelivery, string[]]>([
  ['a submission', of('submit'), ['submitted']],
  ['an equal submission', of('submit', { found: 'same' }), ['repeated']],
  ['a submission that answers a question', of('submit', { found: 'question' }), ['answered']],
  ['an invalid submission', of('submit', { status: 400 }), []],
  ['a submission of a busy shop', of('submit', { status: 429 }), ['met_429']],
  ['a submission of an unreachable shop', of('submit', { status: 502 }), ['met_502']],
  ['a submission with other content', of('submit', { status: 409 }), ['met_409']],
  ['a read', of('read'), ['read_back']],
  ['a search by reference', of('find'), ['read_back']],
  ['a read of nothing', of('read', { status: 404 }), []],
  ['a list', of('list'), ['listed']],
  ['a refused list', of('list', { status: 400 }), []],
  ['a next version', of('replace'), ['replaced']],
  ['a next version that answers', of('replace', { found: 'question' }), ['answered', 'replaced']],
  ['an equal version', of('replace', { found: 'same' }), []],
  ['a document', of('add-document', { status: 201 }), ['added_document']],
  ['a document that answers', of('add-document', { found: 'question' }), ['answered', 'added_document']],
  ['a document that is there', of('add-document', { found: 'same' }), []],
  ['a withdrawal', of('cancel'), ['withdrew']],
  ['a second withdrawal', of('cancel', { found: 'same' }), []],
  ['a late withdrawal', of('cancel', { status: 409 }), ['met_409']],
  ['a read of a correction', of('read', { request: answer(true) }), ['read_back', 'saw_correction']],
  ['a read of an approval', of('read', { request: answer(false) }), ['read_back']],
  ['an acceptance', of('accept-offer'), ['accepted_offer']],
  ['an acceptance again', of('accept-offer', { found: 'same' }), []],
  ['an acceptance that is too late', of('accept-offer', { status: 409 }), ['met_409']],
  ['a declined offer', of('decline-offer'), []],
  ['a list of products', { ...call, operation: 'products.list-external' }, []],
  ['a read with a parcel', of('find', { request: orderWith([parcel]) }), ['read_back', 'followed_to_parcel']],
  ['a read without one', of('read', { request: orderWith([]) }), ['read_back']],
  ['an event that is taken', delivery(204), ['took_callback']],
  ['an event that is not', delivery(401), []],
  ['an event without an answer', delivery(null), []],
  ['a forgery that is taken', delivery(200, true), []],
  ['a forgery that is refused', delivery(401, true), ['refused_forgery']],
  ['a forgery that makes the receiver throw', delivery(500, true), ['refused_forgery']],
  ['a forgery without an answer', delivery(null, true), []],
  ['a forgery that meets a limit', delivery(429, true), []],
  ['a forgery that meets a dead receiver', delivery(502, true), []],
])('%s counts for what it is', (_what, seen, steps) => {
  expect(stepsOf(seen)).toEqual(steps);
});

it.each(REJECTION_REASONS)('a read of a rejection counts for %s', (reason) => {
  const request = { status: 'rejected', reason } as const;
  expect(stepsOf(of('read', { request }))).toEqual(['read_back', `saw_rejected_${reason}`]);
  const open = { status: 'pending', reason } as const;
  expect(stepsOf(of('read', { request: open }))).toEqual(['read_back']);
});

it('has one row for each name, with a sentence in both languages', () => {
  expect(new Set(STEP_NAMES).size).toBe(STEP_NAMES.length);
  expect(STEP_NAMES.length).toBeGreaterThanOrEqual(12);
  for (const { de, en } of CERTIFICATION_STEPS) for (const text of [de, en]) expect(text).toMatch(/^\p{Lu}/u);
  expect(STEP_NAMES).toEqual(expect.arrayContaining([...CALLBACK_STEPS]));
});

it('names operations of the connector alone', () => {
  const names = connectorOperations.map(({ name }) => name);
  for (const action of [
    'submit',
    'read',
    'find',
    'list',
    'replace',
    'add-document',
    'cancel',
    'accept-offer',
  ])
    expect(names).toContain(of(action).operation);
});
