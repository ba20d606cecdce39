import { Flag, Nested, Quantity, Text } from '@offizin/contracts/calls/fields';
import { Refused } from '@offizin/contracts/calls/errors';
import type { DtoClass } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { PrescriptionIngestRequest } from '@offizin/contracts/requests/prescriptions';
import { fieldsOf, type JsonSchema } from '@offizin/contracts/calls/schema';
import { parseQuery, validate, validateQuery } from './validate';

class Line {
  @Text({ optional: true }) name?: string;
  @Quantity() qty!: number;
}

class Address {
  @Text() street!: string;
}

class Sample {
  @Text({ maxLength: 5 }) title!: string;
  @Flag({ optional: true }) urgent?: boolean;
  @Nested(() => Address, { optional: true, nullable: true }) address?: Address | null;
  @Nested(() => Line, { list: { maxItems: 3 }, optional: true }) lines?: Line[];
}

function problems(plain: unknown, options: Parameters<typeof validate>[2] = {}): Record<string, string> {
  return refused(() => validate(Sample, plain, options));
}

function refused(work: () => unknown): Record<string, string> {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    expect(error.code).toBe('invalid_request');
    return Object.fromEntries((error.details ?? []).map(({ field, message }) => [field, message]));
  }
  throw new Error('it was accepted');
}

it('returns an instance of the class with all of its fields', () => {
  const plain = {
    title: 'a',
    urgent: true,
    address: { street: 's' },
    lines: [{ qty: 1 }, { name: 'n', qty: 2 }],
  };
  const sample = validate(Sample, plain);
  expect(sample).toBeInstanceOf(Sample);
  expect(sample.lines?.[1]).toBeInstanceOf(Line);
  expect({ ...sample }).toEqual(plain);
});

it('names every problem by its path', () => {
  const plain = {
    title: 'too long',
    urgent: 'yes',
    address: { street: 5, city: 'x' },
    lines: [{ qty: 1 }, { qty: 0, nmae: 'x' }],
    further: 1,
  };
  expect(problems(plain)).toEqual({
    'address.city': 'is not a known field',
    'address.street': 'must be a string',
    further: 'is not a known field',
    'lines[1].nmae': 'is not a known field',
    'lines[1].qty': 'must be at least 1',
    title: 'must have at most 5 characters',
    urgent: 'must be true or false',
  });
});

it('puts the prefix before each path', () => {
  expect(Object.keys(problems({ title: 1, lines: [{}] }, { prefix: 'payload' })).sort()).toEqual([
    'payload.lines[0].qty',
    'payload.title',
  ]);
});

it('keeps unknown fields with keepUnknown', () => {
  expect({ ...validate(Sample, { title: 'a', further: { deep: [1] } }, { keepUnknown: true }) }).toEqual({
    title: 'a',
    further: { deep: [1] },
  });
});

it.each([null, 'text', 5, [], [{ title: 'a' }]])('refuses %p, which is not an object', (plain) => {
  expect(problems(plain)).toEqual({ body: 'must be a JSON object' });
});

it('reports at most 100 problems, in a small answer even with long names', () => {
  const plain = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`x${index}`.padEnd(10_000, 'y'), 1]),
  );
  const reported = problems(plain);
  expect(Object.keys(reported)).toHaveLength(100);
  expect(JSON.stringify(reported).length).toBeLessThan(30_000);
});

it('pollutes no prototype if __proto__ gets past the parser', () => {
  const plain: unknown = JSON.parse(
    '{"title":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  );
  try {
    validate(Sample, plain);
  } catch (error) {
    expect(error).toBeInstanceOf(Refused);
  }
  expect('polluted' in {}).toBe(false);
  expect('polluted' in Sample.prototype).toBe(false);
});

it.each([
  [
    'patient_birth_date',
    '1890-01-01',
    'must be a day of 1900 or later, not in the future, such as 2026-01-31',
  ],
  ['prescription_date', '1890-01-01', 'must be a day of 1900 or later, such as 2026-01-31'],
])('answers %s: %s with the days that there are', (field, value, message) => {
  expect(refused(() => validate(OrderRequestPayload, { [field]: value }))).toEqual({ [field]: message });
});

describe('parseQuery', () => {
  it('decodes names and values', () => {
    expect(parseQuery('a=1&b=%C3%A4+%26&empty=&bare')).toEqual({ a: '1', b: 'ä &', empty: '', bare: '' });
    expect(parseQuery('')).toEqual({});
  });

  it('reads the offset of a time whose + was not encoded', () => {
    const [sent, meant] = ['2026-01-31T12:00:00 01:00', '2026-01-31T12:00:00+01:00'];
    expect(parseQuery(`a=${meant}&b=${encodeURIComponent(meant)}`)).toEqual({ a: meant, b: meant });
    expect(parseQuery(`q=x ${sent}&r=2026-01-31 12:00`)).toEqual({ q: `x ${sent}`, r: '2026-01-31 12:00' });
  });

  it('refuses a duplicate parameter', () => {
    expect(refused(() => parseQuery('a=1&b=2&a=1'))).toEqual({ a: 'must occur only once in the query' });
  });

  it('refuses a NUL in a value', () => {
    expect(refused(() => parseQuery('a=x%00y'))).toEqual({ a: 'must not hold a NUL character' });
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty'])('refuses %s and pollutes nothing', (name) => {
    expect(refused(() => parseQuery(`${name}=polluted`))).toEqual({
      [name]: 'is not a known query parameter',
    });
    expect(Object.keys({})).toEqual([]);
  });
});

it('names an unknown parameter as one, and those that there are', () => {
  expect(refused(() => validateQuery(Line, 'qty=1&foo=2'))).toMatchObject({
    foo: 'is not a known query parameter: send any of name, qty',
  });
  expect(refused(() => validateQuery(null, 'foo=2'))).toEqual({
    foo: 'is not a known query parameter: this operation takes none',
  });
  expect(validateQuery(null, '')).toEqual({});
});

describe('messages of the fields', () => {
  const WRONG: unknown[] = [
    null,
    true,
    -1,
    0,
    1.5,
    1e300,
    '',
    ' ',
    'wrong',
    'x'.repeat(11_000),
    [],
    [null],
    [[]],
    [1],
    ['wrong'],
    Array.from({ length: 1_001 }, () => 'wrong'),
    {},
    { wrong: 1 },
  ];

  function classesIn(schema: JsonSchema): DtoClass<object>[] {
    const reference = schema.$ref ?? schema.$openRef;
    const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
    return [...(reference ? [reference()] : []), ...inner.flatMap(classesIn)];
  }

  function withNested(dto: DtoClass<object>): DtoClass<object>[] {
    return [
      dto,
      ...[...fieldsOf(dto).values()].flatMap(({ schema }) => classesIn(schema).flatMap(withNested)),
    ];
  }

  const read = operations.flatMap(({ body, query }) => [body, query].filter((dto) => dto !== null));
  const classes = [...new Set(read.flatMap(withNested))];

  function problemsOf(dto: DtoClass<object>, plain: object): { field: string; message: string }[] {
    try {
      validate(dto, plain, { keepUnknown: true });
    } catch (error) {
      if (error instanceof Refused) return error.details ?? [];
      throw error;
    }
    return [];
  }

  function repeatsItsName({ field, message }: { field: string; message: string }): boolean {
    const name =
      field
        .split('.')
        .at(-1)
        ?.replace(/\[\d+\]$/, '') ?? '';
    return new RegExp(`(^|[^\\w])${name.replace(/[^\w ]/g, '\\$&')}($|[^\\w])`).test(message);
  }

  it('reads the classes of every operation', () => {
    expect(classes).toContain(PrescriptionIngestRequest);
    expect(classes.length).toBeGreaterThan(40);
  });

  describe.each(classes.map((dto) => [dto.name, dto]))('%s', (_, dto) => {
    const fields = [...fieldsOf(dto)];

    it('reports each missing required field as required', () => {
      const required = fields.filter(([, field]) => field.required).map(([name]) => name);
      const defaults = new dto() as Record<string, unknown>;
      const missing = required.filter((name) => defaults[name] === undefined);
      const reported = problemsOf(dto, {}).map(({ field, message }) => `${field}: ${message}`);
      expect(reported.sort()).toEqual(missing.map((name) => `${name}: is required`).sort());
    });

    it('words each message as the rest of a sentence about the field, without its name', () => {
      const problems = fields.flatMap(([name]) =>
        WRONG.flatMap((value) => problemsOf(dto, { [name]: value })),
      );
      if (fields.some(([, field]) => field.schema.type !== undefined))
        expect(problems.length).toBeGreaterThan(0);
      expect(problems.filter(repeatsItsName)).toEqual([]);
      const odd = problems.filter(({ message }) => !/^(must|is|each value must) .*[^.]$/.test(message));
      expect([...new Set(odd.map(({ message }) => message))]).toEqual([]);
    });
  });

  it('names the right field when the sent one belongs to another context', () => {
    const items = [{ name: 'a', quantity: 1, price: 1 }];
    const upsert = operations.find(({ name }) => name === 'orders.upsert')?.body;
    expect(upsert && problemsOf(upsert, { shop_id: 's', external_id: 'e', items })).toEqual([
      { field: 'items[0].qty', message: 'is required' },
      { field: 'items[0].quantity', message: 'is not accepted here, use qty' },
    ]);
  });
});
