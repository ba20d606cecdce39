import { bodyOf, changeOf, draftOf, EMPTY_DRAFT, isComplete } from './endpoint-draft';
import type { Webhook } from './webhooks.calls';

const webhook: Webhook = {
  id: 'w',
  url: 'https://erp.example/hook',
  event_types: ['order_created', 'order_updated'],
  description: null,
  is_active: true,
  rate_per_second: 5,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: '',
  updated_at: '',
};

it('sends nothing typed as null, not as an empty text', () => {
  expect(bodyOf({ ...EMPTY_DRAFT, url: ' https://erp.example ' })).toEqual({
    url: 'https://erp.example',
    description: null,
    event_types: null,
    rate_per_second: null,
  });
});

it('changes only what is another value', () => {
  const draft = draftOf(webhook);
  expect(changeOf(draft, webhook)).toEqual({});
  expect(changeOf({ ...draft, kinds: ['order_updated', 'order_created'] }, webhook)).toEqual({});
  expect(changeOf({ ...draft, kinds: null, rate: '' }, webhook)).toEqual({
    event_types: null,
    rate_per_second: null,
  });
});

it.each([
  ['no address', { url: ' ' }],
  ['no kind', { kinds: [] }],
  ['a rate that is no number', { rate: 'fast' }],
  ['a rate of none', { rate: '0' }],
  ['a rate above the limit', { rate: '1001' }],
])('is not complete with %s', (_, change) => {
  const draft = draftOf(webhook);
  expect([isComplete(draft), isComplete({ ...draft, ...change })]).toEqual([true, false]);
});
