import { expectDescribed } from '@offizin/testkit/described-answers';
import { digestOfFilters } from '@offizin/contracts/calls/paging';
import { withClient } from '@offizin/local-stack/database-client';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, type HttpAnswer, json } from '@offizin/testkit/http';
import {
  HOSTILE_ANYWHERE,
  HOSTILE_IN_ADDRESS,
  HOSTILE_NUMBER,
  HOSTILE_OBJECT,
  HOSTILE_TEXT,
  HOSTILE_TIME,
  type Hostile,
  INNOCENT_TEXTS,
} from '@offizin/testkit/hostile-values';
import type { TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/**
 * Hostile values in the fields of every service: a 4xx, nothing stored (guarantee G13). What only looks like an attack
 * is kept and given back byte for byte.
 */
const platform = usePlatform();
let own: TestOrganization;
/** Ids of the organization's things, by the name in braces in calls and bodies. */
let things: Record<string, string>;

beforeAll(async () => {
  own = await platform.organization();
  const [product = ''] = await platform.catalogProducts(1);
  await own.stock(product, 5);
  const [{ shopId: shop }, { shopId: otherShop }] = own.shops;
  const about = { shop_id: shop, p1_id: product };
  expect((await own.api('POST', '/shops/attach-product', about)).status).toBe(201);
  const order = (await own.createOrder()).id;
  const inactive = await own.api('POST', '/webhooks', { url: 'http://127.0.0.1:9/', is_active: false });
  const webhook = json<{ id: string }>(inactive).id;
  things = { shop, otherShop, product, order, webhook };
});

const HOLE = 'HOLE';
type Kind = Record<string, Hostile>;
/** What it is, a call, and a body with HOLE where the hostile values of the kind go. */
type Target = [what: string, call: string, kind: Kind, body: object];

const CONNECTOR = 'the connector';
const shop_id = '{shop}';
const payload = { customer_name: 'A', items: [{ name: 'x', quantity: 1, price: 1 }] };
const order = { shop_id, external_id: '{new}' };
const receipt = { 'Customer Email': 'a@example.org', 'Shop Id': shop_id, 'External Id': '{new}' };
const items = [{ name: 'x', quantity: HOLE, price: 1 }];
const received = { p1_id: '{product}', reason: 'received' };
const ofProduct = { shop_id, p1_id: '{product}' };
const key = { name: 'x', kind: 'int' };
const [ORDERS, INGEST, ADJUST] = ['POST /orders', 'POST /prescriptions/ingest', 'POST /inventory/adjust'];
const OVERRIDES = 'POST /shops/product-overrides';

const targets: Target[] = [
  ['customer_name of an order', ORDERS, HOSTILE_TEXT, { ...order, customer_name: HOLE }],
  ['external_id of an order', ORDERS, HOSTILE_TEXT, { ...order, external_id: HOLE }],
  ['total_amount of an order', ORDERS, HOSTILE_NUMBER, { ...order, total_amount: HOLE }],
  ['order_datetime of an order', ORDERS, HOSTILE_TIME, { ...order, order_datetime: HOLE }],
  ['qty of a line', ORDERS, HOSTILE_NUMBER, { ...order, items: [{ qty: HOLE, price: 1 }] }],
  ['price of a line', ORDERS, HOSTILE_NUMBER, { ...order, items: [{ qty: 1, price: HOLE }] }],
  ['a changed order', 'PUT /orders/{order}', HOSTILE_TEXT, { customer_name: HOLE }],
  ['a changed status', 'PATCH /orders/{order}/status', HOSTILE_TEXT, { status: HOLE }],
  [
    'a name over the connector',
    CONNECTOR,
    HOSTILE_TEXT,
    { source: 'x', payload: { ...payload, customer_name: HOLE } },
  ],
  [
    'a reference over the connector',
    CONNECTOR,
    HOSTILE_TEXT,
    { source: 'x', external_reference: HOLE, payload },
  ],
  [
    'an unknown key over the connector',
    CONNECTOR,
    {},
    { source: 'x', payload: { ...payload, questionnaire: { answer: HOLE } } },
  ],
  [
    'quantity of a direct request',
    'POST /order-requests',
    HOSTILE_NUMBER,
    { payload: { ...payload, shop_id, items } },
  ],
  ['a question', 'POST /order-requests/none/request-clarification', HOSTILE_TEXT, { question: HOLE }],
  ['a name of a prescription', INGEST, HOSTILE_TEXT, { ...receipt, 'Customer First Name': HOLE }],
  ['the total of a prescription', INGEST, HOSTILE_NUMBER, { ...receipt, 'Order Total Amount': HOLE }],
  ['an unknown key of a prescription', INGEST, {}, { ...receipt, Answer: HOLE }],
  ['a stock', ADJUST, HOSTILE_NUMBER, { ...received, quantity: HOLE }],
  ['a note of the stock', ADJUST, HOSTILE_TEXT, { ...received, delta: 1, note: HOLE }],
  ['a product to add', 'POST /products/add-to-inventory', HOSTILE_TEXT, { p1_id: HOLE }],
  ['a price of a product', 'PUT /products/{product}', HOSTILE_NUMBER, { price: HOLE }],
  ['overrides', OVERRIDES, HOSTILE_OBJECT, { ...ofProduct, overrides: HOLE }],
  ['a price among overrides', OVERRIDES, HOSTILE_NUMBER, { ...ofProduct, overrides: { price: HOLE } }],
  [
    'a description of a webhook',
    'POST /webhooks',
    HOSTILE_TEXT,
    { url: 'http://127.0.0.1:9/', description: HOLE },
  ],
  ['a changed webhook', 'PUT /webhooks/{webhook}', HOSTILE_TEXT, { url: HOLE }],
  ['a time to recover from', 'POST /webhooks/{webhook}/recover', HOSTILE_TIME, { since: HOLE }],
  ['a name of a key', 'POST /api-keys', HOSTILE_TEXT, { ...key, name: HOLE }],
  ['an expiry of a key', 'POST /api-keys', HOSTILE_TIME, { ...key, expires_at: HOLE }],
  ['a name of a shop', 'PUT /shops/{otherShop}', HOSTILE_TEXT, { name: HOLE }],
  ['a workflow', 'PUT /settings/workflow', HOSTILE_OBJECT, { mode: 'custom', transitions: HOLE }],
  ['an e-mail to erase', 'POST /customers/erase', HOSTILE_TEXT, { email: HOLE }],
];

function send(call: string, body: object, value: Hostile): Promise<HttpAnswer> {
  const filled = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'new' ? uniqueTag() : (things[name] ?? '')));
  const [before = '', behind = ''] = filled(JSON.stringify(body)).split(JSON.stringify(HOLE));
  const bytes = Buffer.concat([before, value, behind].map((part) => Buffer.from(part)));
  const type = { 'content-type': 'application/json' };
  if (call === CONNECTOR) return own.connector({ body: bytes, headers: type });
  const [method = '', path = ''] = filled(call).split(' ');
  return own.api(method, path, bytes, type);
}

/** Rows of the organization in each table, without outboxes and rows written in the background. */
async function stored(): Promise<Record<string, string>> {
  return withClient(testEnvironment().adminDatabaseUrl, async (database) => {
    const tables = await database.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.columns
       WHERE column_name = 'org_id' AND table_schema IN ('core', 'catalog', 'webhooks')
         AND table_name NOT IN ('outbox', 'audit_log', 'events', 'deliveries', 'api_keys', 'daily_sum_deltas', 'daily_sums', 'customer_days', 'customer_gaps')
         AND table_name NOT LIKE 'row_count%' AND table_name NOT LIKE '%_words' ORDER BY 1`,
    );
    const contents: Record<string, string> = {};
    for (const { name } of tables.rows) {
      const rows = await database.query<{ content: string }>(
        `SELECT concat(count(*), ' ', md5(string_agg(t::text, ' ' ORDER BY t::text))) AS content
         FROM ${name} t WHERE org_id = $1`,
        [own.orgId],
      );
      contents[name] = rows.rows[0]?.content ?? '';
    }
    const keys = await database.query(`SELECT id FROM core.api_keys WHERE org_id = $1`, [own.orgId]);
    return { ...contents, 'core.api_keys': String(keys.rowCount) };
  });
}

describe('hostile values are refused and leave nothing:', () => {
  it.each(targets)('%s', async (_, call, kind, body) => {
    const before = await stored();
    const values = Object.entries({ ...HOSTILE_ANYWHERE, ...kind });
    const outcomes = await Promise.all(
      values.map(async ([name, value]) => [name, (await send(call, body, value)).status] as const),
    );
    const unexpected = outcomes.filter(([, status]) => ![400, 413, 422].includes(status));
    expect(unexpected).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  it('with an innocent value each of them would have been taken, or its object not been found', async () => {
    const innocent = new Map<Kind, string>([
      [HOSTILE_NUMBER, '1'],
      [HOSTILE_TIME, JSON.stringify(new Date().toISOString())],
      [HOSTILE_OBJECT, '{}'],
    ]);
    const own400 = new Set([
      'a changed status',
      'a changed webhook',
      'an e-mail to erase',
      'an expiry of a key',
    ]);
    const refused: string[] = [];
    for (const [name, call, kind, body] of targets) {
      const { status } = await send(call, body, innocent.get(kind) ?? `"x${uniqueTag()}"`);
      if (status === 400 && !own400.has(name)) refused.push(name);
    }
    expect(refused).toEqual([]);
  });

  it('nothing of it changed what all objects have', () => {
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  });
});

describe('hostile text in an address', () => {
  const inPath = ['/orders/§', '/order-requests/§', '/prescriptions/§', '/products/§', '/inventory/§/log'];
  const further = ['/webhooks/§', '/webhook-deliveries/§', '/shops/§', '/orders/§/history', '/api-keys/§'];
  const asDelete = new Set(['/api-keys/§']);
  it.each([...inPath, ...further])('is not an object: %s', async (path) => {
    const method = asDelete.has(path) ? 'DELETE' : 'GET';
    expect(await unexpectedAt(method, path, [400, 404, 405])).toEqual([]);
  });

  it('is not a request of a partner', async () => {
    const answers = HOSTILE_IN_ADDRESS.map(async (text) => {
      const { status } = await own.connector({ method: 'GET', tail: `/${text}` });
      return [text.slice(0, 40), status];
    });
    expect((await Promise.all(answers)).filter(([, status]) => status !== 404 && status !== 400)).toEqual([]);
  });

  const queries = ['/orders?q=§', '/orders?external_id=§', '/orders?shop_id=§', '/orders?cursor=§'];
  const catalog = [
    '/inventory?q=§',
    '/products?limit=§',
    '/order-requests?shop_id=§',
    '/prescriptions?shop_id=§',
  ];
  const others = ['/orders?created_from=§', '/events?cursor=§', '/audit-log?cursor=§', '/orders?§=1'];
  it.each([...queries, ...catalog, ...others])('finds nothing more: %s', async (path) => {
    expect(await unexpectedAt('GET', path, [200, 400, 404])).toEqual([]);
  });

  const NO_TIMES = ['2026-02-30 12:00:00+00', '2025-02-29 12:00:00+00', '0000-01-01 12:00:00+00'];
  const NO_CLOCKS = [
    '2026-02-28 24:00:00+00',
    '2026-02-28 12:00:60+00',
    '2026-02-28 12:00:00+99',
    'infinity',
  ];
  it.each([
    ['/orders', 'o'],
    ['/order-requests', 'r'],
    ['/prescriptions', 'p'],
  ])('is not a place in %s: a cursor made by hand, at a time that there is not', async (path, list) => {
    const statusOf = async (time: string): Promise<number> => {
      const filters = digestOfFilters([['org', own.orgId]]);
      const parts = [`${list}.created_at:desc.${filters}`, time, '00000000-0000-7000-8000-000000000000'];
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      return (await own.api('GET', `${path}?cursor=${cursor}`)).status;
    };
    expect(await statusOf('2026-02-28 12:00:00.123456+00')).toBe(200);
    for (const time of [...NO_TIMES, ...NO_CLOCKS]) expect([time, await statusOf(time)]).toEqual([time, 400]);
  });

  async function unexpectedAt(method: string, path: string, expected: number[]): Promise<unknown[]> {
    const outcomes = await Promise.all(
      HOSTILE_IN_ADDRESS.map(async (text) => {
        const url = `${own.urls.baseUrl}/api/v2/public/orgs/${own.orgId}${path.replace('§', text)}`;
        const answer = await http(url, { method, headers: { authorization: `Bearer ${own.token}` } });
        expectDescribed(method, url, answer);
        expect(answer.headers).not.toHaveProperty('x-injected');
        return [text.slice(0, 40), answer.status] as const;
      }),
    );
    return outcomes.filter(([, status]) => !expected.includes(status));
  }
});

describe('harmless values that look like an attack are stored unchanged:', () => {
  it.each(INNOCENT_TEXTS)('%j', async (text) => {
    const { id } = await own.createOrder({ customer_name: text, items: [{ name: text, qty: 1, price: 1 }] });
    const detail = json<{ customer_name: string; items: { name: string }[] }>(
      await own.api('GET', `/orders/${id}`),
    );
    expect([detail.customer_name, detail.items[0]?.name]).toEqual([text, text]);
    const about = { ...payload, customer_name: text, questionnaire: { [text]: [text] } };
    const request = await own.submit({ source: 'x', payload: about });
    const shown = json<{ payload: unknown }>(await own.api('GET', `/order-requests/${request}`));
    expect(shown.payload).toMatchObject({ customer_name: text, questionnaire: { [text]: [text] } });
    const changed = await own.api('PUT', `/webhooks/${things['webhook']}`, { description: text });
    expect(json(changed)['description']).toBe(text);
    const { product = '' } = things;
    const adjusted = { p1_id: product, delta: 1, reason: 'received', note: text };
    expect((await own.api('POST', '/inventory/adjust', adjusted)).status).toBe(200);
    const log = json<{ data: { note: string }[] }>(await own.api('GET', `/inventory/${product}/log?limit=1`));
    expect(log.data[0]?.note).toBe(text);
  });
});
