import {
  CREATED_AT,
  CUSTOMER,
  KEY_ID,
  LINE,
  ORDER_ID,
  REFERENCE,
  REQUEST_ID,
  SHOP_ID,
} from './examples/example';
import {
  type DescribedCall,
  describedCall,
  type DescribedOperation,
  type Description,
  parameterOf,
} from './samples/described-call';

/**
 * The collection for Postman (format 2.1.0), derived from the description: a request for each operation. Ids are collection
 * variables that the scripts of earlier requests set (`SETS`), so that the requests succeed in their order. `run` is new with
 * each token: references and e-mail addresses contain it, so that the collection can be run again.
 */
export function postmanCollection(description: Description): object {
  const requests = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => requestOf(description, { path, method, operation })),
  );
  const folders = description.tags.map(({ name, description: about }) => ({
    name,
    description: about,
    item: requests
      .filter(({ tag }) => tag === name)
      .sort((one, other) => placeOf(one.id) - placeOf(other.id))
      .map(({ item }) => item),
  }));
  const first = FIRST_FOLDERS.flatMap((wanted) => folders.filter(({ name }) => name === wanted));
  return {
    info: {
      name: 'Offizin',
      description: ABOUT,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] },
    variable: variablesOf(description.servers[0]?.url ?? ''),
    item: [...first, ...folders.filter((folder) => !first.includes(folder))],
  };
}

const ABOUT = [
  'Set the variable `api_key`, and for the folder external-order `shop_url` and `integration_key`. Then send the first request: it gets',
  'the access token of the others. `shop_id` and `p1_id` are those of the first lists unless you set them; a test shop is preferred.',
  'Run the whole collection in a test system only, because it writes to shop and stock.',
].join(' ');

/** Before the other folders, because they set the shop and the product, and put pieces into stock. */
const FIRST_FOLDERS = ['tokens', 'shops', 'catalog', 'products', 'inventory'];
/** Within a folder; the others stand between, in the order of the description. */
const FIRST: readonly string[] = [
  'products.add-to-inventory',
  'products.attach',
  'orders.upsert',
  'order-requests.submit',
  'order-requests.replace',
  'order-requests.add-document',
];
const LAST: readonly string[] = [
  'products.detach',
  // After it was declined: accepted it would be another version than was read.
  'order-requests.accept-offer',
  'order-requests.approve',
  'order-requests.reject',
  'order-requests.cancel',
  'webhooks.delete',
  'api-keys.revoke',
  'settings.create-test-shop',
];

function placeOf(id: string): number {
  if (FIRST.includes(id)) return FIRST.indexOf(id) - FIRST.length;
  return LAST.indexOf(id) + 1;
}

/** By operation: variables, each with an expression over the answer. */
const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tokens.exchange': { access_token: 'answer.access_token', org_id: 'answer.org_id', run: 'Date.now()' },
  'tokens.exchange-for-organization': { access_token: 'answer.access_token' },
  'shops.list': {
    shop_id:
      "pm.collectionVariables.get('shop_id') || (answer.data?.find((shop) => shop.is_test) ?? answer.data?.[0])?.shop_id",
  },
  'catalog.list': { p1_id: "pm.collectionVariables.get('p1_id') || answer.data?.[0]?.p1_id" },
  'orders.upsert': { order_id: 'answer.id' },
  'orders.add-parcel': { parcel_id: 'answer.id' },
  'orders.set-lots': { lot: 'answer.lots?.[0]?.lot' },
  'lots.hold': { hold_id: 'answer.id' },
  'order-requests.submit': { request_id: 'answer.id' },
  'order-requests.get': { version: 'answer.version' },
  'order-requests.submit-external': {
    request_id: 'answer.id',
    external_reference: 'answer.external_reference',
  },
  'prescriptions.ingest': { prescription_id: 'answer.id' },
  'webhooks.create': { webhook_id: 'answer.id' },
  'webhooks.deliveries': { delivery_id: 'answer.data?.[0]?.id' },
  'api-keys.create': { key_id: 'answer.id' },
  'api-keys.rotate': { key_id: 'answer.id' },
  'settings.get-workflow': {
    workflow:
      "JSON.stringify({ mode: answer.mode, closed_orders: answer.closed_orders, transitions: answer.mode === 'custom' ? answer.transitions : undefined })",
  },
  'settings.get-stock': { stock_settings: 'JSON.stringify(answer)' },
  'settings.get-shop': { shop_name: 'answer.name', shop_domain: 'answer.domain' },
};

/** Settings are written as they were read. */
const BODIES: Readonly<Record<string, string>> = {
  'settings.set-workflow': '{{workflow}}',
  'settings.set-stock': '{{stock_settings}}',
  'settings.update-shop': '{ "name": "{{shop_name}}" }',
};

/** Values of the examples that are of another system, or may be sent once only. */
const IN_EXAMPLES = [
  [SHOP_ID, '{{shop_id}}'],
  [ORDER_ID, '{{order_id}}'],
  [REQUEST_ID, '{{request_id}}'],
  [KEY_ID, '{{key_id}}'],
  [LINE.p1_id, '{{p1_id}}'],
  [CREATED_AT, '{{$isoTimestamp}}'],
  [CUSTOMER.customer_email, 'erika-{{run}}@example.com'],
  [REFERENCE, 'rx-{{run}}'],
  ['erp-100', 'erp-{{run}}-100'],
  ['LS-220', 'LS-{{run}}-220'],
  ['test.dom.example.com', 'test-{{run}}.{{shop_domain}}'],
  ['"version": 1', '"version": {{version}}'],
] as const;

function filledIn(text: string): string {
  return IN_EXAMPLES.reduce((filled, [shown, real]) => filled.replaceAll(shown, real), text);
}

function variablesOf(baseUrl: string): object[] {
  const given = { base_url: baseUrl, shop_url: '', api_key: '', integration_key: '' };
  const set = Object.fromEntries(
    Object.values(SETS).flatMap((names) => Object.keys(names).map((key) => [key, ''])),
  );
  return Object.entries({ ...given, ...set, version: '1', number: '1' }).map(([key, value]) => ({
    key,
    value,
  }));
}

interface Described {
  path: string;
  method: string;
  operation: DescribedOperation;
}

function requestOf(
  description: Description,
  { path, method, operation }: Described,
): { id: string; tag: string; item: object } {
  const call = describedCall(description, path, method, {
    organizationId: '{{org_id}}',
    shopId: '{{shop_id}}',
  });
  const id = operation.operationId;
  if (!call) throw new Error(`The description lacks ${id}.`);
  const raw =
    BODIES[id] ?? (call.body === undefined ? undefined : filledIn(JSON.stringify(call.body, null, 2)));
  const request = {
    method: call.method,
    description: operation.description,
    ...(call.credentials !== 'token' && { auth: { type: 'noauth' } }),
    header: headersOf(call, raw !== undefined),
    url: urlOf(description, call, operation),
    ...(raw !== undefined && { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }),
  };
  const exec = scriptOf(id, Object.keys(operation.responses).map(Number));
  const event = [{ listen: 'test', script: { type: 'text/javascript', exec } }];
  return { id, tag: operation.tags[0] ?? '', item: { id, name: operation.summary, request, event } };
}

function headersOf({ credentials, isRepeatable }: DescribedCall, hasBody: boolean): object[] {
  const headers: Record<string, string> = {
    ...(credentials === 'api-key' && { 'X-API-Key': '{{api_key}}' }),
    ...(credentials === 'integration-key' && { apikey: '{{integration_key}}' }),
    ...(hasBody && { 'Content-Type': 'application/json' }),
    ...(isRepeatable && { 'Idempotency-Key': '{{$guid}}' }),
  };
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}

/** Optional parameters are there to be switched on: `cursor` and `offset` would refuse each other. */
function urlOf(description: Description, call: DescribedCall, operation: DescribedOperation): object {
  const host = call.credentials === 'integration-key' ? '{{shop_url}}' : '{{base_url}}';
  const path = call.path.replace(/\b[A-Z][A-Z\d_]*\b/g, variableOf);
  const required = Object.entries(call.query).map(([key, value]) => ({
    key,
    value: value.replace(/^[A-Z][A-Z\d_]*$/, variableOf),
  }));
  const optional = operation.parameters
    .map((parameter) => parameterOf(description, parameter))
    .filter((parameter) => parameter.in === 'query' && !(parameter.name in call.query))
    .map(({ name: key, description: about, example }) => ({
      key,
      value: /^(?:cursor|after)$/.test(key) ? '' : filledIn(String(example)),
      ...(about !== undefined && { description: about }),
      disabled: true,
    }));
  const raw = `${host}${path}${required.map(({ key, value }, place) => `${place === 0 ? '?' : '&'}${key}=${value}`).join('')}`;
  return { raw, host: [host], path: path.split('/').slice(1), query: [...required, ...optional] };
}

/** `ORDER_ID`, as samples name what the reader replaces. */
function variableOf(word: string): string {
  return `{{${word.toLowerCase()}}}`;
}

function scriptOf(id: string, statuses: readonly number[]): string[] {
  const check = `pm.test('is answered as described', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]));`;
  const set = Object.entries(SETS[id] ?? {});
  if (set.length === 0) return [check];
  return [
    check,
    'if (pm.response.code < 300) {',
    '  const answer = pm.response.json();',
    `  const values = { ${set.map(([name, value]) => `${name}: ${value}`).join(', ')} };`,
    '  for (const [name, value] of Object.entries(values))',
    '    if (value !== undefined) pm.collectionVariables.set(name, String(value));',
    '}',
  ];
}
