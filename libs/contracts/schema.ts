/** JSON Schema (2020-12, as OpenAPI 3.1 uses it) of every DTO field, recorded by the decorators of fields.ts. */
export interface JsonSchema {
  type?: string | string[];
  /** The class of a nested object; becomes a reference when the description is written. */
  $ref?: () => new () => object;
  items?: JsonSchema;
  [keyword: string]: unknown;
}

export interface DescribedField {
  schema: JsonSchema;
  required: boolean;
}

const fieldsByPrototype = new WeakMap<object, Map<string, DescribedField>>();

export function describeField(
  prototype: object,
  name: string,
  schema: JsonSchema,
  options: { optional?: boolean; nullable?: boolean; description?: string; example?: unknown },
): void {
  const described: JsonSchema = { ...schema };
  if (options.nullable && typeof schema.type === 'string') described.type = [schema.type, 'null'];
  if (options.nullable && Array.isArray(schema['enum'])) described['enum'] = [...schema['enum'], null];
  if (options.description) described['description'] = options.description;
  if (options.example !== undefined) described['examples'] = [options.example];
  const own = fieldsByPrototype.get(prototype) ?? new Map<string, DescribedField>();
  own.set(name, { schema: described, required: !options.optional });
  fieldsByPrototype.set(prototype, own);
}

/** Fields of a DTO class, those of the classes it extends first. */
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
