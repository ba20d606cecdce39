/** JSON Schema (2020-12, as OpenAPI 3.1 uses it) of every DTO field, recorded by the decorators of fields.ts. */
export interface JsonSchema {
  type?: string | string[];
  /** The class of a nested object; becomes a reference when the description is written. */
  $ref?: () => new () => object;
  /** As `$ref`, for an object that also keeps keys which the class does not name; its handler checks it. */
  $openRef?: () => new () => object;
  /** The handler checks the object of `$ref`, which stays as it was sent. */
  $isDeferred?: true;
  /** A rule that JSON Schema cannot express; left out of the description. */
  $check?: (value: unknown) => boolean;
  items?: JsonSchema;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  [keyword: string]: unknown;
}

export interface DescribedField {
  schema: JsonSchema;
  required: boolean;
  /** A secret: null when the reply is repeated under an Idempotency-Key. */
  shownOnce?: true;
}

const fieldsByPrototype = new WeakMap<object, Map<string, DescribedField>>();

export function describeField(
  prototype: object,
  name: string,
  schema: JsonSchema,
  options: {
    optional?: boolean;
    nullable?: boolean;
    description?: string;
    default?: unknown;
    example?: unknown;
    shownOnce?: boolean;
  },
): void {
  const { shownOnce = false } = options;
  const described = options.nullable || shownOnce ? orNull(schema) : { ...schema };
  if (options.description) described['description'] = options.description;
  if (options.default !== undefined) described['default'] = options.default;
  if (options.example !== undefined) described['examples'] = [options.example];
  const own = fieldsByPrototype.get(prototype) ?? new Map<string, DescribedField>();
  own.set(name, { schema: described, required: !options.optional, ...(shownOnce && { shownOnce }) });
  fieldsByPrototype.set(prototype, own);
}

/** The same schema with null. OpenAPI 3.1 has no `nullable`: null is a type, an enum value, or an alternative. */
function orNull(schema: JsonSchema): JsonSchema {
  if (schema.$ref ?? schema.$openRef) return { anyOf: [schema, { type: 'null' }] };
  const nullable = { ...schema };
  if (typeof schema.type === 'string') nullable.type = [schema.type, 'null'];
  if (schema.enum) nullable.enum = [...schema.enum, null];
  return nullable;
}

/** Fields of a DTO class, inherited ones first. */
export function fieldsOf(dto: new () => object): Map<string, DescribedField> {
  const chain: object[] = [];
  for (
    let at: unknown = dto.prototype;
    typeof at === 'object' && at !== null;
    at = Object.getPrototypeOf(at)
  ) {
    chain.unshift(at);
  }
  return new Map(chain.flatMap((prototype) => [...(fieldsByPrototype.get(prototype) ?? [])]));
}

const rulesByClass = new WeakMap<object, JsonSchema>();

/**
 * Describes a DTO class: a sentence, and rules across fields (`anyOf`, `minProperties`). Documentation only: the
 * handler checks the rules. Subclasses do not inherit it.
 */
export function Described(description: string, rules: JsonSchema = {}): ClassDecorator {
  return (target) => {
    rulesByClass.set(target, { description, ...rules });
  };
}

/** The rule that at least one of the fields is present. */
export function atLeastOneOf(...fields: string[]): JsonSchema {
  return { anyOf: fields.map((field) => ({ required: [field] })) };
}

export function rulesOf(dto: new () => object): JsonSchema {
  return rulesByClass.get(dto) ?? {};
}
