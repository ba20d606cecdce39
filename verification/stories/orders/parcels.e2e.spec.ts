import type { OrderDetail } from '@offizin/contracts/orders/orders';
import type { Parcel } from '@offizin/contracts/orders/parcels';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization, tokenWith } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { race } from '@offizin/testkit/race';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** An ERP adds the parcels of an order, and its subscriber is notified; the variants are in apps/order-core/orders/parcels. */
const platform = usePlatform();
let own: TestOrganization;
let foreign: TestOrganization;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
  receiver = await WebhookReceiver.start();
  await own.api('POST', '/webhooks', { url: receiver.url, event_types: ['order_updated'] });
});
afterAll(() => receiver.close());

const NUMBER = '01505012345678';
const DPD = { carrier: 'dpd', tracking_number: '0150 5012 3456 78' };

async function newOrder(fields: object = {}): Promise<string> {
  return (await own.createOrder(fields)).id;
}

function add(orderId: string, body: object = DPD, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return own.api('POST', `/orders/${orderId}/parcels`, body, headers);
}

async function read(orderId: string): Promise<OrderDetail> {
  return json<OrderDetail>(await own.api('GET', `/orders/${orderId}`));
}

it('a parcel is added, read with its link, announced by ids only, and removed', async () => {
  const id = await newOrder();
  const added = await add(id);
  expect(added.status).toBe(201);
  const parcel = json<Parcel>(added);
  expect(parcel).toMatchObject({
    carrier: 'dpd',
    tracking_number: NUMBER,
    url: `https://tracking.dpd.de/status/de_DE/parcel/${NUMBER}`,
  });
  const { headers } = await own.api('GET', `/orders/${id}`);
  expect(headers['etag']).toBe('"2"');
  const { body } = await receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
  expect(JSON.parse(body.toString())).toMatchObject({
    event_type: 'order_updated',
    metadata: { changed: ['parcels'], status: 'pending', sequence: 2 },
  });
  expect(body.toString()).not.toContain(NUMBER);
  const stale = await own.api('PUT', `/orders/${id}`, { order_number: 'B' }, { 'if-match': '"1"' });
  expect(stale.status).toBe(412);
  expect((await own.api('DELETE', `/orders/${id}/parcels/${parcel.id}`)).status).toBe(204);
  expect((await read(id)).parcels).toEqual([]);
  expect(codeOf(await own.api('DELETE', `/orders/${id}/parcels/${parcel.id}`))).toBe('404 not_found');
});

it('20 equal posts at the same time add one, and a repeat under a key gets the first answer', async () => {
  const id = await newOrder();
  const answers = await race(20, () => add(id));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
  expect(new Set(answers.map((answer) => json<Parcel>(answer).id)).size).toBe(1);
  const key = { 'idempotency-key': uniqueTag() };
  const other = { carrier: 'gls', tracking_number: '50346007538' };
  const [first, again] = [await add(id, other, key), await add(id, other, key)];
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
  expect(json(again)).toEqual(json(first));
  expect((await read(id)).parcels).toHaveLength(2);
});

it('of 30 posts at the same time 20 are added', async () => {
  const id = await newOrder();
  const answers = await race(30, (n) =>
    add(id, { carrier: 'ups', tracking_number: `1Z999AA101234567${n + 10}` }),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  expect((await read(id)).parcels).toHaveLength(20);
});

const WRONG: [what: string, body: object, field: string][] = [
  ['a number of 300 characters', { ...DPD, tracking_number: '7'.repeat(300) }, 'tracking_number'],
  ['a number of blanks', { ...DPD, tracking_number: '    ' }, 'tracking_number'],
  ['no number', { carrier: 'dpd' }, 'tracking_number'],
  ['an unknown carrier', { ...DPD, carrier: 'DPD' }, 'carrier'],
  ['a script as URL', { ...DPD, url: 'javascript:alert(1)' }, 'url'],
  ['an address of this machine', { ...DPD, url: 'https://127.0.0.1/' }, 'url'],
  ['localhost', { ...DPD, url: 'https://localhost/' }, 'url'],
  ['an internal name', { ...DPD, url: 'https://erp.internal/' }, 'url'],
  ['a URL of 5,000 characters', { ...DPD, url: `https://track.example.com/${'x'.repeat(5_000)}` }, 'url'],
  ['a URL without TLS', { ...DPD, url: 'http://track.example.com/' }, 'url'],
  ['a link in a field of its own', { ...DPD, link: 'https://track.example.com/' }, 'link'],
];
it.each(WRONG)('%s is a 400 that names the field and repeats nothing', async (_, body, field) => {
  const id = await newOrder();
  const answer = await add(id, body);
  expect([codeOf(answer), json<{ details: { field: string }[] }>(answer).details]).toEqual([
    '400 invalid_request',
    [expect.objectContaining({ field })],
  ]);
  expect(answer.body.toString()).not.toMatch(/7{9}|alert|x{9}/);
  expect((await read(id)).parcels).toEqual([]);
});

it("another tenant's order, another order's parcel and a token that only reads are refused", async () => {
  const [id, second] = [await newOrder(), await newOrder()];
  const { id: parcelId } = json<Parcel>(await add(id));
  const path = `/orders/${id}/parcels`;
  expect(codeOf(await foreign.api('POST', path, DPD))).toBe('404 not_found');
  expect(codeOf(await foreign.api('DELETE', `${path}/${parcelId}`))).toBe('404 not_found');
  expect(codeOf(await own.api('DELETE', `/orders/${second}/parcels/${parcelId}`))).toBe('404 not_found');
  const authorization = `Bearer ${await tokenWith(own, ['orders.read', 'settings.write'])}`;
  expect(codeOf(await add(second, DPD, { authorization }))).toBe('403 insufficient_scope');
  expect((await read(id)).parcels).toHaveLength(1);
  expect((await read(second)).parcels).toEqual([]);
});

it('an approved order takes parcels, and an erasure of its customer empties them and the stored answers', async () => {
  const customer_email = `${uniqueTag()}@example.org`;
  const requestId = await own.submit(orderRequest({ customer_email }));
  const approved = await own.api('POST', `/order-requests/${requestId}/approve`, {});
  const { order_id: id } = json<{ order_id: string }>(approved);
  const number = `CANARY${Date.now()}`;
  const key = { 'idempotency-key': uniqueTag() };
  const body = { carrier: 'courier', tracking_number: number, url: `https://track.example.com/${number}` };
  expect((await add(id, body, key)).status).toBe(201);
  expect((await own.api('POST', '/customers/erase', { email: customer_email })).status).toBeLessThan(300);
  expect((await read(id)).parcels).toMatchObject([{ carrier: 'courier', tracking_number: null, url: null }]);
  const history = await own.api('GET', `/orders/${id}/history`);
  expect([history.status, history.body.toString().includes(number)]).toEqual([200, false]);
  const replayed = await add(id, body, key);
  expect([codeOf(replayed), replayed.body.toString().includes(number)]).toEqual(['409 conflict', false]);
});
