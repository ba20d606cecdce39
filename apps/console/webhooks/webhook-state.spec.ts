import { failedShare, stateOf } from './webhook-state';
import type { Webhook } from './webhooks.calls';

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
