import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { type ReceivedWebhook, type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** A subscriber gets each event, signed, in order, and again when it failed. */
const platform = usePlatform();
let organization: TestOrganization;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  organization = await platform.organization();
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.close();
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
