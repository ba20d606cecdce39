import { bodyOf, EMPTY_DRAFT, isComplete } from './key-draft';

const NOW = Date.parse('2026-11-24T12:00:00.000Z');

it('sends the rights of a program, and the shop of a partner', () => {
  const given = {
    ...EMPTY_DRAFT,
    name: ' ERP ',
    scopes: ['orders.read'] as const,
    shopId: 'shop',
    days: '',
  } as const;
  expect(bodyOf(given, NOW)).toEqual({ name: 'ERP', kind: 'org', scopes: ['orders.read'], expires_at: null });
  expect(bodyOf({ ...given, kind: 'int' }, NOW)).toEqual({
    name: 'ERP',
    kind: 'int',
    shop_id: 'shop',
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
