import { type ApiKey, endsSoon, stateOf } from './key-state';

const NOW = Date.parse('2026-11-24T12:00:00.000Z');
const key: ApiKey = {
  id: 'a',
  name: 'ERP',
  kind: 'org',
  scopes: [],
  shop_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  replaced_by: null,
};
const inDays = (days: number): string => new Date(NOW + days * 86_400_000).toISOString();

it.each([
  ['live without an end', {}, 'live'],
  ['live before its end', { expires_at: inDays(1) }, 'live'],
  ['expired at its end', { expires_at: inDays(0) }, 'expired'],
  ['revoked, whatever its end', { expires_at: inDays(-1), revoked_at: inDays(-2) }, 'revoked'],
  ['replaced during the overlap', { replaced_by: 'b', expires_at: inDays(1) }, 'replaced'],
  ['expired after the overlap', { replaced_by: 'b', expires_at: inDays(-1) }, 'expired'],
])('is %s', (_, change, state) => {
  expect(stateOf({ ...key, ...change }, NOW)).toBe(state);
});

it('warns of a live key in the last two weeks, and of no other', () => {
  const warns = (change: Partial<ApiKey>): boolean => endsSoon({ ...key, ...change }, NOW);
  expect([13, 15, -1].map((days) => warns({ expires_at: inDays(days) }))).toEqual([true, false, false]);
  expect(warns({})).toBe(false);
  expect(warns({ expires_at: inDays(1), replaced_by: 'b' })).toBe(false);
});
