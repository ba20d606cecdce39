import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ERRORS } from '@offizin/contracts/calls/error-table';
import { EVENT_TYPES } from '@offizin/contracts/webhooks/events';
import { openApiDocument, openApiYaml } from '@offizin/openapi/document';
import { PATH_PARAMETERS } from '@offizin/openapi/operations';
import { refusalsOf } from '@offizin/openapi/responses';
import { operations } from '@offizin/contracts/operations';
import { SCOPES } from '@offizin/contracts/people/scopes';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { VERSION } from '@offizin/runtime/version';

/** The description states all of the interface, and nothing else. */
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Record<string, unknown>;
}
interface OperationObject {
  operationId: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  servers?: Server[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, unknown> };
  responses: Record<string, { $ref?: string; headers?: object; content?: Record<string, unknown> }>;
}
interface SchemaObject {
  required?: string[];
  properties: Record<string, Record<string, unknown>>;
  [keyword: string]: unknown;
}
interface Server {
  url: string;
  variables?: Record<string, object>;
}
interface OpenApi {
  openapi: string;
  servers: Server[];
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, { post: OperationObject }>;
  components: Record<string, Record<string, { headers?: object; content?: object }>> & {
    schemas: Record<string, SchemaObject>;
    parameters: Record<string, Parameter>;
  };
}

const description: OpenApi = parse(openApiYaml());
const published = operations.filter((op) => op.access !== 'internal');
const publishedByName = published.map((op) => [op.name, op] as const);

/** The operations of one path, by method. */
function operationsAt(path: string): [method: string, operation: OperationObject][] {
  return Object.entries(description.paths[path] ?? {});
}

function operationOf(path: string, method: string): OperationObject {
  const found = new Map(operationsAt(path)).get(method);
  if (!found) throw new Error(`The description lacks ${method} ${path}.`);
  return found;
}

function resolved(parameter: Parameter): Parameter {
  return description.components.parameters[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter;
}

it('docs/openapi/external-api.yaml is what `npm run openapi` would write', () => {
  const committed = readFileSync(join(checkoutRoot, 'docs/openapi/external-api.yaml'), 'utf8');
  expect(committed === openApiYaml()).toBe(true);
});

describe('the whole', () => {
  it('comes out the same every time, and the same as YAML and as JSON', () => {
    expect(openApiYaml()).toBe(openApiYaml());
    expect(JSON.parse(JSON.stringify(openApiDocument()))).toEqual(description);
  });

  it('names the address it is served under', () => {
    expect(description).toMatchObject({ openapi: '3.1.1', info: { version: VERSION } });
    expect(openApiDocument({ baseUrl: 'http://here' })).toMatchObject({ servers: [{ url: 'http://here' }] });
  });

  it('has no security scheme and no tag that nothing uses, and none that is not there', () => {
    const all = Object.keys(description.paths).flatMap((path) => operationsAt(path).map(([, op]) => op));
    const schemes = new Set(all.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))));
    expect([...schemes].sort()).toEqual(Object.keys(description.components['securitySchemes'] ?? {}).sort());
    const tags = new Set(all.flatMap((op) => op.tags));
    expect([...tags].sort()).toEqual(description.tags.map(({ name }) => name).sort());
  });
});

describe('operations', () => {
  it('are all there, and no internal one', () => {
    const described = Object.keys(description.paths).flatMap((path) =>
      operationsAt(path).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    const expected = published.map((op) => `${op.name} ${op.method.toLowerCase()} ${op.path}`);
    expect(described.sort()).toEqual(expected.sort());
  });

  it.each(publishedByName)('%s asks for its scope or key', (_, op) => {
    const { security } = operationOf(op.path, op.method.toLowerCase());
    if (op.access === 'connector') {
      expect(security).toEqual([{ ApiKeyHeader: [] }, { XApiKeyHeader: [] }, { ApiKeyQuery: [] }]);
    } else if (op.access !== 'anyone')
      expect(security).toEqual([{ AccessToken: [] }, { ClientCredentials: [op.access] }]);
    else expect(security).toContainEqual({});
  });

  it.each(publishedByName)('%s states who may call', (_, op) => {
    const { description: sentence } = operationOf(op.path, op.method.toLowerCase());
    const isScoped = op.access !== 'connector' && op.access !== 'anyone';
    expect(sentence).toMatch(isScoped ? `Scope: \`${op.access}\`.` : /^Access: \w/);
  });

  it('describes the client credentials of OAuth 2.0 with every scope', () => {
    expect(description.components['securitySchemes']?.['ClientCredentials']).toMatchObject({
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: '/auth/token', scopes: SCOPES } },
    });
  });

  it.each(publishedByName)('%s names its path parameters, its body and its answers', (_, op) => {
    const described = operationOf(op.path, op.method.toLowerCase());
    const inPath = described.parameters.map(resolved).filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(op.path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ name, required }) => required && name in PATH_PARAMETERS)).toBe(true);
    expect(described.requestBody !== undefined).toBe(op.body !== null || op.method === 'POST');
    const unchanged = op.hasEntityTag && op.method === 'GET' ? [304] : [];
    const refused = refusalsOf(op).map((code) => ERRORS[code].status);
    const statuses = new Set([...op.statuses, ...unchanged, ...refused]);
    expect(Object.keys(described.responses).map(Number)).toEqual([...statuses].sort((a, b) => a - b));
    for (const status of op.statuses) {
      expect(described.responses[status]?.content !== undefined).toBe(op.reply !== null);
    }
  });

  it('have addresses whose variables have a default only: a well-known parser refuses a description', () => {
    const all = Object.values(description.paths).flatMap((item) => Object.values(item));
    const servers = [description.servers, ...all.map((op) => op.servers ?? [])].flat();
    const variables = servers.flatMap((server) => Object.values(server.variables ?? {}));
    const ofShops = published.filter((op) => op.access === 'connector');
    expect(variables).toHaveLength(1 + ofShops.length);
    expect(variables).toEqual(variables.map(() => ({ default: expect.any(String) as string })));
  });

  it.each(publishedByName)('%s is served on the shop domains if it is of the connector', (_, op) => {
    const { servers } = operationOf(op.path, op.method.toLowerCase());
    const ofShop = [expect.objectContaining({ url: '{shop_url}' })];
    expect(servers).toEqual(op.access === 'connector' ? ofShop : undefined);
  });

  it.each(published.filter((op) => op.alsoCsv).map((op) => [op.name, op]))('%s is also CSV', (_, op) => {
    const { responses } = operationOf(op.path, 'get');
    expect(Object.keys(responses['200']?.content ?? {})).toEqual(['application/json', 'text/csv']);
    expect(responses['406']).toBeDefined();
  });
});

describe('refusals', () => {
  it('carry the error body, and the headers that their status has', () => {
    const responses = Object.entries(description.components['responses'] ?? {});
    expect(responses.length).toBeGreaterThan(10);
    for (const [, { content }] of responses) {
      expect(content).toMatchObject({
        'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } },
      });
    }
    const headersOf = (name: string): object => Object.fromEntries(responses)[name]?.headers ?? {};
    expect(headersOf('Unauthorized')).toHaveProperty('WWW-Authenticate');
    expect(headersOf('ServiceUnavailable')).toHaveProperty('Retry-After');
    expect(headersOf('RateLimited')).toHaveProperty('Retry-After');
  });

  it('differ between the connector (502) and the organization API (503, 504)', () => {
    const connector = operationOf('/api/v1/external-order', 'post').responses;
    expect(Object.keys(connector)).toEqual(expect.arrayContaining(['400', '401', '500', '502']));
    expect(Object.keys(connector)).not.toContain('503');
    const listing = operationOf('/api/v2/public/orgs/{orgId}/orders', 'get').responses;
    expect(Object.keys(listing)).toEqual(expect.arrayContaining(['401', '403', '503', '504']));
    expect(Object.keys(listing)).not.toContain('502');
  });
});

describe('what the contract shows', () => {
  it('has a webhook for every kind of event, with the headers of a delivery', () => {
    expect(Object.keys(description.webhooks)).toEqual([...Object.keys(EVENT_TYPES), 'callback']);
    const names = Object.values(description.components.parameters).flatMap((one) =>
      'name' in one ? [one.name] : [],
    );
    expect(names).toEqual(
      expect.arrayContaining(['X-Service-Event', 'X-Service-Delivery-Id', 'X-Service-Signature']),
    );
    expect(JSON.stringify(description.webhooks['order_status_updated'])).toContain('"old_status"');
  });
});
