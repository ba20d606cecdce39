import { takesIdempotencyKey } from '@offizin/contracts/calls/idempotency';
import { exampleOf, exampleOfParameter } from './examples';
import type { ResponseCollection } from './responses';
import { defaultOf, defaultsOf, describedField, type JsonObject, type SchemaCollection } from './schemas';
import { securityOf } from './security';
import { type DtoClass, type Operation, takesPrecondition } from '@offizin/contracts/calls/operation';
import { pathParameters } from '@offizin/contracts/calls/path-template';
import { fieldsOf, rulesOf } from '@offizin/contracts/calls/schema';
import { ClientCredentialsForm, TokenRequest } from '@offizin/contracts/people/tokens';

/** One operation in OpenAPI form, derived from its definition and the refusals table. */

export const parameters: JsonObject = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Copied to every log line and to the answer; a malformed id is replaced',
    example: '0197a6f0-import-17',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same request with the same key takes effect once within 24 hours, also when our service dies while it runs. ' +
      'A repeat gets the first answer again, or runs where nothing had happened yet. ' +
      'While the first is running, a repeat is a 409 `idempotency_in_progress`; for at most 5 seconds also after its service died. ' +
      'The first answer is repeated to the same API key only (else 422 `idempotency_key_reused`), and secrets in it are null. ' +
      'Use a new key, such as a UUID, for each new request.',
    example: '5c1f0f9e-3a55-4c1e-9d53-8a4f4d1c7b62',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'ETag of the object as you read it, a list of ETags, or `*`. The object is changed only if its version is one of these. ' +
      'An empty or malformed value is a 400. Where the tag is a version, `W/"3"`, `"3-gzip"` and `"3-br"`, which proxies make of it, count as `"3"`.',
    example: '"3"',
    schema: { type: 'string', minLength: 1 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'ETag of the object as you read it, a list of ETags, or `*`: 304 when its version is one of these',
    example: '"3"',
    schema: { type: 'string', minLength: 1 },
  },
  IfNew: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The object is only created: 412 when it exists already',
    example: '*',
    schema: { type: 'string', enum: ['*'] },
  },
};

/** Descriptions of path parameters. */
export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  orgId: 'The organization of the token',
  orderId: 'An order of the organization',
  parcelId: 'A parcel of the order',
  holdId: 'A hold of a lot',
  lot: 'The number of a lot, in any case',
  requestId: 'An order request, by the id that its receipt gave',
  number: 'A document of the order request, by its number',
  p1Id: 'Catalog product id',
  shopId: 'A shop of the organization',
  webhookId: 'A webhook subscription of the organization',
  deliveryId: 'A webhook delivery, by its X-Service-Delivery-Id',
  keyId: 'Public id of an API key of the organization',
  prescriptionId: 'A prescription of the organization',
};
/** `maxParamLength` of the edges' router. */
const MAX_PATH_PARAMETER_LENGTH = 255;

/** Path parameters by the name of their component: `orgId` is `PathOrgId`. */
export const pathParameterObjects: JsonObject = Object.fromEntries(
  Object.entries(PATH_PARAMETERS).map(([name, description]) => [
    componentOf(name),
    {
      name,
      in: 'path',
      required: true,
      description,
      ...exampleOfParameter(name),
      schema: { type: 'string', minLength: 1, maxLength: MAX_PATH_PARAMETER_LENGTH },
    },
  ]),
);

function componentOf(name: string): string {
  return `Path${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export function operationObject(
  op: Operation,
  schemas: SchemaCollection,
  responses: ResponseCollection,
): JsonObject {
  const body = requestBody(op, schemas);
  return {
    operationId: op.name,
    summary: op.summary,
    description: accessSentence(op),
    tags: [tagOf(op)],
    security: securityOf(op),
    parameters: [
      ...pathParameters(op.path).map(componentOf).map(parameterReference),
      ...queryParameters(op, schemas),
      ...headerParameters(op).map(parameterReference),
    ],
    ...(body && { requestBody: body }),
    responses: responses.responsesOf(op),
  };
}

/** Who may call. */
function accessSentence({ name, access }: Operation): string {
  switch (access) {
    case 'connector':
      return 'Access: an integration key, at the domain of its shop.';
    case 'anyone':
      return 'Access: anyone; no token is needed.';
    case 'session':
    case 'internal':
      throw new Error(`${name} must not be in the description.`);
    default:
      return `Scope: \`${access}\`.`;
  }
}

/** The noun of the operation; connector operations share one tag. */
function tagOf(op: Operation): string {
  return op.access === 'connector' ? 'external-order' : (op.name.split('.')[0] ?? '');
}

const parameterReference = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });

function queryParameters(op: Operation, schemas: SchemaCollection): JsonObject[] {
  if (!op.query) return [];
  const dto = op.query;
  const defaults = defaultsOf(dto);
  return [...fieldsOf(dto)].map(([name, field]) => {
    const { description: _own, examples: _shown, ...bare } = schemas.resolve(field.schema, 'request');
    const schema = { ...bare, ...defaultOf(defaults, name) };
    return {
      name,
      in: 'query',
      ...(field.required && { required: true }),
      ...describedField(name, field, false),
      ...exampleOfParameter(name, { ...field.schema, ...schema }),
      schema,
    };
  });
}

function headerParameters(op: Operation): string[] {
  const names = ['RequestId'];
  if (takesPrecondition(op, 'If-Match')) names.unshift('IfMatch');
  if (takesPrecondition(op, 'If-None-Match')) names.unshift(op.method === 'GET' ? 'IfNoneMatch' : 'IfNew');
  if (takesIdempotencyKey(op)) names.unshift('IdempotencyKey');
  return names;
}

function requestBody(op: Operation, schemas: SchemaCollection): JsonObject | null {
  if (!op.body) return op.method === 'POST' ? NO_FIELDS : null;
  const usage = op.keepsUnknownKeys ? 'open' : 'request';
  const mediaType = (dto: DtoClass<object>): JsonObject => ({
    schema: schemas.reference(dto, usage),
    ...exampleOf(dto),
  });
  const content: JsonObject = { 'application/json': mediaType(op.body) };
  if (op.body === TokenRequest) {
    content['application/x-www-form-urlencoded'] = mediaType(ClientCredentialsForm);
  }
  return {
    description: `At most ${op.maxBodyBytes / 1024 / 1024} MiB, not compressed.`,
    ...(needsFields(op.body) && { required: true }),
    content,
  };
}

/** Most HTTP clients send a POST with some body. */
const NO_FIELDS: JsonObject = {
  description: 'None, or `{}`.',
  content: { 'application/json': { schema: { type: 'object', additionalProperties: false }, example: {} } },
};

/** A missing body is treated as `{}`. */
function needsFields(dto: DtoClass<object>): boolean {
  return (
    rulesOf(dto)['minProperties'] !== undefined || [...fieldsOf(dto).values()].some((field) => field.required)
  );
}
