import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { CallbackReceiver, WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { http } from '@offizin/testkit/http';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import type { TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform } from '@offizin/testkit/platform';
import { parse } from 'yaml';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { everyItem, Offizin, value } from './client';
import { OffizinConnector } from './connector';
import {
  Conflict,
  Connection,
  InvalidTransition,
  NotFound,
  PreconditionFailed,
  RateLimited,
  Timeout,
  Unauthorized,
  Validation,
} from './errors';
import { ROUTES } from './generated/routes';
import type { ResourceOperation, RouteOf } from './resource-types';
import type { Attempt } from './transport';
import { verifyCallback, verifyWebhook, WebhookVerificationError } from './verify-webhook';

/** An integrator works with the typed client and nothing else. */
const ORDERS = '/api/v2/public/orgs/{orgId}/orders';

let platform: TestPlatform;
let organization: TestOrganization;
let offizin: Offizin;
let path: { orgId: string };

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  path = { orgId: organization.orgId };
  offizin = new Offizin({ baseUrl: organization.urls.baseUrl, apiKey: organization.apiKey.text });
});
afterAll(() => platform.close());

function orderBody(externalId: string): {
  shop_id: string;
  external_id: string;
  items: { name: string; qty: number; price: number }[];
} {
  return {
    shop_id: organization.shops[0].shopId,
    external_id: externalId,
    items: [{ name: 'Tee', qty: 2, price: 6.9 }],
  };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function rejection(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
}

it('has a method for every operation of the published description', () => {
  // The compiler compares the table's words with the types from which methods are made.
  ROUTES satisfies { readonly [Id in ResourceOperation]: RouteOf<Id> };
  const text = readFileSync(resolve(__dirname, '../../../docs/openapi/external-api.yaml'), 'utf8');
  const { paths } = parse(text) as { paths: Record<string, Record<string, { operationId?: string }>> };
  const published: Record<string, string> = {};
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId }] of Object.entries(methods))
      if (operationId) published[operationId] = `${method.toUpperCase()} ${path}`;
  const reached = Object.entries(ROUTES).map(([id, route]) => {
    const [method, path] = route.replace(/^(LIST|FEED)/, 'GET').split(' ');
    return [id, `${method} /api/v2/public${path}`];
  });
  expect({
    ...Object.fromEntries(reached),
    'tokens.exchange': 'POST /auth/token',
    'tokens.exchange-for-organization': 'POST /api/v2/public/orgs/{orgId}/auth/token',
    'order-requests.find-external': 'GET /api/v1/external-order',
    'order-requests.list-external': 'GET /api/v1/external-orders',
    'order-requests.submit-external': 'POST /api/v1/external-order',
    'order-requests.read-external': 'GET /api/v1/external-order/{requestId}',
    'order-requests.replace-external': 'PUT /api/v1/external-order/{requestId}',
    'order-requests.add-document-external': 'POST /api/v1/external-order/{requestId}/documents',
    'order-requests.cancel-external': 'POST /api/v1/external-order/{requestId}/cancel',
    'order-requests.accept-offer-external': 'POST /api/v1/external-order/{requestId}/offer/accept',
    'order-requests.decline-offer-external': 'POST /api/v1/external-order/{requestId}/offer/decline',
    'products.list-external': 'GET /api/v1/products',
    'shops.read-external': 'GET /api/v1/shop',
    'callback.set-external': 'PUT /api/v1/callback',
    'callback.get-external': 'GET /api/v1/callback',
    'callback.delete-external': 'DELETE /api/v1/callback',
    'certification.read-external': 'GET /api/v1/certification',
    'certification.restart-external': 'DELETE /api/v1/certification',
  }).toEqual(published);
  const { retryFetch, withdrawClarification } = offizin.orderRequests;
  for (const method of [retryFetch, withdrawClarification, offizin.auditLog.verify])
    expect(method).toBeInstanceOf(Function);
});

it('creates, reads, changes and moves an order, and refuses what was read too long ago', async () => {
  const order = await offizin.orders.upsert(orderBody('client-1'));
  expect(order.total_amount).toBe(13.8);
  const read = await offizin.orders.find('client-1', order.shop_id);
  expect(read).toMatchObject({ id: order.id, customer_name: null });
  const missing = await rejection(offizin.orders.find('client-0', order.shop_id));
  expect(missing).toBeInstanceOf(NotFound);
  expect(missing).toMatchObject({ requestId: expect.any(String) });
  expect(await rejection(offizin.orders.find('', order.shop_id))).toBeInstanceOf(TypeError);
  const { etag } = read;
  expect([etag, Object.keys(read).includes('etag')]).toEqual([order.etag, false]);
  const changed = await offizin.orders.update(order.id, { customer_name: 'Erika' }, { ifMatch: etag });
  expect(changed.customer_name).toBe('Erika');
  const late = offizin.orders.update(order.id, { customer_name: 'Max' }, { ifMatch: etag });
  expect(await rejection(late)).toBeInstanceOf(PreconditionFailed);
  const moved = await offizin.orders.patchStatus(order.id, { status: 'cancelled' });
  expect(moved.status).toBe('cancelled');
  const wrong = await rejection(offizin.orders.patchStatus(order.id, { status: 'shipped' }));
  expect(wrong).toBeInstanceOf(InvalidTransition);
  expect(wrong).toBeInstanceOf(Conflict);
  expect(wrong).toMatchObject({ status: 409, code: 'invalid_transition', requestId: expect.any(String) });
  const changes = await all(offizin.orders.history(order.id, { limit: 1 }));
  expect(changes.length).toBeGreaterThanOrEqual(3);
});

it('walks lists of every shape to their end: cursor, offset, page and events', async () => {
  const ids: string[] = [];
  for (const n of [2, 3, 4, 5]) ids.push((await offizin.orders.upsert(orderBody(`client-${n}`))).id);
  const orders = offizin.orders.list({ limit: 2, sort: 'created_at', offset: 1 });
  const found = await all(orders);
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect((await orders.firstPage()).pagination.total).toBe(5);
  expect(await all(offizin.shops.list({ limit: 1 }))).toHaveLength(organization.shops.length);
  const products = await platform.catalogProducts(3);
  for (const p1_id of products) await offizin.products.addToInventory({ p1_id });
  const rows = await all(offizin.inventory.list({ limit: 2 }));
  expect(rows.map(({ p1_id }) => p1_id).sort()).toEqual(products.sort());
  expect(await all(offizin.inventory.list({ limit: 1, page: 2 }))).toEqual(rows.slice(1));
  const { shopId: shop_id } = organization.shops[0];
  for (const p1_id of products) await offizin.products.attach({ shop_id, p1_id, mode: 'merge' });
  await offizin.products.detach({ shop_id, p1_id: products[0] ?? '' });
  const changes = await all(offizin.products.list({ shop_id, limit: 1, sort: 'updated_at' }));
  expect(changes.map(({ available }) => available)).toEqual([true, true, false]);
  expect(changes.at(-1)).toMatchObject({ p1_id: products[0], detached_at: expect.any(String) });
  const events = offizin.events.feed({ limit: 2, event_type: 'order_created' });
  const created = new Set<string>();
  for await (const event of events)
    if (event.event_type === 'order_created') created.add(event.metadata.order_id);
  expect([...created]).toEqual(expect.arrayContaining(ids.slice(0, -1)));
  const revenue = await all(offizin.reports.productSales({ limit: 1 }));
  expect(revenue).toEqual([expect.objectContaining({ name: 'Tee', quantity: 8 })]);
  let pages = 0;
  for await (const { data } of offizin.orders.list({ limit: 1 }).pages()) {
    expect(data).toHaveLength(1);
    if (++pages === 2) break;
  }
  expect(pages).toBe(2);
});

it('turns refusals into errors of a class with code, details and request id', async () => {
  const items = [{ name: 'Tee', qty: 0, price: -1 }];
  const refusal = await rejection(offizin.orders.upsert({ ...orderBody('client-bad'), items }));
  expect(refusal).toBeInstanceOf(Validation);
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', requestId: expect.any(String) });
  expect((refusal as Validation).details.map(({ field }) => field)).toEqual([
    'items[0].qty',
    'items[0].price',
  ]);
  const unknown = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c10';
  expect(await rejection(offizin.orders.get(unknown))).toBeInstanceOf(NotFound);
  for (const id of ['', '..']) expect(() => offizin.orders.get(id)).toThrow(TypeError);
  const { baseUrl } = organization.urls;
  const stranger = new Offizin({ baseUrl, apiKey: 'ofz_org_wrong' });
  expect(await rejection(stranger.settings.getWorkflow())).toBeInstanceOf(Unauthorized);
});

it('forgives slashes after the address, and deletes without an answer', async () => {
  const { baseUrl } = organization.urls;
  const slashed = new Offizin({ baseUrl: `${baseUrl}//`, apiKey: organization.apiKey.text });
  const hook = await slashed.webhooks.create({ url: 'http://127.0.0.1:9/closed' });
  expect(await slashed.webhooks.delete(hook.id)).toBeUndefined();
  expect(await all(slashed.webhooks.list())).toEqual([]);
});

it('hands in an order request as a partner, which the pharmacy reads, approves and answers', async () => {
  const shop = organization.shops[0];
  const connector = new OffizinConnector({
    shopUrl: `${organization.urls.connectorUrl}/`,
    integrationKey: organization.integrationKey.text,
    // The shops of the test have no DNS names, and fetch sets no Host.
    fetch: async (input, init) => {
      const { url } = new Request(input);
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), host: shop.domain };
      const body = typeof init?.body === 'string' ? { body: init.body } : {};
      const answer = await http(url, { method: init?.method ?? 'GET', headers, ...body });
      return new Response(answer.status === 204 ? null : new Uint8Array(answer.body), {
        status: answer.status,
        headers: { 'content-type': String(answer.headers['content-type']) },
      });
    },
  });
  const shown = await all(offizin.products.list({ shop_id: shop.shopId }));
  const offered = await all(connector.products.list({ limit: 2 }));
  expect(offered.map(({ p1_id }) => p1_id)).toEqual(shown.map(({ p1_id }) => p1_id));
  expect(await connector.shop()).toMatchObject({ is_test: false, key_expires_at: null });
  const external_reference = 'visit-1';
  const prescription_pdf_base64 = makePdf().toString('base64');
  const items = [{ name: 'Salbe', quantity: 2, price: 3.5 }];
  const payload = { customer_name: 'Erika Mustermann', items, prescription_pdf_base64 };
  const { id } = await connector.submit({ external_reference, payload });
  expect((await connector.submit({ external_reference, payload })).id).toBe(id);
  expect(await connector.find(external_reference)).toMatchObject({ id, status: 'pending' });
  expect(await rejection(connector.find('visit-none'))).toBeInstanceOf(NotFound);
  const receiver = await CallbackReceiver.start();
  const { secret } = await connector.callback.put(receiver.url);
  expect(await connector.callback.get()).toMatchObject({ url: receiver.url, is_active: true });

  const waiting = await all(offizin.orderRequests.list({ status: 'pending' }));
  expect(waiting.map((request) => request.id)).toEqual([id]);
  const pdf = await offizin.orderRequests.prescription(id);
  expect(pdf).toBeInstanceOf(Uint8Array);
  expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-');
  await offizin.orderRequests.approve(id);
  expect(await connector.read(id)).toMatchObject({ id, status: 'approved' });

  expect(await rejection(connector.requests.cancel(id, { reason: 'other' }))).toBeInstanceOf(Conflict);
  const next = await connector.submit({ external_reference: 'visit-2', payload });
  const replaced = await connector.requests.replace(next.id, { payload: { ...payload, customer_name: 'M' } });
  expect(replaced).toMatchObject({ id: next.id, status: 'pending', external_reference: 'visit-2' });
  const document = { kind: 'identity', pdf_base64: makePdf().toString('base64') } as const;
  const added = await connector.requests.documents.add(next.id, document);
  expect((await connector.read(next.id)).documents.at(-1)).toEqual(added.document);
  const withdrawn = await connector.requests.cancel(next.id, { reason: 'other' });
  expect(withdrawn.status).toBe('cancelled');
  const listed = await all(connector.requests.list({ limit: 1 }));
  expect(listed).toEqual([await connector.read(id), await connector.read(next.id)]);
  const { body, headers } = await receiver.waitFor('order_request_approved', id);
  const event = verifyCallback(body, headers, secret);
  if (event.event_type !== 'order_request_approved') throw new Error(event.event_type);
  const { sequence: _, as_of, ...told } = event.metadata;
  expect(told).toEqual(await connector.read(id));
  expect(Date.parse(as_of)).toBeGreaterThanOrEqual(Date.parse(told.updated_at));
  expect(() => verifyCallback(`${body.toString()} `, headers, secret)).toThrow(WebhookVerificationError);
  expect(await connector.callback.delete()).toBeUndefined();
  expect(await rejection(connector.callback.get())).toBeInstanceOf(NotFound);
  await receiver.close();
});

it('verifies the deliveries of its subscription and refuses altered and old ones', async () => {
  const receiver = await WebhookReceiver.start();
  try {
    const { secret } = await offizin.webhooks.create({ url: receiver.url });
    const order = await offizin.orders.upsert(orderBody('client-hook'));
    const { body, headers } = await receiver.waitFor((event) => event.event_type === 'order_created');
    const event = verifyWebhook(body, headers, secret ?? '');
    if (event.event_type !== 'order_created') throw new Error(`it is ${event.event_type}`);
    expect(event.metadata.order_id).toBe(order.id);
    const altered = Buffer.from(body.toString().replace('order_created', 'order_deleted'));
    expect(() => verifyWebhook(altered, headers, secret ?? '')).toThrow(WebhookVerificationError);
    const later = Math.floor(Date.now() / 1000) + 3600;
    expect(() => verifyWebhook(body, headers, secret ?? '', later)).toThrow(WebhookVerificationError);
  } finally {
    await receiver.close();
  }
});

it('calls by path, too: typed, with value and everyItem', async () => {
  const order = value(await offizin.api.POST(ORDERS, { params: { path }, body: orderBody('client-path') }));
  expect(order.total_amount).toBe(13.8);
  const pages = everyItem((cursor) =>
    offizin.api.GET(ORDERS, { params: { path, query: { cursor, limit: 2 } } }),
  );
  const found = (await all(pages)).map(({ external_id }) => external_id);
  expect(found).toContain('client-path');
  expect(new Set(found).size).toBe(found.length);
  const missing = { path: { ...path, orderId: '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c10' } };
  const refused = offizin.api.GET(`${ORDERS}/{orderId}`, { params: missing }).then(value);
  expect(await rejection(refused)).toBeInstanceOf(NotFound);
});

/** A server that answers the nth request as the nth handler says, and those beyond as the last. */
async function hostile(
  ...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]
): Promise<{
  baseUrl: string;
  seen: IncomingMessage[];
  close: () => Promise<void>;
}> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.resume();
    (answers[seen.length] ?? answers.at(-1))?.(request, response);
    seen.push(request);
  });
  const baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return { baseUrl, seen, close: () => closeServer(server) };
}

const token = answer(200, { access_token: 'token', expires_in: 3600, org_id: 'org' });
const dropped = (request: IncomingMessage): void => void request.socket.destroy();
const silent = (): void => undefined;

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
    response.end(JSON.stringify(body));
  };
}

describe('against servers and networks that fail', () => {
  const attempts: Attempt[] = [];
  let server: Awaited<ReturnType<typeof hostile>>;
  let client: Offizin;

  async function meet(...answers: Parameters<typeof hostile>): Promise<void> {
    server = await hostile(...answers);
    attempts.length = 0;
    const onAttempt = (attempt: Attempt): void => void attempts.push(attempt);
    client = new Offizin({ baseUrl: server.baseUrl, apiKey: 'ofz_org_any', onAttempt });
  }
  afterEach(() => server.close());

  it('sends a POST again with the same key: dropped, half answered, 503, still running, token refused', async () => {
    const half = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":', () => response.destroy());
    };
    const running = answer(409, { error: 'idempotency_in_progress' }, { 'retry-after': '0' });
    const refused = answer(401, { error: 'unauthorized' });
    await meet(token, dropped, half, refused, token, running, answer(201, { id: 'o' }));
    expect(await client.orders.upsert(orderBody('client-flaky'))).toEqual({ id: 'o' });
    const posts = server.seen.filter(({ url }) => url?.endsWith('/orders'));
    expect(posts).toHaveLength(5);
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(posts[0]?.headers['user-agent']).toMatch(/^offizin-client\/\d/);
    expect(attempts.map(({ status }) => status)).toEqual([200, null, null, 401, 200, 409, 201]);
    expect(attempts.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/v2/public/orgs/org/orders',
      requestId: 'r-1',
    });
  });

  it('exchanges the key again when the token endpoint fails first, once for all calls that wait', async () => {
    await meet(dropped, answer(503, {}), token, answer(200, { ok: true }));
    await Promise.all([client.orders.get('a'), client.orders.get('b')]);
    expect(server.seen.filter(({ url }) => url === '/auth/token')).toHaveLength(3);
    expect(server.seen).toHaveLength(5);
  });

  it('waits as long as Retry-After says, and not at all when that is beyond the end of the call', async () => {
    const limited = (seconds: string) => answer(429, { error: 'rate_limited' }, { 'retry-after': seconds });
    await meet(token, limited('1'), answer(200, { ok: true }), limited('20'));
    const startedMs = performance.now();
    await client.orders.get('a');
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    const refusal = await rejection(client.orders.get('a', { timeoutMs: 10_000 }));
    expect(refusal).toBeInstanceOf(RateLimited);
    expect(refusal).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 20 });
    expect(server.seen).toHaveLength(4);
  });

  it('ends a call on time and at the wish of the caller, without a retry', async () => {
    await meet(token, silent);
    const startedMs = performance.now();
    expect(await rejection(client.orders.upsert(orderBody('late'), { timeoutMs: 200 }))).toBeInstanceOf(
      Timeout,
    );
    const signal = AbortSignal.timeout(200);
    expect(await rejection(client.orders.get('a', { signal }))).toBe(signal.reason);
    const byPath = client.api.GET(ORDERS, { params: { path }, signal: AbortSignal.timeout(200) });
    expect(await rejection(byPath)).toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - startedMs).toBeLessThan(3000 * SLOWNESS);
    expect(server.seen.length).toBeLessThanOrEqual(4); // A busy machine may not send one within its time.
  });

  it('ends a call on time while the token endpoint is silent', async () => {
    await meet(silent);
    expect(await rejection(client.orders.get('a', { timeoutMs: 200 }))).toBeInstanceOf(Timeout);
    expect(server.seen.length).toBeLessThanOrEqual(1);
  });

  it('gives up on a network that stays unreachable, and on answers that are not of the API', async () => {
    const portal = (_request: IncomingMessage, response: ServerResponse): void => void response.end('<html>');
    await meet(token, portal, dropped);
    client = new Offizin({ baseUrl: server.baseUrl, apiKey: 'ofz_org_any', retries: { maxRetries: 1 } });
    expect(await rejection(client.orders.get('a'))).toMatchObject({ code: 'unexpected_answer' });
    const failed = { status: 0, code: 'connection_failed', cause: expect.anything() };
    expect(await rejection(client.orders.get('a'))).toMatchObject({ ...failed, constructor: Connection });
  });
});
