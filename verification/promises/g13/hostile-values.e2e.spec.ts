import { Client } from 'pg';
import { expectDescribed } from '@offizin/testkit/described-answers';
import { digestOfFilters } from '@offizin/contracts/calls/paging';
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
let database: Client;
let p1Id: string;
let orderId: string;
let webhookId: string;

beforeAll(async () => {
  own = await platform.organization();
  [p1Id = ''] = await platform.catalogProducts(1);
  await own.stock(p1Id, 5);
  const about = { shop_id: own.shops[0].shopId, p1_id: p1Id };
  expect((await own.api('POST', '/shops/attach-product', about)).status).toBe(201);
  orderId = (await own.createOrder()).id;
  const webhook = await own.api('POST', '/webhooks', { url: 'http://127.0.0.1:9/', is_active: false });
  webhookId = json<{ id: string }>(webhook).id;
  database = new Client({ connectionString: testEnvironment().adminDatabaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
});

const HOLE = '"HOLE"';
type Kind = Record<string, Hostile>;
interface Target {
  method: 'POST' | 'PUT' | 'PATCH';
  /** Of the organization API; null is the connector. */
  path: (() => string) | null;
  /** With HOLE where the hostile values go. */
  body: () => object;
  kind: Kind;
}
const shop = (): { shop_id: string } => ({ shop_id: own.shops[0].shopId });
const hole = 'HOLE';
const payload = { customer_name: 'A', items: [{ name: 'x', quantity: 1, price: 1 }] };
const to = (method: Target['method'], path: Target['path'], kind: Kind, body: Target['body']): Target => ({
  method,
  path,
  kind,
  body,
});
const post = (path: string, kind: Kind, body: Target['body']): Target => to('POST', () => path, kind, body);
const order = (fields: object) => () => ({ ...shop(), external_id: uniqueTag(), ...fields });
const receipt = (fields: object) => () => ({
  'Customer Email': 'a@example.org',
  'Shop Id': own.shops[0].shopId,
  'External Id': uniqueTag(),
  ...fields,
});

const targets: Record<string, Target> = {
  'customer_name of an order': post('/orders', HOSTILE_TEXT, order({ customer_name: hole })),
  'external_id of an order': post('/orders', HOSTILE_TEXT, order({ external_id: hole })),
  'total_amount of an order': post('/orders', HOSTILE_NUMBER, order({ total_amount: hole })),
  'order_datetime of an order': post('/orders', HOSTILE_TIME, order({ order_datetime: hole })),
  'qty of a line': post('/orders', HOSTILE_NUMBER, order({ items: [{ qty: hole, price: 1 }] })),
  'price of a line': post('/orders', HOSTILE_NUMBER, order({ items: [{ qty: 1, price: hole }] })),
  'a changed order': to(
    'PUT',
    () => `/orders/${orderId}`,
    HOSTILE_TEXT,
    () => ({ customer_name: hole }),
  ),
  'a changed status': to(
    'PATCH',
    () => `/orders/${orderId}/status`,
    HOSTILE_TEXT,
    () => ({ status: hole }),
  ),
  'a name over the connector': to('POST', null, HOSTILE_TEXT, () => ({
    source: 'x',
    payload: { ...payload, customer_name: hole },
  })),
  'a reference over the connector': to('POST', null, HOSTILE_TEXT, () => ({
    source: 'x',
    external_reference: hole,
    payload,
  })),
  'an unknown key over the connector': to('POST', null, {}, () => ({
    source: 'x',
    payload: { ...payload, questionnaire: { answer: hole } },
  })),
  'quantity of a direct request': post('/order-requests', HOSTILE_NUMBER, () => ({
    payload: { ...payload, ...shop(), items: [{ name: 'x', quantity: hole, price: 1 }] },
  })),
  'a question': post(`/order-requests/none/request-clarification`, HOSTILE_TEXT, () => ({ question: hole })),
  'a name of a prescription': post(
    '/prescriptions/ingest',
    HOSTILE_TEXT,
    receipt({ 'Customer First Name': hole }),
  ),
  'the total of a prescription': post(
    '/prescriptions/ingest',
    HOSTILE_NUMBER,
    receipt({ 'Order Total Amount': hole }),
  ),
  'an unknown key of a prescription': post('/prescriptions/ingest', {}, receipt({ Answer: hole })),
  'a stock': post('/inventory/adjust', HOSTILE_NUMBER, () => ({
    p1_id: p1Id,
    quantity: hole,
    reason: 'received',
  })),
  'a note of the stock': post('/inventory/adjust', HOSTILE_TEXT, () => ({
    p1_id: p1Id,
    delta: 1,
    reason: 'received',
    note: hole,
  })),
  'a product to add': post('/products/add-to-inventory', HOSTILE_TEXT, () => ({ p1_id: hole })),
  'a price of a product': to(
    'PUT',
    () => `/products/${p1Id}`,
    HOSTILE_NUMBER,
    () => ({ price: hole }),
  ),
  overrides: post('/shops/product-overrides', HOSTILE_OBJECT, () => ({
    ...shop(),
    p1_id: p1Id,
    overrides: hole,
  })),
  'a price among overrides': post('/shops/product-overrides', HOSTILE_NUMBER, () => ({
    ...shop(),
    p1_id: p1Id,
    overrides: { price: hole },
  })),
  'a description of a webhook': post('/webhooks', HOSTILE_TEXT, () => ({
    url: 'http://127.0.0.1:9/',
    description: hole,
  })),
  'a changed webhook': to(
    'PUT',
    () => `/webhooks/${webhookId}`,
    HOSTILE_TEXT,
    () => ({ url: hole }),
  ),
  'a time to recover from': to(
    'POST',
    () => `/webhooks/${webhookId}/recover`,
    HOSTILE_TIME,
    () => ({ since: hole }),
  ),
  'a name of a key': post('/api-keys', HOSTILE_TEXT, () => ({ name: hole, kind: 'int' })),
  'an expiry of a key': post('/api-keys', HOSTILE_TIME, () => ({ name: 'x', kind: 'int', expires_at: hole })),
  'a name of a shop': to(
    'PUT',
    () => `/shops/${own.shops[1].shopId}`,
    HOSTILE_TEXT,
    () => ({ name: hole }),
  ),
  'a workflow': to(
    'PUT',
    () => '/settings/workflow',
    HOSTILE_OBJECT,
    () => ({ mode: 'custom', transitions: hole }),
  ),
  'an e-mail to erase': post('/customers/erase', HOSTILE_TEXT, () => ({ email: hole })),
};

function send({ method, path, body }: Target, value: Hostile): Promise<HttpAnswer> {
  const [before = '', behind = ''] = JSON.stringify(body()).split(HOLE);
  const bytes = Buffer.concat([before, value, behind].map((part) => Buffer.from(part)));
  const type = { 'content-type': 'application/json' };
  if (!path) return own.connector({ body: bytes, headers: type });
  return own.api(method, path(), bytes, type);
}

/** Rows of the organization in each table, without outboxes and rows written in the background. */
async function stored(): Promise<Record<string, string>> {
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
}

describe('hostile values are refused and leave nothing:', () => {
  it.each(Object.entries(targets))('%s', async (_, target) => {
    const before = await stored();
    const values = Object.entries({ ...HOSTILE_ANYWHERE, ...target.kind });
    const outcomes = await Promise.all(
      values.map(async ([name, value]) => [name, (await send(target, value)).status] as const),
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
    for (const [name, target] of Object.entries(targets)) {
      const { status } = await send(target, innocent.get(target.kind) ?? `"x${uniqueTag()}"`);
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
  it.each([...inPath, ...further])('is no object: %s', async (path) => {
    const method = asDelete.has(path) ? 'DELETE' : 'GET';
    expect(await unexpectedAt(method, path, [400, 404, 405])).toEqual([]);
  });

  it('is no request of a partner', async () => {
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
  ])('is no place in %s: a cursor made by hand, at a time that there is not', async (path, list) => {
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
    const changed = await own.api('PUT', `/webhooks/${webhookId}`, { description: text });
    expect(json(changed)['description']).toBe(text);
    const adjusted = { p1_id: p1Id, delta: 1, reason: 'received', note: text };
    expect((await own.api('POST', '/inventory/adjust', adjusted)).status).toBe(200);
    const log = json<{ data: { note: string }[] }>(await own.api('GET', `/inventory/${p1Id}/log?limit=1`));
    expect(log.data[0]?.note).toBe(text);
  });
});
