import { Refused } from '@offizin/contracts/calls/errors';
import type { ApproveBody } from '@offizin/contracts/requests/order-request-review';
import { type ApprovalStep, decideStep, type JudgedContent, type StoredState } from './approval-step';
import { digestOf } from './four-eyes';

const AT = new Date('2026-11-24T10:00:00.000Z');
const CONTENT = digestOf({ items: 1 });
const OPEN: StoredState = {
  status: 'pending',
  version: 2,
  erased_at: null,
  first_approved_by: null,
  first_approved_at: null,
  first_approval_digest: null,
  first_name: null,
};
const BY_ANNA: StoredState = {
  ...OPEN,
  first_approved_by: 'anna',
  first_approved_at: AT,
  first_approval_digest: CONTENT,
  first_name: 'Anna',
};
const ERASED: StoredState = { ...OPEN, erased_at: AT };
const ALONE: JudgedContent = { needsTwoPeople: false, digest: CONTENT };
const BY_TWO: JudgedContent = { needsTwoPeople: true, digest: CONTENT };
const OTHER: JudgedContent = { needsTwoPeople: true, digest: digestOf({ items: 2 }) };
const anna = { kind: 'staff', actorId: 'anna' } as const;
const bodo = { kind: 'staff', actorId: 'bodo' } as const;
const key = { kind: 'key', actorId: 'k' } as const;
const decider = { kind: 'service', actorId: 'order-core' } as const;

type Case = [
  what: string,
  given: { by?: typeof anna | typeof bodo | typeof key | typeof decider; sent?: ApproveBody },
  stored: StoredState,
  content: JudgedContent | null,
  outcome: ApprovalStep | 'version' | 'erased' | 'own' | 'changed' | 'gone' | 'key',
];

const CASES: Case[] = [
  ['an open request, first read', {}, OPEN, null, 'judge'],
  ['an open request of the version on the screen', { sent: { version: 2 } }, OPEN, null, 'judge'],
  ['a version that its sender has replaced', { sent: { version: 1 } }, OPEN, null, 'version'],
  ['an approved request', {}, { ...OPEN, status: 'approved' }, null, 'repeat'],
  [
    'an approved one, on an old version',
    { sent: { version: 1 } },
    { ...OPEN, status: 'approved' },
    null,
    'repeat',
  ],
  ['a rejected request', {}, { ...OPEN, status: 'rejected' }, null, 'refuse'],
  ['an expired request', {}, { ...OPEN, status: 'expired' }, null, 'refuse'],
  ['a withdrawn request', {}, { ...OPEN, status: 'cancelled' }, null, 'refuse'],
  ['a request with an open question', {}, { ...OPEN, status: 'needs_clarification' }, null, 'refuse'],
  ['an erased request', {}, ERASED, null, 'judge'],
  ['an erased request, with a name', { sent: { customer_name: 'Erika' } }, ERASED, null, 'erased'],
  ['an erased request, with an empty address', { sent: { address_city: null } }, ERASED, null, 'judge'],
  ['a name, on a request that is not erased', { sent: { customer_name: 'Erika' } }, OPEN, null, 'judge'],
  ['a content for one person', {}, OPEN, ALONE, 'alone'],
  ['a content for one person, by a key', { by: key }, OPEN, ALONE, 'alone'],
  ['a content for one person, by the decider of test shops', { by: decider }, OPEN, ALONE, 'alone'],
  ['a content for one person, after a first approval', { by: bodo }, BY_ANNA, ALONE, 'alone'],
  ['a content for two', {}, OPEN, BY_TWO, 'first'],
  ['a content for two, by a key', { by: key }, OPEN, BY_TWO, 'key'],
  ['a content for two, by a key, after a first approval', { by: key }, BY_ANNA, BY_TWO, 'key'],
  ['the same content by another person', { by: bodo }, BY_ANNA, BY_TWO, 'second'],
  ['the same content by the same person', {}, BY_ANNA, BY_TWO, 'own'],
  ['other content by the same person', {}, BY_ANNA, OTHER, 'own'],
  ['other content by another person', { by: bodo }, BY_ANNA, OTHER, 'first'],
  [
    'the same content by a person who saw the first approval',
    { by: bodo, sent: { first_approval_at: AT.toISOString() } },
    BY_ANNA,
    BY_TWO,
    'second',
  ],
  [
    'the same content by a person who saw none',
    { by: bodo, sent: { first_approval_at: null } },
    BY_ANNA,
    BY_TWO,
    'changed',
  ],
  [
    'a first approval that was taken back',
    { by: bodo, sent: { first_approval_at: AT.toISOString() } },
    OPEN,
    BY_TWO,
    'gone',
  ],
];

it.each(CASES)('%s', (_, { by = anna, sent = {} }, stored, content, outcome) => {
  expect(outcomeOf(() => decideStep(by, sent, stored, content))).toBe(outcome);
});

function outcomeOf(decide: () => ApprovalStep): string {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'conflict') throw error;
    const [detail] = error.details ?? [];
    if (detail?.field === 'version') return 'version';
    return detail?.message ?? 'erased';
  }
}
