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
import { fieldsOf, type JsonSchema } from './schema';

class Inner {
  @Text() name!: string;
}
const inner = (): typeof Inner => Inner;

interface Case {
  decorator: string;
  make: (options: FieldOptions) => PropertyDecorator;
  schema: JsonSchema;
  nullable: JsonSchema;
  valid: unknown[];
  invalid: unknown[];
}

const MOST_MONEY = { minimum: 0, maximum: 99_999_999.99 };
const INNER_LIST = { type: 'array', items: { $ref: inner }, minItems: 1, maxItems: 2 };

const cases: Case[] = [
  {
    decorator: 'Text',
    make: (options) => Text({ minLength: 1, maxLength: 3, ...options }),
    schema: { type: 'string', maxLength: 3, minLength: 1 },
    nullable: { type: ['string', 'null'], maxLength: 3, minLength: 1 },
    valid: ['a', 'abc'],
    invalid: ['', 'abcd', 1, true, ['a'], {}],
  },
  {
    decorator: 'Text with listOf',
    make: (options) => Text({ maxLength: 3, listOf: { maxItems: 2 }, ...options }),
    schema: { type: 'array', items: { type: 'string', maxLength: 3 }, maxItems: 2 },
    nullable: { type: ['array', 'null'], items: { type: 'string', maxLength: 3 }, maxItems: 2 },
    valid: [[], ['a', 'b']],
    invalid: ['a', ['abcd'], ['a', 'b', 'c'], [1], [null], {}],
  },
  {
    decorator: 'CalendarDate',
    make: CalendarDate,
    schema: { type: 'string', format: 'date' },
    nullable: { type: ['string', 'null'], format: 'date' },
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
    schema: { type: 'number', minimum: 0 },
    nullable: { type: ['number', 'null'], minimum: 0 },
    valid: [0, 12.5, 1_234_567_890.12],
    invalid: [-0.01, Number.NaN, Number.POSITIVE_INFINITY, '1', true, {}],
  },
  {
    decorator: 'Slug',
    make: Slug,
    schema: { type: 'string', maxLength: 255, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' },
    nullable: { type: ['string', 'null'], maxLength: 255, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' },
    valid: ['a', '1', 'bluete-10-g', 'a'.repeat(255)],
    invalid: ['', 'Blüte', 'a b', 'A', '-a', 'a-', 'a--b', 'a/b', 'a\n', 'a'.repeat(256), 1, {}],
  },
  {
    decorator: 'Email',
    make: Email,
    schema: { type: 'string', format: 'email', maxLength: 255 },
    nullable: { type: ['string', 'null'], format: 'email', maxLength: 255 },
    valid: ['a@example.org'],
    invalid: ['', 'a', 'a@', '@example.org', 'a b@example.org', `${'a'.repeat(250)}@example.org`, 1],
  },
  {
    decorator: 'OneOf',
    make: (options) => OneOf(['a', 'b'], options),
    schema: { type: 'string', enum: ['a', 'b'] },
    nullable: { type: ['string', 'null'], enum: ['a', 'b', null] },
    valid: ['a', 'b'],
    invalid: ['c', '', 'A', 1, ['a'], {}],
  },
  {
    decorator: 'OneOf with many',
    make: (options) => OneOf(['a', 'b'], { many: true, ...options }),
    schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    nullable: { type: ['array', 'null'], items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    valid: [[], ['a'], ['a', 'b']],
    invalid: ['a', ['c'], ['a', 'b', 'a'], [null], {}],
  },
  {
    decorator: 'Timestamp',
    make: Timestamp,
    schema: { type: 'string', format: 'date-time' },
    nullable: { type: ['string', 'null'], format: 'date-time' },
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
    schema: { type: 'number', ...MOST_MONEY },
    nullable: { type: ['number', 'null'], ...MOST_MONEY },
    valid: [0, 0.1 + 0.2, 19.99, 99_999_999.99],
    invalid: [-0.01, 0.001, 100_000_000, NaN, Infinity, '1.00'],
  },
  {
    decorator: 'Int',
    make: (options) => Int({ minimum: -2, maximum: 2, ...options }),
    schema: { type: 'integer', minimum: -2, maximum: 2 },
    nullable: { type: ['integer', 'null'], minimum: -2, maximum: 2 },
    valid: [-2, 0, 2],
    invalid: [-3, 3, 0.5, NaN, '1', true],
  },
  {
    decorator: 'Quantity',
    make: Quantity,
    schema: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    nullable: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000 },
    valid: [1, 1_000_000],
    invalid: [0, -1, 1_000_001, 1.5, '1'],
  },
  {
    decorator: 'Flag',
    make: Flag,
    schema: { type: 'boolean' },
    nullable: { type: ['boolean', 'null'] },
    valid: [true, false],
    invalid: ['true', 0, 1, '', {}],
  },
  {
    decorator: 'FreeObject',
    make: FreeObject,
    schema: { type: 'object', additionalProperties: true },
    nullable: { type: ['object', 'null'], additionalProperties: true },
    valid: [{}, { any: { thing: [1] } }],
    invalid: [[], 'a', 1, true],
  },
  {
    decorator: 'FreeObject with payloadOf',
    make: (options) => FreeObject({ payloadOf: inner, ...options }),
    schema: { $openRef: inner },
    nullable: { anyOf: [{ $openRef: inner }, { type: 'null' }] },
    // The handler checks the known keys.
    valid: [{}, { name: 1, further: true }],
    invalid: [[], 'a'],
  },
  {
    decorator: 'Nested',
    make: (options) => Nested(inner, options),
    schema: { $ref: inner },
    nullable: { anyOf: [{ $ref: inner }, { type: 'null' }] },
    valid: [{ name: 'a' }],
    invalid: [{}, { name: 1 }, [], [{ name: 'a' }], 'a', 1],
  },
  {
    decorator: 'Nested with list',
    make: (options) => Nested(inner, { list: { minItems: 1, maxItems: 2 }, ...options }),
    schema: INNER_LIST,
    nullable: { ...INNER_LIST, type: ['array', 'null'] },
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

it.each(cases)('$decorator describes what it checks', ({ make, schema, nullable }) => {
  expect(described(make({}))).toEqual({ required: true, schema });
  expect(described(make({ nullable: true }))).toEqual({ required: true, schema: nullable });
  expect(described(make({ optional: true, description: 'Why', example: 'e', default: 'd' }))).toEqual({
    required: false,
    schema: { ...schema, description: 'Why', examples: ['e'], default: 'd' },
  });
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

  it('are described by the type they parse', () => {
    const integer = { type: 'integer', minimum: 1, maximum: 200 };
    expect(described(QueryInteger({ minimum: 1, maximum: 200 }))).toEqual({
      required: false,
      schema: integer,
    });
    expect(described(QueryFlag())).toEqual({ required: false, schema: { type: 'boolean' } });
    expect(described(QueryText())).toEqual({
      required: true,
      schema: { type: 'string', maxLength: 255, minLength: 1 },
    });
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

/** As the description says it. */
function described(decorator: PropertyDecorator): unknown {
  const field = fieldsOf(dtoOf(decorator)).get('value');
  const { $check: _check, ...schema } = field?.schema ?? {};
  return { ...field, schema };
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
