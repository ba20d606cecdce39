/**
 * One operation of the published description as a call with example values, from which the samples of all languages are
 * written. The reference page runs this in a browser, so it knows the description and nothing else of the server.
 */

/** The part of the description that samples and the reference page read. */
export interface Description {
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, DescribedSchema>; parameters: Record<string, DescribedParameter> };
}

export interface DescribedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  servers?: { url: string }[];
  parameters: (DescribedParameter | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> } | Reference>;
}

export interface DescribedParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
}

export interface Reference {
  $ref: string;
}
export interface DescribedSchema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}
export type Schema = DescribedSchema | Reference;

/** What the reader has filled in; the rest stays a word in capitals. */
export interface FilledIn {
  organizationId?: string | undefined;
  shopId?: string | undefined;
}

export interface DescribedCall {
  operationId: string;
  method: string;
  /** With example values in place of its parameters. */
  path: string;
  /** Values of the path besides the organization, in their order. */
  ids: string[];
  /** The required ones. */
  query: Record<string, string>;
  body?: unknown;
  credentials: 'token' | 'api-key' | 'integration-key';
  isRepeatable: boolean;
  answer: 'list' | 'json' | 'pdf' | 'nothing';
}

export function describedCall(
  description: Description,
  path: string,
  method: string,
  filledIn: FilledIn,
): DescribedCall | null {
  const operation = description.paths[path]?.[method];
  if (!operation) return null;
  const parameters = operation.parameters.map((parameter) => parameterOf(description, parameter));
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = new Map(names.map((name) => [name, valueOf(name, filledIn)]));
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const credentials = credentialsOf(operation);
  const example = credentials === 'api-key' ? undefined : exampleBody(operation);
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_all, name: string) => values.get(name) ?? name),
    ids: names.filter((name) => name !== 'orgId').map((name) => values.get(name) ?? name),
    query: Object.fromEntries(query.map(({ name }) => [name, valueOf(name, filledIn)])),
    ...(example !== undefined && { body: withShop(example, filledIn) }),
    credentials,
    isRepeatable: parameters.some(({ name }) => name === 'Idempotency-Key'),
    answer: answerOf(description, operation),
  };
}

/** `orderId` and `order_id` become `ORDER_ID`, which the reader replaces. */
function valueOf(name: string, { organizationId, shopId }: FilledIn): string {
  const word = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase();
  if (word === 'ORG_ID') return organizationId ?? word;
  return word === 'SHOP_ID' ? (shopId ?? word) : word;
}

/** The example of a request body with the reader's shop in each `shop_id`, which prescriptions call `Shop Id`. */
export function withShop(example: unknown, { shopId = 'SHOP_ID' }: FilledIn): unknown {
  if (Array.isArray(example)) return example.map((one) => withShop(one, { shopId }));
  if (typeof example !== 'object' || example === null) return example;
  const fields = Object.entries(example).map(([name, value]: [string, unknown]) => [
    name,
    isShopId(name) && typeof value === 'string' ? shopId : withShop(value, { shopId }),
  ]);
  return Object.fromEntries(fields);
}

const isShopId = (name: string): boolean => /^shop[_ ]id$/i.test(name);

function exampleBody({ requestBody }: DescribedOperation): unknown {
  const example = requestBody?.content['application/json']?.example;
  // `{}` may be left out.
  return JSON.stringify(example) === '{}' ? undefined : example;
}

function credentialsOf({ servers, security }: DescribedOperation): DescribedCall['credentials'] {
  if (servers !== undefined) return 'integration-key';
  return security.some((one) => 'AccessToken' in one) ? 'token' : 'api-key';
}

function answerOf(description: Description, { responses }: DescribedOperation): DescribedCall['answer'] {
  const answers = ['200', '201', '202'].map((status) => responses[status]);
  const content = answers.find((one) => one !== undefined && 'content' in one && one.content !== undefined);
  if (content === undefined || !('content' in content) || content.content === undefined) return 'nothing';
  const json = content.content['application/json'];
  if (json === undefined) return 'pdf';
  const { properties = {} } = schemaOf(description, json.schema);
  return 'data' in properties && 'pagination' in properties ? 'list' : 'json';
}

export function schemaOf({ components }: Description, schema: Schema): DescribedSchema {
  if (!('$ref' in schema)) return schema;
  return components.schemas[lastWord(schema)] ?? {};
}

export function parameterOf(
  { components }: Description,
  parameter: DescribedParameter | Reference,
): DescribedParameter {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[lastWord(parameter)];
  if (!found) throw new Error(`The description lacks ${parameter.$ref}.`);
  return found;
}

function lastWord({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
