import { Document, isScalar, visit } from 'yaml';
import type { Operation } from '@offizin/contracts/calls/operation';
import { connectorOperations, gatewayOperations } from '@offizin/contracts/operations';
import { VERSION } from '@offizin/runtime/version';
import { operationObject, parameters, pathParameterObjects } from './operations';
import { ResponseCollection, responseHeaders } from './responses';
import { type JsonObject, SchemaCollection } from './schemas';
import { securitySchemes } from './security';
import { deliveryParameters, webhooks } from './webhooks';

/**
 * The published OpenAPI 3.1.1 description, derived from the operations and their DTO classes.
 *
 * Files: `operations` (one operation), `schemas` (DTO classes as components), `responses` and `refusals` (answers
 * and error codes), `security` (tokens, keys, scopes), `webhooks` (requests to subscribers), `yaml` (serialization).
 *
 * Guarantees, checked by tools/openapi/openapi.spec.ts: the output is deterministic and equals the committed copy.
 * It contains every operation that is not internal. Every reference resolves and no component is unused.
 */
export function openApiDocument({ baseUrl }: { baseUrl?: string } = {}): JsonObject {
  const schemas = new SchemaCollection();
  const responses = new ResponseCollection(schemas);
  const published = [...gatewayOperations, ...connectorOperations];
  const paths = pathsOf(published, (op) => operationObject(op, schemas, responses));
  const deliveries = webhooks(schemas);
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [baseUrl === undefined ? ANY_INSTALLATION : { url: baseUrl }],
    tags: NOUNS,
    paths,
    webhooks: deliveries,
    components: {
      securitySchemes,
      parameters: { ...pathParameterObjects, ...parameters, ...deliveryParameters },
      headers: responseHeaders,
      responses: responses.all(),
      schemas: schemas.all(),
    },
  };
}

const INFO = {
  title: 'Offizin',
  version: VERSION,
  summary: 'Pharmacy orders: organization API, order-request connector and webhooks',
  description: [
    'Amounts are EUR, times are ISO 8601, in UTC on the way out. A request is refused with 400 when it holds a field or',
    'query parameter that is not described here; an answer may get further fields without notice. Lists never clamp:',
    'what is out of range is a 400.',
  ].join(' '),
  contact: { name: 'The operator of this installation' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Variables have no description: a well-known parser refuses one. */
const ANY_INSTALLATION = {
  url: '{base_url}',
  description: 'Organization API, at the address of the gateway',
  variables: { base_url: { default: 'https://api.offizin.test' } },
};

/** The whole address is the variable, as above: the converter to Postman takes one behind a slash for a part of the path. */
const SHOP = {
  url: '{shop_url}',
  description: 'The domain of a shop, handed out with the key; it decides the shop and its organization',
  variables: { shop_url: { default: 'https://shop.offizin.test' } },
};

/** The nouns of the operations, each with a page of the reference. */
export const NOUNS: { name: string; description: string }[] = [
  { name: 'tokens', description: 'API keys for access tokens' },
  {
    name: 'orders',
    description: 'Orders of the organization; upsert items say qty, order detail says quantity',
  },
  { name: 'lots', description: 'Lots on hold, and who got packs of a lot' },
  { name: 'order-requests', description: 'Order requests and their review' },
  { name: 'external-order', description: 'The connector: order requests on the domain of a shop' },
  { name: 'prescriptions', description: 'Prescriptions and their receipts' },
  { name: 'customers', description: 'Erasure of personal data' },
  { name: 'shops', description: 'Shops of the organization' },
  { name: 'products', description: 'Products of the organization and of its shops' },
  { name: 'catalog', description: 'The catalog of the platform' },
  { name: 'inventory', description: 'Stock and its log' },
  { name: 'reports', description: 'Figures of a period of German calendar days, as JSON or CSV' },
  { name: 'webhooks', description: 'Webhook subscriptions' },
  { name: 'webhook-deliveries', description: 'Deliveries and their attempts' },
  { name: 'events', description: 'Events, as a feed and as webhooks' },
  { name: 'api-keys', description: 'API keys of the organization' },
  { name: 'settings', description: 'Workflow of the orders, and whether stock follows them' },
  { name: 'audit-log', description: 'Who did what, when' },
];

/**
 * The paths in the order of the operations. Those of the connector name the shop domain as their server, each by itself:
 * the converter to Postman overlooks servers of a path.
 */
export function pathsOf(
  described: readonly Operation[],
  describe: (op: Operation) => JsonObject,
): JsonObject {
  const paths = new Map<string, JsonObject>();
  for (const op of described) {
    const item = paths.get(op.path) ?? {};
    const servers = op.access === 'connector' ? { servers: [SHOP] } : {};
    item[op.method.toLowerCase()] = { ...servers, ...describe(op) };
    paths.set(op.path, item);
  }
  return Object.fromEntries(paths);
}

/** The description as YAML, references and lists of plain values in one line; without a base URL it equals docs/openapi/external-api.yaml. */
export function openApiYaml(options: { baseUrl?: string } = {}): string {
  const document = new Document(openApiDocument(options), { aliasDuplicateObjects: false });
  visit(document, {
    Seq: (_, list) => void (list.flow = list.items.every(isScalar)),
    Map: (_, map) => void (map.flow = map.items.length === 1 && map.has('$ref')),
  });
  return document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: false });
}
