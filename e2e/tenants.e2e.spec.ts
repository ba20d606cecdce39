import { v7 as uuidv7 } from 'uuid';
import type { ErrorBody } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import {
  connectorOperations,
  gatewayOperations,
  operations,
  organizationOperations,
} from '@offizin/contracts/operations';
import { ALL_SCOPES } from '@offizin/contracts/scopes';
import { eventually } from '@offizin/testkit/eventually';
import { http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import type { Organization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform } from '@offizin/testkit/platform';
import { tokenWith } from '@offizin/testkit/tokens';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Two organizations are apart. The tests walk the list of operations, so that a new one is tested by being there; one
 * with a new kind of id or a body makes the tables below fail until it is told what to send.
 */
type Ids = Record<string, string>;

let platform: TestPlatform;
let receiver: WebhookReceiver;
let own: Organization;
let foreign: Organization;
/** Ids of things that exist, but belong to the other organization; by the name of the parameter. */
let foreignIds: Ids;
const unknownIds: Ids = {
  orderId: uuidv7(),
  requestId: uuidv7(),
  p1Id: 'E2E-nobody-has-this',
  webhookId: uuidv7(),
  deliveryId: uuidv7(),
  prescriptionId: uuidv7(),
  keyId: uuidv7(),
  shopId: uuidv7(),
};

/** A body that the operation would take, for every operation that takes one; `ids` are those it names. */
const bodies: Record<string, (ids: Ids) => object> = {
  'orders.upsert': ({ shopId }) => ({ shop_id: shopId, external_id: 'x' }),
  'orders.update': () => ({ customer_name: 'Taken over' }),
  'orders.patch-status': () => ({ status: 'cancelled' }),
  'order-requests.submit': ({ shopId }) => orderRequest({ shop_id: shopId }),
  'order-requests.approve': () => ({}),
  'order-requests.reject': () => ({ reason: 'other' }),
  'order-requests.request-clarification': () => ({ question: 'Which one?' }),
  'prescriptions.ingest': ({ shopId }) => ({ 'Customer Email': 'erika@example.org', 'Shop Id': shopId }),
  'products.update': () => ({ price: 0.01 }),
  'products.attach': ({ shopId, p1Id }) => ({ shop_id: shopId, p1_id: p1Id }),
  'products.detach': ({ shopId, p1Id }) => ({ shop_id: shopId, p1_id: p1Id }),
  'products.overrides': ({ shopId, p1Id }) => ({ shop_id: shopId, p1_id: p1Id, overrides: { price: 0.01 } }),
  'products.add-to-inventory': () => ({ p1_id: unknownIds['p1Id'] }),
  'inventory.adjust': ({ p1Id }) => ({ p1_id: p1Id, delta: 1, reason: 'received' }),
  'webhooks.create': () => ({ url: 'http://127.0.0.1:9/webhooks/service' }),
  'webhooks.update': () => ({ is_active: false }),
  'webhooks.recover': () => ({ since: new Date().toISOString() }),
  'api-keys.rotate': () => ({ overlap_seconds: 0 }),
  'settings.set-workflow': () => ({ mode: 'default' }),
  'settings.set-stock': () => ({ stock_follows_orders: false }),
  'settings.update-shop': () => ({ name: 'Taken over', is_active: false }),
  'customers.erase': () => ({ email: 'nobody@example.org' }),
  'api-keys.create': ({ shopId }) => ({ name: 'x', kind: 'int', shop_id: shopId }),
};
/** Operations that name an organization's thing in their query. */
const queries: Record<string, (ids: Ids) => string> = {
  'orders.list': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'order-requests.list': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'products.list': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'prescriptions.list': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'reports.stats': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'reports.top-customers': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'reports.product-performance': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'reports.product-sales': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
  'reports.service': ({ shopId }) => `?shop_id=${shopId ?? ''}`,
};
/** The platform's own things, which every organization may see. */
const ofNobody = new Set(['catalog.get']);

beforeAll(async () => {
  platform = await TestPlatform.connect();
  receiver = await WebhookReceiver.start();
  own = await platform.organization();
  foreign = await platform.organization();
  foreignIds = await thingsOf(foreign);
}, 30_000);
afterAll(async () => {
  await receiver.close();
  await platform.close();
});

async function thingsOf(organization: Organization): Promise<Ids> {
  const [p1Id = ''] = await platform.catalogProducts(1);
  await organization.stock(p1Id, 5);
  const shopId = organization.shops[0].shopId;
  await organization.api('POST', '/shops/attach-product', { shop_id: shopId, p1_id: p1Id });
  const { id: webhookId } = json<{ id: string }>(
    await organization.api('POST', '/webhooks', { url: receiver.url }),
  );
  const { id: orderId } = await organization.createOrder({ customer_name: 'Untouched' });
  const prescription_pdf_base64 = makePdf().toString('base64');
  const requestId = await organization.submit(orderRequest({ prescription_pdf_base64 }));
  const deliveryId = await eventually('a delivery', async () => {
    const list = await organization.api('GET', `/webhooks/${webhookId}/deliveries`);
    return json<{ data: { id: string }[] }>(list).data[0]?.id;
  });
  const prescription = { 'Customer Email': 'erika@example.org', 'Shop Id': shopId };
  const receipt = { 'Receipt Pdf Base64': prescription_pdf_base64 };
  const { id: prescriptionId } = json<{ id: string }>(
    await organization.api('POST', '/prescriptions/ingest', { ...prescription, ...receipt }),
  );
  const keyId = organization.apiKey.id;
  return { orderId, requestId, p1Id, webhookId, deliveryId, prescriptionId, keyId, shopId };
}

function pathOf(op: Operation, orgId: string, ids: Ids): string {
  return op.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = name === 'orgId' ? orgId : ids[name];
    if (id === undefined)
      throw new Error(`${op.name}: no foreign and no unknown id of the kind ${name} here`);
    return id;
  });
}

async function call(op: Operation, ids: Ids, token: string | null, orgId = own.orgId): Promise<HttpAnswer> {
  const body = bodies[op.name];
  if (op.body && !body) throw new Error(`${op.name} takes a body: write down one that it would take`);
  const options: HttpOptions = {
    method: op.method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  };
  if (body) options.body = body(ids);
  const query = queries[op.name]?.(ids) ?? '';
  return http(`${own.urls.baseUrl}${pathOf(op, orgId, ids)}${query}`, options);
}

/** What the caller sees, with the ids that it sent itself taken out. */
function seen(answer: HttpAnswer, ids: Ids): { status: number; body: string } {
  let body = answer.body.toString();
  for (const [name, id] of Object.entries(ids)) body = body.replaceAll(id, `<${name}>`);
  return { status: answer.status, body };
}

function names(ops: readonly Operation[]): [string, Operation][] {
  return ops.map((op) => [`${op.name} (${op.method} ${op.path})`, op]);
}

function namesAThing(op: Operation): boolean {
  const inPath = /\{(?!orgId\})/.test(op.path);
  const inBody = /<(shopId|p1Id)>/.test(
    JSON.stringify(bodies[op.name]?.({ shopId: '<shopId>', p1Id: '<p1Id>' }) ?? null),
  );
  return !ofNobody.has(op.name) && (inPath || inBody || op.name in queries);
}

it('every operation is of exactly one kind: behind a scope, on a shop domain, for anyone, or internal', () => {
  const internal = operations.filter(({ access }) => access === 'internal');
  expect(internal.filter(({ path }) => path !== '')).toEqual([]);
  expect(new Set([...gatewayOperations, ...connectorOperations, ...internal])).toEqual(new Set(operations));
  expect(gatewayOperations.length + connectorOperations.length + internal.length).toBe(operations.length);
  expect(new Set(organizationOperations.map(({ access }) => access)).size).toBeGreaterThan(8);
});

describe("another organization's thing is answered exactly as one that does not exist", () => {
  it.each(names(organizationOperations.filter(namesAThing)))('%s', async (_, op) => {
    const unknown = await call(op, unknownIds, own.token);
    const other = await call(op, foreignIds, own.token);
    expect(seen(other, foreignIds)).toEqual(seen(unknown, unknownIds));
    expect({ status: other.status, error: json<ErrorBody>(other).error }).toEqual({
      status: 404,
      error: 'not_found',
    });
  });

  it('and was not touched', async () => {
    const { orderId, requestId, p1Id, webhookId } = foreignIds;
    const order = json(await foreign.api('GET', `/orders/${orderId ?? ''}`));
    expect(order).toMatchObject({ customer_name: 'Untouched', status: 'pending' });
    expect(json(await foreign.api('GET', `/order-requests/${requestId ?? ''}`))).toMatchObject({
      status: 'pending',
    });
    const product = await foreign.api('GET', `/products/${p1Id ?? ''}?shop_id=${foreign.shops[0].shopId}`);
    expect(json(product)).toMatchObject({ price: 4.5, stock_quantity: 5 });
    expect(json(await foreign.api('GET', `/webhooks/${webhookId ?? ''}`))).toMatchObject({ is_active: true });
    const shop = json(await foreign.api('GET', `/shops/${foreign.shops[0].shopId}`));
    expect(shop).toMatchObject({ domain: foreign.shops[0].domain, is_active: true });
    expect((await foreign.exchange(foreign.apiKey.text)).status).toBe(200);
  });
});

it('a list of one organization shows nothing of the other', async () => {
  const mine = await thingsOf(own);
  const lists = organizationOperations.filter((op) => op.method === 'GET' && !/\{(?!orgId\})/.test(op.path));
  expect(lists.length).toBeGreaterThan(6);
  for (const op of lists.filter(({ path }) => path.includes('{orgId}'))) {
    const text = (await call(op, mine, own.token)).body.toString();
    for (const id of [...Object.values(foreignIds), foreign.orgId]) {
      expect({ op: op.name, leaks: text.includes(id) ? id : null }).toEqual({ op: op.name, leaks: null });
    }
  }
});

it("shop and product of which only one is the own organization's are a 404", async () => {
  const [p1Id = ''] = await platform.catalogProducts(1);
  await own.stock(p1Id, 1);
  const [shop, foreignShop] = [own.shops[0].shopId, foreign.shops[0].shopId];
  for (const [shop_id, p1_id] of [
    [foreignShop, p1Id],
    [shop, foreignIds['p1Id']],
  ]) {
    for (const path of ['attach-product', 'detach-product', 'product-overrides']) {
      const extra = path === 'product-overrides' ? { overrides: {} } : {};
      expect((await own.api('POST', `/shops/${path}`, { shop_id, p1_id, ...extra })).status).toBe(404);
    }
  }
  expect((await own.api('GET', `/products/${p1Id}?shop_id=${foreignShop}`)).status).toBe(404);
});

describe.each(names(organizationOperations))('%s', (_, op) => {
  it('without a token is a 401', async () => {
    const answer = await call(op, unknownIds, null);
    expect({ status: answer.status, error: json<ErrorBody>(answer).error }).toEqual({
      status: 401,
      error: 'unauthorized',
    });
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it('without its scope is a 403 that names the scope', async () => {
    const token = await tokenWith(
      own,
      ALL_SCOPES.filter((scope) => scope !== op.access),
    );
    const answer = await call(op, unknownIds, token);
    expect({ status: answer.status, error: json<ErrorBody>(answer).error }).toEqual({
      status: 403,
      error: 'insufficient_scope',
    });
    expect(json<ErrorBody>(answer).message).toContain(op.access);
  });

  it('needs no other scope', async () => {
    const token = await tokenWith(own, [op.access]);
    expect([401, 403]).not.toContain((await call(op, unknownIds, token)).status);
  });

  it('of another organization is a 403, whether or not there is one', async () => {
    if (!op.path.includes('{orgId}')) return;
    const answers = [
      await call(op, foreignIds, own.token, foreign.orgId),
      await call(op, foreignIds, own.token, uuidv7()),
      await call(op, foreignIds, own.token, 'no-id'),
    ];
    for (const answer of answers) {
      expect({ status: answer.status, error: json<ErrorBody>(answer).error }).toEqual({
        status: 403,
        error: 'forbidden',
      });
    }
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
  });
});
