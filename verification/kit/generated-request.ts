import fc from 'fast-check';
import { fillPath } from '@offizin/contracts/calls/path-template';
import { openApiDocument } from '@offizin/openapi/document';

/** A request generated from the OpenAPI description: mostly valid, with hostile values here and there. */
export interface GeneratedRequest {
  method: string;
  /** Includes path parameters and query. */
  path: string;
  body: string | undefined;
  operationId: string;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  schema: Schema;
}

interface Described {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};

const HOSTILE: unknown[] = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    'ä'.repeat(300),
    "' OR 1=1; --",
    '*',
    '>',
    'rpc.>',
    '../../etc/passwd',
    '%00',
    '[object]',
  ],
  ...[-1, 0, 1.005, 1e308, 2 ** 53 + 1, -0.001, 100_000_000, true, false, null],
  ...[
    [],
    [[]],
    {},
    { constructor: 1 },
    { a: { b: { c: [] } } },
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59+14:00',
  ],
];
const MAX_DEPTH = 5;

const hostile = fc.constantFrom(...HOSTILE);

/** Requests of one organization; half of the path parameters are real `ids`. */
export function generatedRequests(orgId: string, ids: readonly string[]): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => !SKIPPED.has(operation.operationId) && !path.startsWith('/api/v1'))
      .map(([method, operation]) => requestOf(method, path, operation, orgId, ids)),
  );
  return fc.oneof(...operations);
}

/** Operations that would end the walk: changes of its own key, and exchanges limited per address. */
const SKIPPED = new Set([
  'api-keys.revoke',
  'api-keys.rotate',
  'tokens.exchange',
  'tokens.exchange-for-organization',
]);

function requestOf(
  method: string,
  template: string,
  { operationId, parameters = [], requestBody }: Described,
  orgId: string,
  ids: readonly string[],
): fc.Arbitrary<GeneratedRequest> {
  const known = parameters.map((parameter) => (parameter.$ref ? byReference(parameter.$ref) : parameter));
  const inPath = known.filter((parameter) => parameter.in === 'path' && parameter.name !== 'orgId');
  const inQuery = known.filter((parameter) => parameter.in === 'query');
  const pathValue = fc.oneof(
    fc.constantFrom(...ids),
    fc.uuid(),
    hostile.map(String).filter((text) => !/^\.*$/.test(text)),
  );
  const path = fc.record(Object.fromEntries(inPath.map(({ name }) => [name, pathValue])));
  const query = fc.record(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, valueOf(schema, ids)])),
    { requiredKeys: [] },
  );
  const schema = requestBody?.content['application/json']?.schema;
  const body = schema
    ? fc.oneof({ weight: 12, arbitrary: valueOf(schema, ids) }, { weight: 1, arbitrary: hostile })
    : fc.constant(undefined);
  return fc.record({ path, query, body }).map((parts) => ({
    method: method.toUpperCase(),
    path:
      fill(template, { orgId, ...(parts.path as Record<string, string>) }) +
      queryText(parts.query as Record<string, unknown>),
    body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
    operationId,
  }));
}

function fill(template: string, values: Record<string, string>): string {
  return fillPath(template, (name) => encodeURIComponent((values[name] ?? '').toWellFormed()));
}

function queryText(query: Record<string, unknown>): string {
  const parts = Object.entries(query).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent((text ?? '').toWellFormed())}`;
  });
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

/** Mostly valid; one in ten is hostile, and one in ten of the ids is real. */
function valueOf(schema: Schema, ids: readonly string[], depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 18, arbitrary: describedValue(schema, ids, depth) },
    { weight: 1, arbitrary: hostile },
    { weight: 1, arbitrary: fc.constantFrom(...ids) },
  );
}

function describedValue(schema: Schema, ids: readonly string[], depth: number): fc.Arbitrary<unknown> {
  if (depth > MAX_DEPTH) return fc.constant(null);
  if (schema.$ref) return describedValue(bySchemaReference(schema.$ref), ids, depth);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => describedValue(one, ids, depth)));
  if (schema.allOf) return describedValue(Object.assign({}, ...schema.allOf) as Schema, ids, depth);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type];
  switch (type) {
    case 'object': {
      const properties = Object.entries(schema.properties ?? {});
      const model = Object.fromEntries(properties.map(([name, one]) => [name, valueOf(one, ids, depth + 1)]));
      return fc.record(model, { requiredKeys: schema.required ?? [] });
    }
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, ids, depth + 1), { maxLength: 3 });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) });
    case 'number':
      return fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100);
    case 'boolean':
      return fc.boolean();
    default:
      return text(schema, ids);
  }
}

function text(
  { format, minLength = 0, maxLength = 20 }: Schema,
  ids: readonly string[],
): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'email') return fc.emailAddress();
  if (format === 'uuid') return fc.constantFrom(...ids);
  return fc.string({ minLength, maxLength: Math.min(maxLength, 20) });
}

function byReference(reference: string): Parameter {
  const parameter = document.components.parameters[reference.split('/').at(-1) ?? ''];
  if (!parameter) throw new Error(`no ${reference}`);
  return parameter;
}

function bySchemaReference(reference: string): Schema {
  return document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
}
