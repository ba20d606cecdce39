import { applyOverrides, overridesProblems, sameOverrides } from './overrides';

const fields = (given: Record<string, unknown>) => overridesProblems(given).map(({ field }) => field);

describe('merging', () => {
  // The examples of RFC 7396, appendix A, whose target and patch are objects.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('makes of %j with %j %j', (present, given, expected) => {
    expect(applyOverrides(present, given, 'merge')).toEqual(expected);
  });

  it('leaves its arguments as they are', () => {
    const present = { a: { b: 1 } };
    applyOverrides(present, { a: { c: 2 } }, 'merge');
    expect(present).toEqual({ a: { b: 1 } });
  });
});

it('replaces the whole object', () => {
  expect(applyOverrides({ a: 1, price: 3 }, { b: { c: null } }, 'replace')).toEqual({ b: { c: null } });
});

it('takes the binary noise out of a price', () => {
  expect(applyOverrides({}, { price: 0.1 + 0.2 }, 'merge')).toEqual({ price: 0.3 });
});

it('sees no change in another order of keys', () => {
  expect(sameOverrides({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toBe(true);
  expect(sameOverrides({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
});

describe('what may be overridden', () => {
  it("accepts applied keys of the right type, null, and the caller's own keys", () => {
    const applied = { price: 1.5, name: 'x', description: '', category: 'c', available: false };
    expect(fields({ ...applied, mine: [{ a: 1 }, null, 'x'] })).toEqual([]);
    expect(fields({ price: null, name: null, description: null, category: null, available: null })).toEqual(
      [],
    );
  });

  it.each([
    ['price', '1'],
    ['price', -1],
    ['price', 1.234],
    ['price', 1e9],
    ['name', 1],
    ['name', ''],
    ['name', 'x'.repeat(256)],
    ['description', 'x'.repeat(10_001)],
    ['category', []],
    ['available', 'true'],
    ['available', 1],
  ])('refuses %s = %j', (key, value) => {
    expect(fields({ [key]: value })).toEqual([`overrides.${key}`]);
  });

  it('refuses the keys that change objects, at every depth and in lists', () => {
    const given = JSON.parse('{"a":[{"__proto__":1}],"b":{"constructor":1},"prototype":1}') as object;
    expect(fields({ ...given })).toEqual([
      'overrides.a[0].__proto__',
      'overrides.b.constructor',
      'overrides.prototype',
    ]);
  });

  it('takes five levels and refuses the sixth', () => {
    expect(fields({ a: { b: { c: { d: {} } } } })).toEqual([]);
    expect(fields({ a: { b: { c: { d: { e: {} } } } } })).toEqual(['overrides.a.b.c.d.e']);
    expect(fields({ a: [[[[[]]]]] })).toEqual(['overrides.a[0][0][0][0]']);
  });

  it('takes 16 KiB of JSON and refuses one byte more', () => {
    const frame = JSON.stringify({ text: '' }).length;
    expect(fields({ text: 'x'.repeat(16 * 1024 - frame) })).toEqual([]);
    expect(fields({ text: 'x'.repeat(16 * 1024 - frame + 1) })).toEqual(['overrides']);
    expect(fields({ text: 'ä'.repeat(8 * 1024) })).toEqual(['overrides']);
  });

  it('refuses a number that no double holds', () => {
    expect(fields(JSON.parse('{"a":1e400}') as Record<string, unknown>)).toEqual(['overrides.a']);
  });

  it('names at most a hundred problems', () => {
    const given = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, { prototype: 1 }]));
    expect(fields(given)).toHaveLength(100);
  });
});
