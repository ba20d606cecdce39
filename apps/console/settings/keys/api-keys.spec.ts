import { bodyOf, EMPTY_DRAFT, isComplete } from './key-draft';
import { type ApiKey, endsSoon, stateOf } from './key-state';

describe('a key that is made', () => {
  const NOW = Date.parse('2026-11-24T12:00:00.000Z');

  it('sends the rights of a program, and the shop of a partner', () => {
    const given = {
      ...EMPTY_DRAFT,
      name: ' ERP ',
      scopes: ['orders.read'] as const,
      shopId: 'shop',
      days: '',
    } as const;
    expect(bodyOf(given, NOW)).toEqual({
      name: 'ERP',
      kind: 'org',
      scopes: ['orders.read'],
      expires_at: null,
    });
    expect(bodyOf({ ...given, kind: 'int' }, NOW)).toEqual({
      name: 'ERP',
      kind: 'int',
      shop_id: 'shop',
      reads_assortment: true,
      expires_at: null,
    });
    expect(bodyOf({ ...given, kind: 'int', shopId: '' }, NOW).shop_id).toBeNull();
  });

  it('counts the lifetime from now', () => {
    expect(bodyOf({ ...EMPTY_DRAFT, days: '30' }, NOW).expires_at).toBe('2026-12-24T12:00:00.000Z');
  });

  it('is complete with a name, and for a program with a right', () => {
    const named = { ...EMPTY_DRAFT, name: 'ERP' };
    expect(isComplete({ ...named, scopes: ['orders.read'] })).toBe(true);
    expect(isComplete({ ...named, kind: 'int' })).toBe(true);
    expect(isComplete(named)).toBe(false);
    expect(isComplete({ ...named, name: ' ', scopes: ['orders.read'] })).toBe(false);
  });
});

describe('a key that exists', () => {
  const NOW = Date.parse('2026-11-24T12:00:00.000Z');
  const key: ApiKey = {
    id: 'a',
    name: 'ERP',
    kind: 'org',
    scopes: [],
    shop_id: null,
    reads_assortment: false,
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
});
