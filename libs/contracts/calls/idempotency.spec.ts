import { shownOnceFields, takesIdempotencyKey } from './idempotency';
import type { DtoClass } from './operation';
import { operations } from '../operations';
import { fieldsOf, type JsonSchema } from './schema';

/** Every field of a reply with its depth: fields of nested classes are deeper than 0. */
function fieldsOfReply(dto: DtoClass<object>, depth = 0): { name: string; once: boolean; depth: number }[] {
  return [...fieldsOf(dto)].flatMap(([name, { schema, shownOnce: once = false }]) => [
    { name, once, depth },
    ...nestedIn(schema).flatMap((nested) => fieldsOfReply(nested, depth + 1)),
  ]);
}

function nestedIn(schema: JsonSchema): DtoClass<object>[] {
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  const reference = schema.$ref ?? schema.$openRef;
  return [...(reference ? [reference()] : []), ...inner.flatMap(nestedIn)];
}

const replies = operations.flatMap(({ name, reply, ...op }) =>
  typeof reply === 'function' ? [{ name, op: { ...op, reply }, fields: fieldsOfReply(reply) }] : [],
);

it('lists the operations that show a secret once', () => {
  const showing = operations.filter((op) => shownOnceFields(op).length > 0);
  expect(showing.filter(({ access }) => access !== 'internal').map(({ name }) => name)).toEqual([
    'webhooks.create',
    'webhooks.rotate-secret',
    'api-keys.create',
    'api-keys.rotate',
  ]);
});

it('a reply that may be stored declares each of its secrets', () => {
  const looksSecret = /secret$|^api_key$|^key$|token$|password/;
  const undeclared = replies
    .filter(({ op }) => takesIdempotencyKey(op))
    .flatMap(({ name, fields }) =>
      fields
        .filter((field) => looksSecret.test(field.name) && !field.once)
        .map((field) => [name, field.name]),
    );
  expect(undeclared).toEqual([]);
});

it('a secret is at the top level of its reply, where the stored answer replaces it', () => {
  const deep = replies.flatMap(({ name, fields }) =>
    fields.filter(({ once, depth }) => once && depth > 0).map((field) => [name, field.name]),
  );
  expect(deep).toEqual([]);
});
