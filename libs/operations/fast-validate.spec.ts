import fc from 'fast-check';
import { plainToInstance } from 'class-transformer';
import { Max, validateSync } from 'class-validator';
import { Flag, Int, Nested, OneOf, Text, UseInstead } from '@offizin/contracts/calls/fields';
import { OrderRequestEnvelope, OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { OrderStatusPatchBody, OrderUpsertBody } from '@offizin/contracts/orders/orders';
import { operations } from '@offizin/contracts/operations';
import { fieldsOf, type JsonSchema } from '@offizin/contracts/calls/schema';
import { fastValidate } from './fast-validate';

type DtoClass = new () => object;

const CLASSES = [
  ...classesOf([
    OrderRequestPayload,
    ...operations.flatMap(({ body, query }) => [body ?? [], query ?? []].flat()),
  ]),
];

const STRANGE: unknown[] = [
  '',
  ' ',
  'a',
  'ä'.repeat(300),
  '💊'.repeat(200),
  '2026-02-30',
  '2026-01-31T12:00:00Z',
  'a@b.de',
  '5',
  -1,
  0,
  1,
  1.005,
  4.95,
  1e9,
  2 ** 53,
  1e308,
  true,
  false,
  null,
  undefined,
  [],
  [[]],
  [null],
  ['a'],
  [{}],
  {},
  { a: 1 },
  { constructor: 1 },
  new Date(0),
  Buffer.from('a'),
  { a: { b: [1, { c: null }, [[]]] } },
];

/**
 * Through class-validator: null if it refuses or fails (as for a key `constructor`, which our parser never accepts).
 */
function complete(dto: DtoClass, plain: object, keepUnknown = false): object | null {
  try {
    return completeOrThrow(dto, plain, keepUnknown);
  } catch {
    return null;
  }
}

function completeOrThrow(dto: DtoClass, plain: object, keepUnknown: boolean): object | null {
  const instance = plainToInstance(dto, plain);
  const errors = validateSync(instance, {
    whitelist: !keepUnknown,
    forbidNonWhitelisted: !keepUnknown,
    stopAtFirstError: true,
  });
  return errors.length === 0 ? instance : null;
}

it.each(CLASSES.map((dto) => [dto.name, dto] as const))(
  'accepts of %s nothing that the complete way refuses, and builds the same',
  (_, dto) => {
    fc.assert(
      fc.property(objectOf(dto, 0), fc.boolean(), (plain, keepUnknown) => {
        const accepted = fastValidate(dto, plain, keepUnknown);
        if (accepted === null) return;
        const expected = complete(dto, plain, keepUnknown);
        expect(accepted).toStrictEqual(expected);
        expect(Object.keys(accepted)).toEqual(Object.keys(expected ?? {}));
      }),
      { numRuns: 300 },
    );
  },
);

it('accepts every valid body of the most frequent operations', () => {
  for (const dto of [OrderUpsertBody, OrderStatusPatchBody] as DtoClass[]) {
    fc.assert(
      fc.property(objectOf(dto, 0), (plain) => {
        if (complete(dto, plain) !== null) expect(fastValidate(dto, plain)).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  }
});

it('accepts a valid order request with unknown fields', () => {
  const payload = {
    customer_name: 'Erika',
    items: [{ name: 'a', quantity: 1, price: 3.5, unit: 'g' }],
    note: { a: [1] },
  };
  const accepted = fastValidate(OrderRequestPayload, payload, true);
  expect(accepted).toStrictEqual(complete(OrderRequestPayload, payload, true));
  expect(accepted).not.toBeNull();
  expect(fastValidate(OrderRequestPayload, payload)).toBeNull();
  const envelope = fastValidate(OrderRequestEnvelope, { source: 'a', payload });
  expect(envelope).toStrictEqual(complete(OrderRequestEnvelope, { source: 'a', payload }));
  expect(envelope?.payload).not.toBe(payload);
});

it.each<unknown>([
  { a: new Date(0) },
  { a: [new Map()] },
  { a: { toString: 1 } },
  { constructor: 1 },
  new Date(0),
])('is not sure of a free object that no JSON of ours is: %p', (payload) => {
  expect(fastValidate(OrderRequestEnvelope, { payload })).toBeNull();
  expect(fastValidate(OrderRequestPayload, { customer_name: 'Erika', note: payload }, true)).toBeNull();
});

class Line {
  @Int({ minimum: 1 }) qty!: number;
  @Text({ optional: true, nullable: true, maxLength: 3 }) name?: string | null;
  @UseInstead('qty') quantity?: never;
}

class Body {
  @Nested(() => Line, { list: { minItems: 1, maxItems: 2 } }) lines!: Line[];
  @Nested(() => Line, { optional: true }) line?: Line;
  @OneOf(['a', 'b'], { many: true, optional: true }) kinds?: string[];
  @Flag({ optional: true }) urgent = true;
}

const RIGHT = { lines: [{ qty: 1, name: 'abc' }] };

it('builds objects of the classes, with their defaults', () => {
  const body = fastValidate(Body, { ...RIGHT, line: { qty: 2 }, kinds: ['b'] });
  expect(body).toBeInstanceOf(Body);
  expect(body?.lines[0]).toBeInstanceOf(Line);
  expect(body?.line).toBeInstanceOf(Line);
  expect({ ...body }).toEqual({ ...RIGHT, line: { qty: 2 }, kinds: ['b'], urgent: true });
});

it.each([
  ['a field too many', { ...RIGHT, further: 1 }],
  ['a field too many within', { lines: [{ qty: 1, further: 1 }] }],
  ['a missing field', {}],
  ['a text that is too long', { lines: [{ qty: 1, name: 'abcd' }] }],
  ['a number that is too small', { lines: [{ qty: 0 }] }],
  ['a field of another context', { lines: [{ qty: 1, quantity: 1 }] }],
  ['too few', { lines: [] }],
  ['too many', { lines: [RIGHT, RIGHT, RIGHT].flatMap(({ lines }) => lines) }],
  ['null in a list', { lines: [null] }],
  ['a list in a list', { lines: [[{ qty: 1 }]] }],
  ['an object where a list belongs', { lines: { qty: 1 } }],
  ['a list where an object belongs', { ...RIGHT, line: [{ qty: 1 }] }],
  ['one wrong value of several', { ...RIGHT, kinds: ['a', 'c'] }],
  ['__proto__', JSON.parse('{"lines":[{"qty":1}],"__proto__":{}}') as object],
])('is not sure of %s', (_, plain) => {
  expect(fastValidate(Body, plain)).toBeNull();
});

class Undescribed {
  @Max(3, { groups: ['some'] }) value!: number;
}

it('is never sure of a class whose rules are not described', () => {
  expect(fastValidate<object>(Undescribed, {})).toBeNull();
});

function classesOf(classes: readonly DtoClass[]): Set<DtoClass> {
  const all = new Set<DtoClass>();
  const gather = (dto: DtoClass): void => {
    if (all.has(dto)) return;
    all.add(dto);
    for (const { schema } of fieldsOf(dto).values()) for (const nested of referredTo(schema)) gather(nested);
  };
  for (const dto of classes) gather(dto);
  return all;
}

function referredTo({ $ref, $openRef, items, anyOf = [] }: JsonSchema): DtoClass[] {
  const own = [$ref, $openRef].flatMap((thunk) => (thunk ? [thunk()] : []));
  return [...own, ...[...(items ? [items] : []), ...anyOf].flatMap(referredTo)];
}

function objectOf(dto: DtoClass, depth: number): fc.Arbitrary<object> {
  const fields = [...fieldsOf(dto)];
  const model = Object.fromEntries(fields.map(([name, { schema }]) => [name, valueOf(schema, depth + 1)]));
  const requiredKeys = fields.flatMap(([name, { required }]) => (required ? [name] : []));
  const right = fc.record(model, { requiredKeys, noNullPrototype: true });
  const further = fc.record(
    { ...model, further: fc.constantFrom<unknown>(1, ...STRANGE) },
    { requiredKeys: [], noNullPrototype: true },
  );
  return fc.oneof({ weight: 19, arbitrary: right }, { weight: 1, arbitrary: further });
}

function valueOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const strange = { weight: 1, arbitrary: fc.constantFrom(...STRANGE) };
  return fc.oneof({ weight: 19, arbitrary: describedValue(schema, depth) }, strange);
}

function describedValue(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const { $ref, $openRef, anyOf } = schema;
  const dto = ($ref ?? $openRef)?.();
  if (dto) return depth > 4 ? fc.constant(null) : objectOf(dto, depth);
  if (anyOf) return fc.oneof(...anyOf.map((one) => describedValue(one, depth)));
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum);
  const types: string[] = [schema.type ?? 'object'].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)));
}

function ofType(type: string, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const { items, format } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return fc.array(valueOf(items ?? {}, depth + 1), { maxLength: 3 });
  if (type === 'integer') return fc.integer({ min: Number(schema['minimum'] ?? 0), max: 2 ** 20 });
  if (type === 'number') return fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100);
  if (type === 'object') return fc.constantFrom({}, { note: 'x' });
  if (format === 'date-time') return fc.constantFrom('2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00');
  if (format === 'date') return fc.constantFrom('2026-01-31', '2024-02-29');
  if (format === 'email') return fc.constantFrom('erika@example.org', 'a.b@c.de');
  const minLength = Number(schema['minLength'] ?? 0);
  return fc.string({ minLength, maxLength: Math.max(minLength, 20) });
}
