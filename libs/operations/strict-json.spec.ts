import fc from 'fast-check';
import { Refused } from '@offizin/contracts/calls/errors';
import { COMPLEXITY_GUARD_MS, SLOWNESS } from '@offizin/testkit/test-run';
import { MAX_JSON_DEPTH, MAX_JSON_KEYS, MAX_JSON_VALUES, parseStrictJson } from './strict-json';

function parse(text: string | Buffer): unknown {
  return parseStrictJson(Buffer.from(text));
}

function refusal(text: string | Buffer): string {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    expect(error.code).toBe('invalid_request');
    expect(error.details).toEqual([{ field: 'body', message: error.message }]);
    return error.message;
  }
  throw new Error('it was accepted');
}

function objectOf(keys: number): string {
  return `{${Array.from({ length: keys }, (_, index) => `"key${index}":0`).join(',')}}`;
}

function nested(depth: number): string {
  return '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2);
}

describe('accepts', () => {
  it.each([
    '{}',
    '[]',
    ' {"a" : [1, -2.5e3, true, null, "x"] } ',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":"a","b":"a"}',
    '["a","a",":",{"x":"y:y,{}[]\\""}]',
    '{"text":"\\\\","next":"\\\\\\""}',
    '"\\ud83d\\ude00 😀 \\u00e4"',
    '[0,-0,1E3,1e-400,1.7976931348623157e308,9007199254740991,-9007199254740991,0.1234567890123456789]',
    '"1e400 9007199254740993 __proto__ \\\\u0000"',
    '{"":1," ":2}',
    '{"prototype":1,"proto":2,"__proto":3}',
  ])('%s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('a byte order mark, as RFC 8259 allows', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  it('nesting up to the limit', () => {
    expect(parse(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)));
  });
});

describe('refuses', () => {
  it.each([
    '',
    ' ',
    '{',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '01',
    '+1',
    '1.',
    '.5',
    '1e',
    '--1',
    '1-2',
    'NaN',
    'Infinity',
    '-',
    'undefined',
    '{"a":1}{"b":2}',
    '"a',
    '"a\\',
    '"a\\"',
    '"\\x"',
    '"\\u12"',
    '"\n"',
    ']',
    '}]',
  ])('what is not JSON: %p', (text) => {
    expect(refusal(text)).toMatch(/^The body is not valid JSON/);
  });

  it.each([
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
  ])('bytes that are not UTF-8: %p %p %p', (...bytes) => {
    expect(refusal(Buffer.from(bytes))).toBe('The body is not valid UTF-8.');
  });

  it.each(['"\\u0000"', '{"a":"x\\u0000y"}', '{"\\u0000":1}', '["\\\\\\u0000"]'])('a NUL: %s', (text) => {
    expect(refusal(text)).toBe('The body holds a NUL character.');
  });

  it.each(['"\\ud800"', '"\\udc00\\ud800"', '{"\\uDBFF":1}', '["\\ud83d x \\ude00"]'])(
    'an unpaired surrogate: %s',
    (text) => {
      expect(refusal(text)).toBe('The body holds an unpaired surrogate.');
    },
  );

  it.each(['{"a":1,"a":1}', '{"a":{"b":1,"b":2}}', '[{},{"x":[],"y":{"x":1},"x":0}]', '{"a":1,"\\u0061":2}'])(
    'a duplicate key: %s',
    (text) => {
      expect(refusal(text)).toMatch(/^The key \w occurs twice in one object\.$/);
    },
  );

  it('a duplicate long key, with a short message', () => {
    const key = 'k'.repeat(400_000);
    expect(refusal(`{"${key}":1,"${key}":2}`).length).toBeLessThan(200);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '\\u005f_proto__', 'construct\\u006fr'])(
    'a key that every object has: %s',
    (key) => {
      expect(refusal(`{"a":[{"${key}":{"polluted":true}}]}`)).toMatch(/^The key \w+ is not accepted\.$/);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    },
  );

  it.each(['1e400', '-1e400', '{"a":1E+999}', '[1,2e308]', '9'.repeat(400)])('infinity: %p', (text) => {
    expect(refusal(text)).toMatch(
      /^The body holds -?[\dE+e]+…?, a number that is too large: send one from -9007199254740991 to 9007199254740991\.$/,
    );
  });

  const TOO_MANY_DIGITS = [
    '9007199254740992',
    '{"a":-9007199254740992}',
    '[12345678901234567890]',
    '9'.repeat(300),
  ];

  it.each(TOO_MANY_DIGITS)('a whole number that would lose digits: %s', (text) => {
    const [, number] =
      /^The body holds (-?\d+)…?, a whole number of more digits than a JSON number keeps: send one from -9007199254740991 to 9007199254740991, or an id as a string\.$/.exec(
        refusal(text),
      ) ?? [];
    expect(text).toContain(number);
  });

  it('more keys in one object than allowed', () => {
    expect(Object.keys(parse(objectOf(MAX_JSON_KEYS)) as object)).toHaveLength(MAX_JSON_KEYS);
    expect(refusal(objectOf(MAX_JSON_KEYS + 1))).toBe(`An object may have at most ${MAX_JSON_KEYS} keys.`);
  });

  it('nesting beyond the limit, including 20,000 unclosed levels', () => {
    for (const text of [nested(MAX_JSON_DEPTH + 2), '['.repeat(20_000), '{"a":'.repeat(20_000)]) {
      expect(refusal(text)).toBe(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
    }
  });
});

describe('with generated texts', () => {
  it('returns the same value as JSON.parse for any spelling', () => {
    const isSame = fc.property(JSON_TEXT, (text) => expect(parse(text)).toEqual(JSON.parse(text)));
    fc.assert(isSame, { numRuns: 3_000 });
  });

  it('refuses more values than allowed before it creates them', () => {
    expect(parse(`[${'0,'.repeat(MAX_JSON_VALUES - 2)}0]`)).toHaveLength(MAX_JSON_VALUES - 1);
    for (const value of ['0', '[]', '{}', '{"a":0}']) {
      const text = `[${`${value},`.repeat(MAX_JSON_VALUES)}0]`;
      expect(refusal(text)).toBe(`The body holds more than ${MAX_JSON_VALUES} values.`);
    }
  });

  it('never accepts what JSON.parse refuses, and fails only with a refusal', () => {
    const isStricter = fc.property(
      JSON_TEXT,
      fc.array(DAMAGE, { minLength: 1, maxLength: 3 }),
      (good, damages) => {
        const broken = damages.reduce((text, damage) => damage(text), good).toWellFormed();
        const strict = outcome(() => parse(broken));
        const plain = outcome(() => JSON.parse(broken));
        if (strict.accepted) expect(strict).toEqual(plain);
        else expect(strict.thrown).toBeInstanceOf(Refused);
      },
    );
    fc.assert(isStricter, { numRuns: 5_000 });
  });
});

describe('is fast with', () => {
  it.each([
    ['14 MB of base64', `{"pdf":"${'QUJD'.repeat(3_500_000)}"}`],
    ['7 MB of escaped quotes', `{"a":"${'\\"'.repeat(3_500_000)}"}`],
    ['10 MB of backslashes', `{"a":"${'\\\\'.repeat(5_000_000)}"}`],
    ['6 MB of \\u escapes', `{"a":"${'\\u00e4'.repeat(1_000_000)}"}`],
    ['all the values that a body may hold', `[${'1,'.repeat(MAX_JSON_VALUES - 10)}1]`],
    ['1 MB of one number', `[0.${'1'.repeat(1_000_000)}]`],
    ['60 objects of 1,000 keys', `[${Array.from({ length: 60 }, () => objectOf(MAX_JSON_KEYS)).join(',')}]`],
  ])('%s', (_, text) => {
    const bytes = Buffer.from(text);
    const startedAt = performance.now();
    parseStrictJson(bytes);
    // A quadratic scan would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(COMPLEXITY_GUARD_MS * SLOWNESS);
  });
});

function outcome(work: () => unknown): { accepted: boolean; value?: unknown; thrown?: unknown } {
  try {
    return { accepted: true, value: work() };
  } catch (thrown) {
    return { accepted: false, thrown };
  }
}

const SPACE = fc.constantFrom('', '', ' ', '\n\t');
const PARTS = 'a|"|\\|\\"|:|,|{|}|[|]|ä|😀|\n|\t|/|\u2028|1e400'.split('|');
const TEXT = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 }).map((parts) => parts.join(''));
const NUMBER = fc.oneof(fc.constantFrom(0, -1, 1e300, 12.5e-7, -1e-10), fc.nat(100), fc.maxSafeNat());

/** A text as JSON, its letters written as they are or as escapes. */
function spelled(text: string, isEscaped: boolean): string {
  const escape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const json = JSON.stringify(text);
  return isEscaped ? json.replace(/[aä]/g, escape) : json;
}

const STRING = fc.tuple(TEXT, fc.boolean()).map(([text, isEscaped]) => spelled(text, isEscaped));
/** With a letter that no key of every object ends with. */
const KEY = TEXT.map((text) => spelled(`${text}k`, text.length % 2 === 0));

/** Valid texts of every kind, with white space and escapes. */
const { json: JSON_TEXT } = fc.letrec<{ json: string }>((tie) => {
  const value = fc.tuple(SPACE, tie('json'), SPACE).map((parts) => parts.join(''));
  const member = fc.tuple(KEY, SPACE, value);
  const members = fc.uniqueArray(member, { maxLength: 4, selector: ([key]): unknown => JSON.parse(key) });
  return {
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.constantFrom('null', 'true', 'false'), NUMBER.map(String), STRING),
      fc.array(value, { maxLength: 4 }).map((values) => `[${values.join(',')}]`),
      members.map((all) => `{${all.map(([key, space, one]) => ` ${key}${space}:${one}`).join(',')}}`),
    ),
  };
});

const BREAKS = ['', '"', '\\', '{', '}', ',', ':', '0', 'e', '-', '\\u0000', '\\ud800', '\u0000'];
/** Puts something somewhere into a text, or over a character of it. */
const DAMAGE = fc.tuple(fc.nat(), fc.constantFrom(...BREAKS), fc.nat(1)).map(([anywhere, put, over]) => {
  return (text: string): string => {
    const at = anywhere % (text.length + 1);
    return text.slice(0, at) + put + text.slice(at + over);
  };
});
