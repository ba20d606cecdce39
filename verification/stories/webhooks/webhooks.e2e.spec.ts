import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { type ReceivedWebhook, type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** A subscriber gets each event, signed, in order, and again when it failed. */
let platform: TestPlatform;
let organization: TestOrganization;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.close();
  await platform.close();
});

interface Subscription {
  id: string;
  secret: string;
  receiver: WebhookReceiver;
}

async function subscribe(settings: object = {}): Promise<Subscription> {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  const answer = await organization.api('POST', '/webhooks', { url: receiver.url, ...settings });
  expect(answer.status).toBe(201);
  return { ...json<{ id: string; secret: string }>(answer), receiver };
}

function bodyOf({ body }: ReceivedWebhook): WebhookBody {
  return JSON.parse(body.toString()) as WebhookBody;
}

/** What a receiver does with the documented headers; throws when they do not fit. */
function verify({ headers, body }: ReceivedWebhook, secret: string): void {
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  expect(headers['x-service-signature']).toBe(`sha256=${mac}`);
  new Webhook(secret).verify(body, headers as Record<string, string>);
}

it("gets what happens to an order request and its order, in the contract's shape", async () => {
  const { secret, receiver } = await subscribe();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const customer_name = `Geheim ${uniqueTag()}`;
  const id = await organization.submit(orderRequest({ customer_name }));
  const { order_id } = json<{ order_id: string }>(
    await organization.api('POST', `/order-requests/${id}/approve`, {}),
  );
  await organization.api('PATCH', `/orders/${order_id}/status`, { status: 'shipped' });
  const rejected = await organization.submit(orderRequest({ customer_name }));
  await organization.api('POST', `/order-requests/${rejected}/reject`, {
    reason: 'other',
    note: customer_name,
  });
  const wanted: [string, object][] = [
    ['order_request_submitted', { order_request_id: id }],
    ['order_request_approved', { order_request_id: id, order_id }],
    ['order_created', { order_id }],
    ['order_status_updated', { order_id, old_status: 'awaiting_packing', new_status: 'shipped' }],
    ['order_request_rejected', { order_request_id: rejected }],
  ];
  for (const [event_type, metadata] of wanted) {
    const [key = '', value] = Object.entries(metadata)[0] ?? [];
    const delivery = await receiver.waitFor(
      (event) => event.event_type === event_type && event.metadata[key] === value,
    );
    expect(bodyOf(delivery)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      org_id: organization.orgId,
      event_type,
      title: expect.stringMatching(/\w/),
      description: expect.stringMatching(/\w/),
      metadata: expect.objectContaining({ ...metadata, sequence: expect.any(Number) }),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(delivery.headers['content-type']).toMatch(/^application\/json/);
    expect(delivery.headers['x-service-event']).toBe(event_type);
    expect(delivery.headers['x-service-delivery-id']).toBe(delivery.headers['webhook-id']);
    verify(delivery, secret);
    expect(delivery.body.toString()).not.toContain(customer_name);
  }
  const ids = receiver.received.map((delivery) => bodyOf(delivery).id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('is signed so that another secret, another body and another time do not verify', async () => {
  const { secret, receiver } = await subscribe({ event_types: ['order_created'] });
  const { secret: otherSecret } = await subscribe({ event_types: ['webhook_test'] });
  await organization.createOrder();
  const delivery = await receiver.waitFor(({ event_type }) => event_type === 'order_created');
  verify(delivery, secret);
  const tampered = Buffer.from(delivery.body.toString().replace('order_created', 'order_updated'));
  const earlier: Record<string, unknown> = { ...delivery.headers, 'webhook-timestamp': '1000000000' };
  expect(() =>
    new Webhook(otherSecret).verify(delivery.body, delivery.headers as Record<string, string>),
  ).toThrow();
  expect(() => new Webhook(secret).verify(tampered, delivery.headers as Record<string, string>)).toThrow();
  expect(() => new Webhook(secret).verify(delivery.body, earlier as Record<string, string>)).toThrow();
});

it("gets only the kinds of events that it asked for, and only its organization's", async () => {
  const { receiver } = await subscribe({ event_types: ['order_status_updated'] });
  const foreign = await platform.organization();
  const { id: foreignId } = await foreign.createOrder();
  await foreign.api('PATCH', `/orders/${foreignId}/status`, { status: 'shipped' });
  const { id } = await organization.createOrder();
  await organization.api('PUT', `/orders/${id}`, { customer_name: 'Neu' });
  await organization.api('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  await receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
  expect(receiver.received.map((delivery) => bodyOf(delivery).event_type)).toEqual(['order_status_updated']);
});

it('gets the events of one order in the order of their commits', async () => {
  const { receiver } = await subscribe({
    event_types: ['order_created', 'order_updated', 'order_status_updated'],
  });
  const orders = await Promise.all(Array.from({ length: 5 }, () => organization.createOrder()));
  await Promise.all(
    orders.map(async ({ id }) => {
      for (let n = 0; n < 15; n++) {
        if (n % 3)
          await organization.api('PATCH', `/orders/${id}/status`, {
            shipped: n % 2 === 0,
            picked_up: n % 3 === 1,
          });
        else await organization.api('PUT', `/orders/${id}`, { customer_name: `Kunde ${n}` });
      }
    }),
  );
  for (const { id } of orders) {
    const history = json<{ data: { sequence: number }[] }>(
      await organization.api('GET', `/orders/${id}/history`),
    );
    const sequences = (): unknown[] =>
      receiver.received
        .map((delivery) => bodyOf(delivery).metadata)
        .filter((metadata) => metadata['order_id'] === id)
        .map((metadata) => metadata['sequence']);
    await eventually('all events of the order', () => sequences().length >= history.data.length);
    expect(sequences()).toEqual(history.data.map(({ sequence }) => sequence));
    expect(history.data.length).toBeGreaterThan(10);
  }
});

it('is tried again after a failure, with the same delivery id and bytes, and every attempt is shown', async () => {
  const { id, secret, receiver } = await subscribe({ event_types: ['order_created'] });
  receiver.status = 500;
  const { id: orderId } = await organization.createOrder();
  const first = await receiver.waitFor(({ metadata }) => metadata['order_id'] === orderId);
  receiver.status = 200;
  await eventually('the second attempt', () => receiver.received.length === 2, 12_000);
  const [, second] = receiver.received;
  if (!second) throw new Error('there is no second attempt');
  expect(second.atMs - first.atMs).toBeGreaterThan(4_000);
  expect(second.headers['x-service-delivery-id']).toBe(first.headers['x-service-delivery-id']);
  expect(second.body.equals(first.body)).toBe(true);
  verify(second, secret);
  const deliveryId = String(first.headers['x-service-delivery-id']);
  const detail = await eventually('the delivery to be done', async () => {
    const delivery = json<{ status: string; attempts: { number: number; status_code: number }[] }>(
      await organization.api('GET', `/webhook-deliveries/${deliveryId}`),
    );
    return delivery.status === 'succeeded' && delivery;
  });
  expect(detail.attempts.map(({ number, status_code }) => [number, status_code])).toEqual([
    [1, 500],
    [2, 200],
  ]);
  const list = await organization.api('GET', `/webhooks/${id}/deliveries?status=succeeded`);
  expect(json<{ data: { id: string }[] }>(list).data.map((delivery) => delivery.id)).toEqual([deliveryId]);
});

it('goes on getting events while another subscriber fails', async () => {
  const [failing, healthy] = [await subscribe(), await subscribe()];
  failing.receiver.status = 503;
  for (let n = 0; n < 5; n++) {
    const { id } = await organization.createOrder();
    await healthy.receiver.waitFor(({ metadata }) => metadata['order_id'] === id, 3_000);
  }
});

it('gets nothing any more once it is deleted or switched off', async () => {
  const [deleted, off, control] = [await subscribe(), await subscribe(), await subscribe()];
  expect((await organization.api('DELETE', `/webhooks/${deleted.id}`)).status).toBe(204);
  expect((await organization.api('PUT', `/webhooks/${off.id}`, { is_active: false })).status).toBe(200);
  const { id } = await organization.createOrder();
  await control.receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
  expect([deleted.receiver.received.length, off.receiver.received.length]).toEqual([0, 0]);
});

it('shows its secret once only', async () => {
  const { id, secret } = await subscribe();
  for (const path of ['/webhooks', `/webhooks/${id}`]) {
    const answer = await organization.api('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).not.toContain(secret);
    expect(answer.body.toString()).not.toContain('whsec_');
  }
});

it.each([
  ['ftp://127.0.0.1/x'],
  ['http://me:secret@127.0.0.1/x'],
  ['no url'],
  [''],
  ['http://10.0.0.1/x'],
  ['http://169.254.169.254/latest/meta-data'],
  ['http://[::ffff:10.0.0.1]/x'],
  ['http://0x0a000001/x'],
])('cannot be subscribed with the URL %s', async (url) => {
  const answer = await organization.api('POST', '/webhooks', { url });
  expect({ status: answer.status, error: json(answer)['error'] }).toEqual({
    status: 400,
    error: 'invalid_request',
  });
});
