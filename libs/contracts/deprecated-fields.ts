import type { Deprecation } from './deprecation';
import type { DtoClass, Operation } from './operation';
import { fieldsOf, type JsonSchema } from './schema';

/** Deprecated fields by operation: which there are, and which a request uses. */

export interface DeprecatedField {
  dto: DtoClass<object>;
  name: string;
  deprecated: Deprecation;
}

/** The deprecated fields of a class and of the classes below it, each once. */
export function deprecatedFieldsOf(
  dto: DtoClass<object> | null,
  seen = new Set<DtoClass<object>>(),
): DeprecatedField[] {
  if (!dto || seen.has(dto)) return [];
  seen.add(dto);
  return [...fieldsOf(dto)].flatMap(([name, { schema, deprecated }]) => [
    ...(deprecated ? [{ dto, name, deprecated }] : []),
    ...classesIn(schema).flatMap((nested) => deprecatedFieldsOf(nested, seen)),
  ]);
}

/** What ends with every answer of the operation: the operation itself, and fields of its answers. */
export function deprecationsOfAnswers(
  op: Pick<Operation, 'deprecated' | 'reply' | 'waitingReply'>,
): Deprecation[] {
  const replies = [op.reply, op.waitingReply].filter((reply) => typeof reply !== 'string');
  const fields = replies.flatMap((reply) => deprecatedFieldsOf(reply));
  return [...(op.deprecated ? [op.deprecated] : []), ...fields.map(({ deprecated }) => deprecated)];
}

/** Adds the deprecated fields that a parsed body names, whatever their value. */
export function addUsedFields(dto: DtoClass<object>, value: unknown, used: Set<Deprecation>): void {
  if (Array.isArray(value)) return value.forEach((one) => addUsedFields(dto, one, used));
  if (typeof value !== 'object' || value === null) return;
  const given = new Map<string, unknown>(Object.entries(value));
  for (const [name, { schema, deprecated }] of fieldsOf(dto)) {
    if (!given.has(name)) continue;
    if (deprecated) used.add(deprecated);
    for (const nested of classesIn(schema)) addUsedFields(nested, given.get(name), used);
  }
}

function classesIn({ $ref, $openRef, items, anyOf = [] }: JsonSchema): DtoClass<object>[] {
  const own = [$ref, $openRef].flatMap((dto) => (dto ? [dto()] : []));
  return [...own, ...[...(items ? [items] : []), ...anyOf].flatMap(classesIn)];
}
