import type { KeyUse } from '@offizin/contracts/people/directory';
import { apiKeyKind, hashApiKey, KeyUses, MAX_USES_PER_MESSAGE, newApiKey } from './api-key';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-';

it.each(['org', 'int'] as const)('recognises the keys of kind %s that it creates', (kind) => {
  for (let count = 0; count < 500; count++) {
    const key = newApiKey(kind);
    expect(key).toMatch(new RegExp(`^ofz_${kind}_[0-9A-Za-z]{22,}_[0-9A-Za-z]{6}$`));
    expect(apiKeyKind(key)).toBe(kind);
  }
});

it('never makes the same key twice', () => {
  expect(new Set(Array.from({ length: 5_000 }, () => newApiKey('org'))).size).toBe(5_000);
});

it('refuses every key with one character changed, at every place and to every other character', () => {
  for (const kind of ['org', 'int'] as const) {
    const key = newApiKey(kind);
    for (let at = 0; at < key.length; at++) {
      for (const letter of ALPHABET) {
        if (letter === key[at]) continue;
        expect(apiKeyKind(key.slice(0, at) + letter + key.slice(at + 1))).toBeNull();
      }
    }
  }
});

it('refuses every key with one character left out, doubled, or exchanged with its neighbour', () => {
  const key = newApiKey('int');
  for (let at = 0; at < key.length; at++) {
    const [letter = '', next = ''] = key.slice(at, at + 2);
    expect(apiKeyKind(key.slice(0, at) + key.slice(at + 1))).toBeNull();
    expect(apiKeyKind(key.slice(0, at) + letter + key.slice(at))).toBeNull();
    if (next !== '' && next !== letter) {
      expect(apiKeyKind(key.slice(0, at) + next + letter + key.slice(at + 2))).toBeNull();
    }
  }
});

it('refuses a checksum made for the other kind', () => {
  const key = newApiKey('org');
  expect(apiKeyKind(key.replace('ofz_org_', 'ofz_int_'))).toBeNull();
});

it.each([
  '',
  ' ',
  'ofz',
  'ofz_org__000000',
  `ofz_org_${'a'.repeat(24)}_000000`,
  'a'.repeat(1_000_000),
  '\u0000',
])('refuses what cannot be a key: %p', (text) => {
  expect(apiKeyKind(text)).toBeNull();
});

it('refuses a key with anything around it', () => {
  const key = newApiKey('org');
  for (const text of [` ${key}`, `${key} `, `${key}\n`, `${key}\u0000`, `Bearer ${key}`]) {
    expect(apiKeyKind(text)).toBeNull();
  }
});

it('hashes to the SHA-256 in hex', () => {
  expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

describe('uses of keys', () => {
  const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

  class Bench {
    nowMs = START_MS;
    readonly reported: KeyUse[][] = [];
    failing = false;
    clockIsOffMs = 0;
    readonly uses = new KeyUses(
      async (uses) => {
        if (this.failing) throw new Error('order-core is unavailable');
        this.reported.push(uses);
      },
      () => this.nowMs,
      () => this.nowMs + this.clockIsOffMs,
    );
  }

  it('reports the uses of several keys in one message', async () => {
    const bench = new Bench();
    bench.uses.note('a');
    bench.nowMs += 10;
    bench.uses.note('b');
    await bench.uses.flush();
    expect(bench.reported).toEqual([
      [
        { key_id: 'a', at: '2026-01-01T00:00:00.000Z' },
        { key_id: 'b', at: '2026-01-01T00:00:00.010Z' },
      ],
    ]);
  });

  it('reports a key at most once a minute', async () => {
    const bench = new Bench();
    for (let second = 0; second < 180; second++) {
      bench.nowMs = START_MS + second * 1000;
      bench.uses.note('a');
      await bench.uses.flush();
    }
    expect(bench.reported.flat().map(({ at }) => at.slice(14, 19))).toEqual(['00:00', '01:00', '02:00']);
  });

  it('sends nothing without uses', async () => {
    const bench = new Bench();
    await bench.uses.flush();
    expect(bench.reported).toEqual([]);
  });

  it('splits reports over the limit of one message', async () => {
    const bench = new Bench();
    for (let key = 0; key <= MAX_USES_PER_MESSAGE; key++) bench.uses.note(String(key));
    await bench.uses.flush();
    await bench.uses.flush();
    expect(bench.reported.map((uses) => uses.length)).toEqual([MAX_USES_PER_MESSAGE, 1]);
  });

  it('ignores a failed report, and continues with the next', async () => {
    const bench = new Bench();
    bench.failing = true;
    bench.uses.note('a');
    await bench.uses.flush();
    bench.failing = false;
    bench.nowMs += 60_000;
    bench.uses.note('a');
    await bench.uses.flush();
    expect(bench.reported).toHaveLength(1);
  });

  it('reports the next use with the right time once the clock is corrected', async () => {
    const bench = new Bench();
    bench.clockIsOffMs = 86_400_000;
    bench.uses.note('a');
    await bench.uses.flush();
    bench.clockIsOffMs = 0;
    bench.nowMs += 60_000;
    bench.uses.note('a');
    await bench.uses.flush();
    expect(bench.reported.at(-1)).toEqual([{ key_id: 'a', at: '2026-01-01T00:01:00.000Z' }]);
  });
});
