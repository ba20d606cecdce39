import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { everyItem, Offizin, value } from './client';
import { OffizinError } from './errors';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook';

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

it('exchanges the key by itself and creates and reads an order', async () => {
  const order = value(await offizin.api.POST(ORDERS, { params: { path }, body: orderBody('client-1') }));
  expect(order.total_amount).toBe(13.8);
  const read = await offizin.api.GET(`${ORDERS}/{orderId}`, {
    params: { path: { ...path, orderId: order.id } },
  });
  expect(value(read).external_id).toBe('client-1');
});

it('walks every item of a list page by page', async () => {
  for (const n of [2, 3, 4, 5, 6]) {
    value(await offizin.api.POST(ORDERS, { params: { path }, body: orderBody(`client-${n}`) }));
  }
  const found: string[] = [];
  const pages = everyItem((cursor) =>
    offizin.api.GET(ORDERS, { params: { path, query: { cursor, limit: 2 } } }),
  );
  for await (const order of pages) found.push(order.external_id);
  expect(found.filter((id) => id.startsWith('client-')).length).toBeGreaterThanOrEqual(5);
  expect(new Set(found).size).toBe(found.length);
});

it('turns a refusal into an error with code, details and request id', async () => {
  const body = { ...orderBody('client-bad'), items: [{ name: 'Tee', qty: 0, price: -1 }] };
  const refusal = await offizin.api
    .POST(ORDERS, { params: { path }, body })
    .then(value)
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(OffizinError);
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', requestId: expect.any(String) });
  expect((refusal as OffizinError).details.map(({ field }) => field)).toEqual([
    'items[0].qty',
    'items[0].price',
  ]);
});

it('repeats a request whose answer got lost, with the same idempotency key, and renews a refused token once', async () => {
  const keys: (string | null)[] = [];
  const answers = ['lost', 401, 503, 409];
  const flaky: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).pathname === '/auth/token') return fetch(request);
    keys.push(request.headers.get('idempotency-key'));
    const next = answers.shift();
    if (next === 'lost') throw new TypeError('connection reset');
    if (typeof next === 'number')
      return new Response('{}', { status: next, headers: { 'retry-after': '0' } });
    return fetch(request);
  };
  const { baseUrl } = organization.urls;
  const patient = new Offizin({ baseUrl, apiKey: organization.apiKey.text, fetch: flaky });
  const order = value(await patient.api.POST(ORDERS, { params: { path }, body: orderBody('client-flaky') }));
  expect(order.external_id).toBe('client-flaky');
  expect(keys).toHaveLength(5);
  expect(new Set(keys).size).toBe(1);
});

it('verifies the deliveries of its subscription and refuses altered and old ones', async () => {
  const receiver = await WebhookReceiver.start();
  try {
    const created = json<{ secret: string }>(
      await organization.api('POST', '/webhooks', { url: receiver.url }),
    );
    value(await offizin.api.POST(ORDERS, { params: { path }, body: orderBody('client-hook') }));
    const { body, headers } = await receiver.waitFor((event) => event.event_type === 'order_created');
    expect(verifyWebhook(body, headers, created.secret).event_type).toBe('order_created');
    const altered = Buffer.from(body.toString().replace('order_created', 'order_deleted'));
    expect(() => verifyWebhook(altered, headers, created.secret)).toThrow(WebhookVerificationError);
    const later = Math.floor(Date.now() / 1000) + 3600;
    expect(() => verifyWebhook(body, headers, created.secret, later)).toThrow(WebhookVerificationError);
  } finally {
    await receiver.close();
  }
});
