import { Refused } from '@offizin/contracts/errors';
import type { DtoClass } from '@offizin/contracts/operation';
import { operations } from '@offizin/contracts/operations';
import { PrescriptionIngestRequest } from '@offizin/contracts/prescriptions';
import { fieldsOf, type JsonSchema } from '@offizin/contracts/schema';
import { validate } from './validate';

const WRONG: unknown[] = [
  ...[null, true, -1, 0, 1.5, 1e300, '', ' ', 'wrong', 'x'.repeat(11_000)],
  ...[[], [null], [[]], [1], ['wrong'], Array.from({ length: 1_001 }, () => 'wrong'), {}, { wrong: 1 }],
];

function classesIn(schema: JsonSchema): DtoClass<object>[] {
  const reference = schema.$ref ?? schema.$openRef;
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  return [...(reference ? [reference()] : []), ...inner.flatMap(classesIn)];
}

function withNested(dto: DtoClass<object>): DtoClass<object>[] {
  return [dto, ...[...fieldsOf(dto).values()].flatMap(({ schema }) => classesIn(schema).flatMap(withNested))];
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
    const told = problemsOf(dto, {}).map(({ field, message }) => `${field}: ${message}`);
    expect(told.sort()).toEqual(missing.map((name) => `${name}: is required`).sort());
  });

  it('does not repeat the name of the field in its message', () => {
    const problems = fields.flatMap(([name]) => WRONG.flatMap((value) => problemsOf(dto, { [name]: value })));
    if (fields.some(([, field]) => field.schema.type !== undefined))
      expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter(repeatsItsName)).toEqual([]);
  });

  it('words the message as the rest of a sentence', () => {
    const told = fields.flatMap(([name]) => WRONG.flatMap((value) => problemsOf(dto, { [name]: value })));
    const odd = told.filter(({ message }) => !/^(must|is|each value must) .*[^.]$/.test(message));
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
