import type { TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { everyItem, type Offizin, value } from '../../../clients/typescript/src/client';
import { verifyWebhook } from '../../../clients/typescript/src/verify-webhook';
import { typedClient } from './typed-client';

/** An integrator's work from the catalog to the report, with the typed client and nothing else: one story per noun. */
const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
let platform: TestPlatform;
let organization: TestOrganization;
let receiver: WebhookReceiver;
let api: Offizin['api'];
let path: { orgId: string };
let shop_id: string;
let p1_id: string;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  receiver = await WebhookReceiver.start();
  ({ api } = typedClient(organization));
  path = { orgId: organization.orgId };
  shop_id = organization.shops[0].shopId;
  [p1_id = ''] = await platform.catalogProducts(1);
});
afterAll(async () => {
  await receiver.close();
  await platform.close();
});

it('catalog: finds a product, takes it into the inventory, and shows it in a shop at its own price', async () => {
  const params = { path };
  const found = value(await api.GET('/api/v2/public/catalog/products', { params: { query: { q: p1_id } } }));
  expect(found.data.map((product) => product.p1_id)).toEqual([p1_id]);
  const row = value(
    await api.POST(`${ORGANIZATION}/products/add-to-inventory`, {
      params,
      body: { p1_id, initial_stock: 9 },
    }),
  );
  expect(row).toMatchObject({ p1_id, stock_quantity: 9, reserved_quantity: 0 });
  const overrides = { price: 3.5 };
  value(
    await api.POST(`${ORGANIZATION}/shops/attach-product`, { params, body: { shop_id, p1_id, overrides } }),
  );
  const shown = await api.GET(`${ORGANIZATION}/products/{p1Id}`, {
    params: { path: { ...path, p1Id: p1_id }, query: { shop_id } },
  });
  expect(value(shown)).toMatchObject({ p1_id, shop_id, price: 3.5, stock_quantity: 9 });
});

it('inventory: receives pieces once, however often the reference is sent', async () => {
  const body = { p1_id, delta: 3, reason: 'received' as const, reference: uniqueTag() };
  for (let time = 0; time < 2; time++) {
    const answer = await api.POST(`${ORGANIZATION}/inventory/adjust`, { params: { path }, body });
    expect(value(answer)).toMatchObject({ status: 'ok', stock_quantity: 12 });
  }
  const log = await api.GET(`${ORGANIZATION}/inventory/{p1Id}/log`, {
    params: { path: { ...path, p1Id: p1_id } },
  });
  expect(value(log).data.map(({ delta }) => delta)).toEqual([3, 9]);
});

it('orders: upserts, moves on, and hears of it by a webhook that it can verify', async () => {
  const hook = value(
    await api.POST(`${ORGANIZATION}/webhooks`, {
      params: { path },
      body: { url: receiver.url, event_types: ['order_status_updated'] },
    }),
  );
  const body = { shop_id, external_id: uniqueTag(), items: [{ name: 'Tee', qty: 2, price: 6.9 }] };
  const order = value(await api.POST(`${ORGANIZATION}/orders`, { params: { path }, body }));
  expect(order.items).toMatchObject([{ quantity: 2, price: 6.9 }]);
  const moved = await api.PATCH(`${ORGANIZATION}/orders/{orderId}/status`, {
    params: { path: { ...path, orderId: order.id } },
    body: { status: 'awaiting_packing', payment_status: 'paid' },
  });
  expect(value(moved)).toMatchObject({ order_id: order.id, status: 'awaiting_packing' });
  const delivery = await receiver.waitFor(({ metadata }) => metadata['order_id'] === order.id);
  const event = verifyWebhook(delivery.body, delivery.headers, hook.secret ?? '');
  expect(event.metadata).toMatchObject({ old_status: 'pending', new_status: 'awaiting_packing' });
  const ids: string[] = [];
  const pages = everyItem((cursor) =>
    api.GET(`${ORGANIZATION}/orders`, { params: { path, query: { cursor, limit: 1 } } }),
  );
  for await (const { id } of pages) ids.push(id);
  expect(ids).toContain(order.id);
});

it('order requests: hands one in, approves it, and has the order with its stock reserved', async () => {
  const external_reference = uniqueTag();
  const payload = { shop_id, customer_name: 'Erika Mustermann', items: [{ p1_id, quantity: 2, price: 3.5 }] };
  const receipt = value(
    await api.POST(`${ORGANIZATION}/order-requests`, {
      params: { path },
      body: { external_reference, payload },
    }),
  );
  expect(receipt).toMatchObject({ status: 'pending', external_reference });
  const decided = await api.POST(`${ORGANIZATION}/order-requests/{requestId}/approve`, {
    params: { path: { ...path, requestId: receipt.id } },
    body: {},
  });
  const { order_id } = value(decided);
  const order = await api.GET(`${ORGANIZATION}/orders/{orderId}`, {
    params: { path: { ...path, orderId: order_id } },
  });
  expect(value(order)).toMatchObject({ external_id: external_reference, order_request_id: receipt.id });
  const stock = await api.GET(`${ORGANIZATION}/inventory`, { params: { path, query: { q: p1_id } } });
  expect(value(stock).data).toMatchObject([{ stock_quantity: 12, reserved_quantity: 2 }]);
});

it('prescriptions: ingests one twice into the same, and lists it', async () => {
  const body = {
    'Customer Email': `${uniqueTag()}@example.org`,
    'Shop Id': shop_id,
    'External Id': uniqueTag(),
    'Receipt Pdf Base64': makePdf().toString('base64'),
  };
  const ids = [];
  for (let time = 0; time < 2; time++)
    ids.push(value(await api.POST(`${ORGANIZATION}/prescriptions/ingest`, { params: { path }, body })).id);
  expect(new Set(ids).size).toBe(1);
  const query = { customer_email: body['Customer Email'] };
  const list = await api.GET(`${ORGANIZATION}/prescriptions`, { params: { path, query } });
  expect(value(list).data.map(({ id }) => id)).toEqual([ids[0]]);
});

it('settings and reports: chooses the open workflow, makes a key, and sees the orders of today', async () => {
  const params = { path };
  const workflow = await api.PUT(`${ORGANIZATION}/settings/workflow`, { params, body: { mode: 'open' } });
  expect(value(workflow).mode).toBe('open');
  const body = { name: 'ERP', kind: 'org' as const, scopes: ['orders.read' as const] };
  const key = value(await api.POST(`${ORGANIZATION}/api-keys`, { params, body }));
  const keys = value(await api.GET(`${ORGANIZATION}/api-keys`, { params }));
  expect(keys.data.map(({ id }) => id)).toContain(key.id);
  const stats = value(
    await api.GET(`${ORGANIZATION}/reports/stats`, { params: { path, query: { shop_id } } }),
  );
  expect(stats.data.orders.total).toBe(2);
});
