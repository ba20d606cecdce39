import type { DtoClass } from '@offizin/contracts/calls/operation';
import { type DescribedField, fieldsOf, type JsonSchema, rulesOf } from '@offizin/contracts/calls/schema';
import { BY_NAME } from '@offizin/contracts/calls/sentences';

/** Plain data, ready for JSON and YAML. */
export type JsonObject = Record<string, unknown>;

/**
 * Treatment of unknown keys: `request` refuses them, `open` (inside the payload of an order request) stores them,
 * `reply` may get new ones without notice.
 */
export type Usage = 'request' | 'open' | 'reply';

/** Collects every referenced DTO class by name, so that no reference dangles and no schema is unused. */
export class SchemaCollection {
  private readonly usages = new Map<DtoClass<object>, Set<Usage>>();
  private readonly classes = new Map<string, DtoClass<object>>();

  /** Returns a reference to the class, and adds the class and its dependencies to components/schemas. */
  reference(dto: DtoClass<object>, usage: Usage): { $ref: string } {
    const known = this.classes.get(dto.name);
    if (known && known !== dto) throw new Error(`Two DTO classes are named ${dto.name}.`);
    this.classes.set(dto.name, dto);
    const usages = this.usages.get(dto) ?? new Set();
    this.usages.set(dto, usages);
    if (!usages.has(usage)) {
      usages.add(usage);
      for (const { schema } of fieldsOf(dto).values()) this.resolve(schema, usage);
    }
    return { $ref: `#/components/schemas/${dto.name}` };
  }

  /** The schema with classes replaced by references. */
  resolve(schema: JsonSchema, usage: Usage): JsonObject {
    const { $ref, $openRef, $check: _check, $isDeferred: _isDeferred, items, anyOf, ...keywords } = schema;
    if ($ref) return { ...this.reference($ref(), usage), ...keywords };
    if ($openRef) return { ...this.reference($openRef(), usage === 'reply' ? usage : 'open'), ...keywords };
    const resolved: JsonObject = keywords;
    if (items) resolved['items'] = this.resolve(items, usage);
    if (anyOf) resolved['anyOf'] = anyOf.map((one) => this.resolve(one, usage));
    return resolved;
  }

  /** components/schemas, by name. */
  all(): JsonObject {
    const names = [...this.classes.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.schemaOf(name)]));
  }

  private schemaOf(name: string): JsonObject {
    const dto = this.classes.get(name);
    if (!dto) throw new Error(`There is no DTO class ${name}.`);
    const usages = this.usages.get(dto) ?? new Set();
    const defaults = defaultsOf(dto);
    const [usage = 'reply'] = usages;
    const fields = [...fieldsOf(dto)];
    const properties = fields.map(([name, field]) => [
      name,
      {
        ...this.resolve(field.schema, usage),
        ...describedField(name, field, usages.has('reply')),
        ...defaultOf(defaults, name),
      },
    ]);
    const required = fields.filter(([, field]) => field.required).map(([field]) => field);
    const { description, ...rules } = rulesOf(dto);
    return {
      type: 'object',
      ...(description !== undefined && { description }),
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties) as JsonObject,
      ...(usages.has('open') && { additionalProperties: true }),
      ...(usages.size === 1 && usages.has('request') && { additionalProperties: false }),
      ...rules,
    };
  }
}

/**
 * The sentence of a field: its own, else that of sentences.ts. In an answer null means none, where the sentence says
 * nothing else about it; in a request the class says what null does.
 */
export function describedField(
  name: string,
  { schema, shownOnce }: DescribedField,
  isAnswer: boolean,
): { description?: string } {
  const own = schema['description'];
  const sentence = typeof own === 'string' ? own : BY_NAME[name];
  if (sentence === undefined) return {};
  if (!isAnswer || !isNullable(schema) || /\bnull\b/i.test(sentence)) return { description: sentence };
  const meaning = shownOnce ? 'null in a repeat under an Idempotency-Key' : 'null for none';
  return { description: `${sentence}; ${meaning}` };
}

function isNullable({ type, anyOf }: JsonSchema): boolean {
  return (
    (Array.isArray(type) && type.includes('null')) || (anyOf?.some((one) => one.type === 'null') ?? false)
  );
}

/** Initial values of the fields: the defaults that apply when a field is left out. */
export function defaultsOf(dto: DtoClass<object>): JsonObject {
  return { ...new dto() };
}

export function defaultOf(defaults: JsonObject, field: string): { default?: unknown } {
  const value = defaults[field];
  return value === undefined ? {} : { default: value };
}
