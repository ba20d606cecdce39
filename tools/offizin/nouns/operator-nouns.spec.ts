import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { keyBody } from './operator-nouns';

describe('keys create', () => {
  it('makes a key for tokens with the scopes that are named, or all', () => {
    expect(keyBody({ org: 'o', kind: 'org' }).scopes).toEqual(ALL_SCOPES);
    expect(keyBody({ org: 'o', kind: 'org', scopes: 'all' }).scopes).toEqual(ALL_SCOPES);
    expect(keyBody({ org: 'o', kind: 'org', scopes: 'orders.read,orders.write' }).scopes).toEqual([
      'orders.read',
      'orders.write',
    ]);
    expect(() => keyBody({ org: 'o', kind: 'org', scopes: 'orders.eat' })).toThrow('no scope orders.eat');
  });

  it('makes a connector key without scopes, and refuses to drop some silently', () => {
    expect(keyBody({ org: 'o', kind: 'int', shop: 's' })).toMatchObject({ kind: 'int', shop_id: 's' });
    expect(keyBody({ org: 'o', kind: 'int' }).scopes).toBeUndefined();
    const blind = keyBody({ org: 'o', kind: 'int', assortment: false });
    expect(blind.reads_assortment).toBe(false);
    for (const scopes of ['orders.read', 'all', '']) {
      expect(() => keyBody({ org: 'o', kind: 'int', scopes })).toThrow('carries no scopes');
    }
  });
});
