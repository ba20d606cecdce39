import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  Amount,
  CalendarDate,
  Email,
  Flag,
  type FieldOptions,
  FreeObject,
  Int,
  Money,
  Nested,
  OneOf,
  Quantity,
  QueryFlag,
  QueryInteger,
  QueryText,
  Text,
  Timestamp,
  Slug,
  UseInstead,
} from './fields';
import { fieldsOf } from './schema';

class Inner {
  @Text() name!: string;
}
const inner = (): typeof Inner => Inner;

interface Case {
  decorator: string;
  make: (options: FieldOptions) => PropertyDecorator;
  valid: unknown[];
  invalid: unknown[];
}

const cases: Case[] = [
  {
    decorator: 'Text',
    make: (options) => Text({ minLength: 1, maxLength: 3, ...options }),
    valid: ['a', 'abc'],
    invalid: ['', 'abcd', 1, true, ['a'], {}],
  },
  {
    decorator: 'Text with listOf',
    make: (options) => Text({ maxLength: 3, listOf: { maxItems: 2 }, ...options }),
    valid: [[], ['a', 'b']],
    invalid: ['a', ['abcd'], ['a', 'b', 'c'], [1], [null], {}],
  },
  {
    decorator: 'CalendarDate',
    make: CalendarDate,
    valid: ['2026-01-31', '2028-02-29', '1900-01-01', '9999-12-31'],
    invalid: [
      '2026-02-29',
      '2026-13-01',
      '2026-1-1',
      '26-01-01',
      '2026-01-31T00:00:00Z',
      '0000-01-01',
      '',
      1,
    ],
  },
  {
    decorator: 'Amount',
    make: Amount,
    valid: [0, 12.5, 1_234_567_890.12],
    invalid: [-0.01, Number.NaN, Number.POSITIVE_INFINITY, '1', true, {}],
  },
  {
    decorator: 'Slug',
    make: Slug,
    valid: ['a', '1', 'bluete-10-g', 'a'.repeat(255)],
    invalid: ['', 'Blüte', 'a b', 'A', '-a', 'a-', 'a--b', 'a/b', 'a\n', 'a'.repeat(256), 1, {}],
  },
  {
    decorator: 'Email',
    make: Email,
    valid: ['a@example.org'],
    invalid: ['', 'a', 'a@', '@example.org', 'a b@example.org', `${'a'.repeat(250)}@example.org`, 1],
  },
  {
    decorator: 'OneOf',
    make: (options) => OneOf(['a', 'b'], options),
    valid: ['a', 'b'],
    invalid: ['c', '', 'A', 1, ['a'], {}],
  },
  {
    decorator: 'OneOf with many',
    make: (options) => OneOf(['a', 'b'], { many: true, ...options }),
    valid: [[], ['a'], ['a', 'b']],
    invalid: ['a', ['c'], ['a', 'b', 'a'], [null], {}],
  },
  {
    decorator: 'Timestamp',
    make: Timestamp,
    valid: [
      '2026-01-31T12:00:00Z',
      '2026-01-31T12:00+02:00',
      '2024-02-29T00:00:00.123456Z',
      '9999-12-31T23:59:59Z',
    ],
    invalid: [
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-01-31',
      '2026-01-31T24:00:00Z',
      '9999-12-31T23:59:59.9Z',
      '9999-12-31T23:59:59-01:00',
      '1900-01-01T00:00:00+14:00',
      1,
      '',
    ],
  },
  {
    decorator: 'Money',
    make: Money,
    valid: [0, 0.1 + 0.2, 19.99, 99_999_999.99],
    invalid: [-0.01, 0.001, 100_000_000, NaN, Infinity, '1.00'],
  },
  {
    decorator: 'Int',
    make: (options) => Int({ minimum: -2, maximum: 2, ...options }),
    valid: [-2, 0, 2],
    invalid: [-3, 3, 0.5, NaN, '1', true],
  },
  {
    decorator: 'Quantity',
    make: Quantity,
    valid: [1, 1_000_000],
    invalid: [0, -1, 1_000_001, 1.5, '1'],
  },
  {
    decorator: 'Flag',
    make: Flag,
    valid: [true, false],
    invalid: ['true', 0, 1, '', {}],
  },
  {
    decorator: 'FreeObject',
    make: FreeObject,
    valid: [{}, { any: { thing: [1] } }],
    invalid: [[], 'a', 1, true],
  },
  {
    decorator: 'FreeObject with payloadOf',
    make: (options) => FreeObject({ payloadOf: inner, ...options }),
    // The handler checks the known keys.
    valid: [{}, { name: 1, further: true }],
    invalid: [[], 'a'],
  },
  {
    decorator: 'Nested',
    make: (options) => Nested(inner, options),
    valid: [{ name: 'a' }],
    invalid: [{}, { name: 1 }, [], [{ name: 'a' }], 'a', 1],
  },
  {
    decorator: 'Nested with list',
    make: (options) => Nested(inner, { list: { minItems: 1, maxItems: 2 }, ...options }),
    valid: [[{ name: 'a' }], [{ name: 'a' }, { name: 'b' }]],
    invalid: [[], [{}], [[{ name: 'a' }]], ['a'], [null], { name: 'a' }, Array(3).fill({ name: 'a' })],
  },
];

it.each(cases)('$decorator accepts valid values and refuses others', ({ make, valid, invalid }) => {
  const dto = dtoOf(make({}));
  for (const value of valid) expect([value, accepts(dto, { value })]).toEqual([value, true]);
  for (const value of invalid) expect([value, accepts(dto, { value })]).toEqual([value, false]);
});

it.each(cases)('$decorator is required and not null unless declared otherwise', ({ make }) => {
  const outcomes = [{}, { optional: true }, { nullable: true }, { optional: true, nullable: true }].map(
    (options) => {
      const dto = dtoOf(make(options));
      return [accepts(dto, {}), accepts(dto, { value: null })];
    },
  );
  expect(outcomes).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ]);
});

describe('query decorators', () => {
  it.each<[string, PropertyDecorator, [string, unknown][], string[]]>([
    [
      'QueryInteger',
      QueryInteger({ minimum: 1, maximum: 200 }),
      [
        ['1', 1],
        ['200', 200],
      ],
      ['0', '201', '1.5', '', ' 1', '1e2', '0x10', 'a', '9999999999999999'],
    ],
    [
      'QueryFlag',
      QueryFlag(),
      [
        ['true', true],
        ['false', false],
      ],
      ['', '1', 'TRUE', 'yes'],
    ],
    ['QueryText', QueryText({ maxLength: 3, optional: true }), [['abc', 'abc']], ['', 'abcd']],
  ])('%s reads its text, refuses others and may be left out', (_, decorator, read, refused) => {
    const dto = dtoOf(decorator);
    for (const [text, value] of read) {
      expect(plainToInstance(dto, { value: text })).toEqual({ value });
      expect(accepts(dto, { value: text })).toBe(true);
    }
    for (const text of refused) expect([text, accepts(dto, { value: text })]).toEqual([text, false]);
    expect(accepts(dto, {})).toBe(true);
  });
});

it('UseInstead refuses the field with the name of the right one, and describes nothing', () => {
  const dto = dtoOf(UseInstead('qty'));
  expect(accepts(dto, {})).toBe(true);
  const [problem] = validateSync(plainToInstance(dto, { value: 1 }));
  expect(Object.values(problem?.constraints ?? {})).toEqual(['is not accepted here, use qty']);
  expect(fieldsOf(dto).size).toBe(0);
});

function dtoOf(decorator: PropertyDecorator): new () => object {
  class Dto {
    value?: unknown;
  }
  decorator(Dto.prototype, 'value');
  return Dto;
}

function accepts(dto: new () => object, plain: object): boolean {
  return validateSync(plainToInstance(dto, plain), { forbidUnknownValues: false }).length === 0;
}

class Range {
  @Timestamp({ optional: true }) from?: string;
  @Timestamp({ optional: true, notBefore: 'from' }) to?: string;
}

it.each([
  ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', ['must not be before from']],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:30:00+01:00', ['must not be before from']],
  ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', []],
  [undefined, '2026-01-01T00:00:00Z', []],
  ['yesterday', '2026-01-01T00:00:00Z', []],
])('compares the end of a range with its begin: %s, %s', (from, to, messages) => {
  const errors = validateSync(plainToInstance(Range, { ...(from && { from }), to }));
  const found = errors.filter(({ property }) => property === 'to');
  expect(found.flatMap(({ constraints = {} }) => Object.values(constraints))).toEqual(messages);
});
