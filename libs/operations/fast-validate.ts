import { Ajv, type ValidateFunction } from 'ajv';
import { fieldsOf, type JsonSchema } from '@offizin/contracts/calls/schema';

/**
 * Fast path for valid input by ajv; null when class-validator must decide, which alone refuses and explains
 * (validate.ts). fast-validate.spec.ts checks that both paths yield the same instance.
 */
export function fastValidate<T extends object>(
  dto: DtoClass<T>,
  plain: object,
  keepUnknown = false,
): T | null {
  const compiled = compiledClassOf(dto);
  // The field decorators recorded no rules.
  if (compiled.nested.size === 0) return null;
  const isValid = keepUnknown ? compiled.isValidOrOpen : compiled.isValid;
  const instance = isValid(plain) ? instanceOf(compiled, plain) : NOT_SURE;
  return instance === NOT_SURE ? null : (instance as T);
}

type DtoClass<T extends object = object> = new () => T;

interface CompiledClass {
  dto: DtoClass;
  isValid: ValidateFunction;
  isValidOrOpen: ValidateFunction;
  /** Null for a field without a class. */
  nested: Map<string, CompiledClass | null>;
}

// The description's formats are informational: `$check` decides.
const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
ajv.addKeyword({
  keyword: '$check',
  errors: false,
  validate: (check: (value: unknown) => boolean, value: unknown) => value === null || check(value),
});

const compiledClasses = new WeakMap<DtoClass, CompiledClass>();

function compiledClassOf(dto: DtoClass): CompiledClass {
  const known = compiledClasses.get(dto);
  if (known) return known;
  const nested = [...fieldsOf(dto)].map(([name, { schema }]) => {
    const nestedDto = nestedClassOf(schema);
    return [name, nestedDto && compiledClassOf(nestedDto)] as const;
  });
  const compiled = {
    dto,
    isValid: ajv.compile(objectSchema(dto, false)),
    isValidOrOpen: ajv.compile(objectSchema(dto, true)),
    nested: new Map(nested),
  };
  compiledClasses.set(dto, compiled);
  return compiled;
}

function objectSchema(dto: DtoClass, keepUnknown: boolean): object {
  const fields = [...fieldsOf(dto)];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, inlined(schema, keepUnknown)])),
    required: fields.flatMap(([name, { required }]) => (required ? [name] : [])),
    additionalProperties: keepUnknown,
  };
}

function inlined(schema: JsonSchema, keepUnknown: boolean): object {
  const { $ref, $openRef, $isDeferred, items, anyOf, ...rules } = schema;
  if ($isDeferred) return {};
  if ($ref) return objectSchema($ref(), keepUnknown);
  if ($openRef) return { type: 'object' };
  return {
    ...rules,
    ...(items && { items: inlined(items, keepUnknown) }),
    ...(anyOf && { anyOf: anyOf.map((one) => inlined(one, keepUnknown)) }),
  };
}

function nestedClassOf({ $ref, $isDeferred, items, anyOf = [] }: JsonSchema): DtoClass | null {
  if ($ref) return $isDeferred ? null : $ref();
  const found = [...(items ? [items] : []), ...anyOf].map(nestedClassOf);
  return found.find((nested) => nested !== null) ?? null;
}

const NOT_SURE = Symbol('not sure');

/** Not sure for keys that exist on every object: class-transformer drops them. */
function instanceOf({ dto, nested }: CompiledClass, plain: object): object | typeof NOT_SURE {
  const instance = new dto() as Record<string, unknown>;
  if (!isPlain(plain)) return NOT_SURE;
  for (const name of Object.keys(plain)) {
    const compiled = nested.get(name);
    if (compiled === undefined && name in instance) return NOT_SURE;
    const value = valueOf(compiled ?? null, plain[name]);
    if (value === NOT_SURE) return NOT_SURE;
    instance[name] = value;
  }
  return instance;
}

function valueOf(nested: CompiledClass | null, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return nested ? instanceOf(nested, value) : copyOf(value);
  const list = value.map((part: unknown) => valueOf(nested, part));
  return list.includes(NOT_SURE) ? NOT_SURE : list;
}

function copyOf(value: object): object | typeof NOT_SURE {
  if (!isPlain(value)) return NOT_SURE;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const part = valueOf(null, value[name]);
    if (part === NOT_SURE || name in Object.prototype) return NOT_SURE;
    copy[name] = part;
  }
  return copy;
}

function isPlain(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype;
}
