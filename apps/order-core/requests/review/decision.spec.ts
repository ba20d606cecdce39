import { ORDER_REQUEST_STATUSES } from '@offizin/contracts/requests/order-requests';
import { ExpiryRule } from './decision';
import { Refused } from '@offizin/contracts/calls/errors';
import { digestOf, type FourEyesRule, type GivenFirst, needsTwoPeople, stepOf } from './four-eyes';

it('ends the time of requests that are not decided', () => {
  const rule = new ExpiryRule(30);
  const createdAt = '2026-11-01T10:00:00.123Z';
  const open = ORDER_REQUEST_STATUSES.filter((status) => rule.expiresAt({ status, createdAt }) !== null);
  expect(open.sort()).toEqual(['needs_clarification', 'pending']);
  expect(rule.expiresAt({ status: 'pending', createdAt })).toBe('2026-12-01T10:00:00.123Z');
});

const CONTROLLED: FourEyesRule = { four_eyes: 'controlled', four_eyes_categories: ['Betäubungsmittel'] };

function product(p1_id: string, thc: string | null, category: string | null = null) {
  return { p1_id, name: `Tee ${p1_id}`, thc, category };
}

describe('two people are needed', () => {
  const line = (p1_id: string | null, name: string | null = null) => ({ p1_id, name });
  const lines = [[line('a'), line('b', ' TEE  b')]];
  const harmless = [product('a', null), product('b', '0')];

  it('for all requests or none, whatever their lines hold', () => {
    const rule = { four_eyes_categories: [] };
    expect(needsTwoPeople({ ...rule, four_eyes: 'all' }, [], [])).toBe(true);
    expect(needsTwoPeople({ ...rule, four_eyes: 'off' }, lines, [product('a', '22')])).toBe(false);
  });

  it.each(['22', '0,5', '0.1', '18-22', '< 1'])(
    'where controlled products are, for a line with THC %s',
    (thc) => {
      expect(needsTwoPeople(CONTROLLED, lines, [product('a', thc), product('b', null)])).toBe(true);
    },
  );

  it('for a line of a listed category, however it is written', () => {
    const found = [product('a', null, ' betäubungsmittel'), product('b', null)];
    expect(needsTwoPeople(CONTROLLED, lines, found)).toBe(true);
  });

  it.each([[[]], [harmless.slice(0, 1)]])('for a line whose product nobody knows', (known) => {
    expect(needsTwoPeople(CONTROLLED, lines, known)).toBe(true);
    expect(needsTwoPeople(CONTROLLED, [[line(null)]], harmless)).toBe(true);
  });

  it.each([
    ['whose name is not that of its product', [[line('a', 'Blüte')]], harmless],
    [
      'that was sent, though staff corrected it',
      [[line('c')], [line('a')]],
      [...harmless, product('c', '22')],
    ],
    ['whose own value hides the THC of the catalog', lines, [{ ...product('a', '0'), thcs: ['22', '0'] }]],
    [
      'whose own category hides that of the catalog',
      lines,
      [{ ...product('a', '0'), categories: ['Betäubungsmittel', 'Tee'] }],
    ],
  ])('for a line %s', (_, lists, products) => {
    expect(needsTwoPeople(CONTROLLED, lists, [...products, ...harmless.slice(1)])).toBe(true);
  });

  it('not for the name of another layer', () => {
    const known = [{ ...product('a', null), names: ['Tee a', 'Kräuter'] }];
    expect(needsTwoPeople(CONTROLLED, [[line('a', 'Kräuter')]], known)).toBe(false);
  });

  it('not for other products', () => {
    expect(needsTwoPeople(CONTROLLED, lines, [product('a', null, 'Zubehör'), product('b', '0,0')])).toBe(
      false,
    );
  });

  it('for a request without lines, whose prescription may hold anything', () => {
    expect(needsTwoPeople(CONTROLLED, [[], [line('a')]], harmless)).toBe(true);
  });
});

describe('an approval', () => {
  const digest = digestOf({ items: 1 });
  const other = digestOf({ items: 2 });
  const first: GivenFirst = { staffId: 'anna', name: 'Anna', at: '2026-11-24T10:00:00.000Z', digest };
  const step = (who: string, given: GivenFirst | null, said: Partial<Parameters<typeof stepOf>[2]> = {}) =>
    stepOf({ kind: 'staff', actorId: who }, given, { digest, seen: undefined, ...said });
  function refusalOf(run: () => unknown): string | undefined {
    try {
      run();
    } catch (error) {
      return error instanceof Refused ? error.details?.[0]?.message : 'another error';
    }
    return undefined;
  }

  it('is the first where there is none, and the second of another person with the same content', () => {
    expect(step('anna', null)).toBe('first');
    expect(step('bodo', first)).toBe('second');
    expect(step('bodo', first, { seen: first.at })).toBe('second');
  });

  it('is not a second one of the same person, with the same or with other content', () => {
    expect(refusalOf(() => step('anna', first))).toBe('own');
    expect(refusalOf(() => step('anna', first, { digest: other, seen: first.at }))).toBe('own');
  });

  it('with other content is a new first one, if the person saw the one that it replaces', () => {
    expect(step('bodo', first, { digest: other, seen: '2026-11-24T10:00:00Z' })).toBe('first');
    expect(step('bodo', first, { digest: other })).toBe('first');
    expect(refusalOf(() => step('bodo', first, { digest: other, seen: null }))).toBe('changed');
  });

  it('does not become a first one when the seen first was taken back', () => {
    expect(refusalOf(() => step('bodo', null, { seen: first.at }))).toBe('gone');
    expect(step('bodo', null, { seen: null })).toBe('first');
  });

  it('with the same content is not a second one, if the person did not see the first', () => {
    expect(refusalOf(() => step('bodo', first, { seen: null }))).toBe('changed');
    expect(refusalOf(() => step('bodo', first, { seen: '2026-11-24T09:00:00Z' }))).toBe('changed');
  });

  it('is never that of an API key', () => {
    const key = () => stepOf({ kind: 'key', actorId: 'k' }, first, { digest, seen: undefined });
    expect(refusalOf(key)).toBe('key');
  });
});
