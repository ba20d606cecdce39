import { bodyOf, changeOf, draftOf, EMPTY_DRAFT, isComplete } from './endpoint-draft';
import { failedShare, stateOf } from './webhook-state';
import type { Webhook } from './webhooks.calls';

describe('an endpoint in the form', () => {
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
    ['a rate that is not a number', { rate: 'fast' }],
    ['a rate of none', { rate: '0' }],
    ['a rate above the limit', { rate: '1001' }],
  ])('is not complete with %s', (_, change) => {
    const draft = draftOf(webhook);
    expect([isComplete(draft), isComplete({ ...draft, ...change })]).toEqual([true, false]);
  });
});

describe('its state and health', () => {
  const state = (fields: Partial<Webhook>) => {
    const base: Partial<Webhook> = { is_active: true, disabled_reason: null, failing_since: null, ...fields };
    return stateOf(base as Webhook);
  };

  it('tells a paused endpoint from one that the service switched off', () => {
    expect(state({})).toBe('active');
    expect(state({ failing_since: '2026-01-01T00:00:00Z' })).toBe('failing');
    expect(state({ is_active: false })).toBe('paused');
    expect(state({ is_active: false, disabled_reason: 'receiver_gone' })).toBe('off');
  });

  it('rounds no failure away, and none of the successes', () => {
    const share = (delivered: number, failed: number) => failedShare({ delivered, failed });
    expect([share(0, 0), share(5, 0), share(0, 5)]).toEqual([null, 0, 100]);
    expect([share(9_999, 1), share(1, 9_999), share(3, 1)]).toEqual([1, 99, 25]);
  });
});
