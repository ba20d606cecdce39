import { ORDER_REQUEST_STATUSES } from '@offizin/contracts/order-requests';
import { ExpiryRule } from './expiry-rule';

it('ends the time of requests that are not decided', () => {
  const rule = new ExpiryRule(30);
  const createdAt = '2026-11-01T10:00:00.123Z';
  const open = ORDER_REQUEST_STATUSES.filter((status) => rule.expiresAt({ status, createdAt }) !== null);
  expect(open.sort()).toEqual(['needs_clarification', 'pending']);
  expect(rule.expiresAt({ status: 'pending', createdAt })).toBe('2026-12-01T10:00:00.123Z');
});
