import { verifyCallback } from '../../../clients/typescript/src/verify-webhook';
import type { Callback, CallbackWithSecret } from '@offizin/contracts/requests/callbacks';
import type { OrderRequestProgress } from '@offizin/contracts/requests/order-requests';
import { CallbackReceiver, eventOf, isSignedWith, WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { type ConnectorCall, orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** The events of a partner about its requests: their content, their receivers, and their end. */
let platform: TestPlatform;
let organization: TestOrganization;
const receivers: CallbackReceiver[] = [];

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.close();
  await platform.close();
});

type By = Pick<ConnectorCall, 'shop' | 'key'>;

async function receiving(): Promise<CallbackReceiver> {
  const receiver = await CallbackReceiver.start();
  receivers.push(receiver);
  return receiver;
}

async function putCallback(url: string, by: By = {}, of = organization): Promise<CallbackWithSecret> {
  const answer = await of.callback('PUT', { url }, by);
  expect(answer.status).toBe(200);
  return json(answer);
}

/** A key of the organization that the connector knows. */
async function newKey(shop_id?: string): Promise<{ id: string; text: string }> {
  const key = await platform.apiKey(organization.orgId, {
    kind: 'int',
    ...(shop_id !== undefined && { shop_id }),
  });
  await eventually('the key to be known', async () => {
    return (await organization.callback('GET', undefined, { key: key.text })).status === 404;
  });
  return key;
}

async function submitted(by: By = {}, envelope: object = {}, of = organization): Promise<string> {
  const body = orderRequest({}, { external_reference: uniqueTag(), ...envelope });
  const answer = await of.connector({ ...by, body });
  expect(answer.status).toBe(200);
  return json<{ id: string }>(answer).id;
}

async function decided(
  id: string,
  action: string,
  body: object = {},
  of = organization,
): Promise<HttpAnswer> {
  const answer = await of.api('POST', `/order-requests/${id}/${action}`, body);
  expect(answer.status).toBe(200);
  return answer;
}

async function rejected(id: string, of = organization): Promise<void> {
  await decided(id, 'reject', { reason: 'other' }, of);
}

/** The body is made when it is sent. */
const AS_OF = { as_of: expect.stringMatching(/^20.*Z$/) as string };

async function readBack(id: string, by: By = {}): Promise<OrderRequestProgress> {
  return json(await organization.connector({ ...by, method: 'GET', tail: `/${id}` }));
}

describe('a callback', () => {
  let receiver: CallbackReceiver;
  let secret: string;

  beforeAll(async () => {
    receiver = await receiving();
    ({ secret } = await putCallback(receiver.url));
  });

  it('tells of question, approval and each status of the order: what reading back answers, in order', async () => {
    const reference = uniqueTag();
    const id = await submitted({}, { external_reference: reference });
    await decided(id, 'request-clarification', { question: 'Which size?' });
    const question = await receiver.waitFor('order_request_clarification', id);
    expect(eventOf(question).metadata).toEqual({ ...(await readBack(id)), ...AS_OF, sequence: 2 });
    expect(eventOf(question).metadata.question).toBe('Which size?');

    const answer = orderRequest({ address_city: 'Berlin' }, { external_reference: reference });
    expect((await organization.connector({ body: answer })).status).toBe(200);
    const { order_id } = json<{ order_id: string }>(await decided(id, 'approve'));
    const approval = await receiver.waitFor('order_request_approved', id);
    expect(eventOf(approval).metadata).toEqual({ ...(await readBack(id)), ...AS_OF, sequence: 4 });

    const statuses = ['ready_pickup', 'picked_up', 'completed'];
    for (const status of statuses) await organization.api('PATCH', `/orders/${order_id}/status`, { status });
    const last = await receiver.waitFor('order_status_updated', id, statuses.length);
    const [old_status, new_status] = ['picked_up', 'completed'];
    const values = { changed: ['status'], old: { status: old_status }, new: { status: new_status } };
    const moved = { old_status, new_status, ...values, sequence: 4 };
    expect(eventOf(last).metadata).toEqual({ ...(await readBack(id)), ...moved, ...AS_OF });
    const updates = receiver.eventsOf(id).filter(({ event_type: type }) => type === 'order_status_updated');
    expect(updates.map(({ metadata }) => [metadata.new_status, metadata.sequence])).toEqual(
      statuses.map((status, index) => [status, index + 2]),
    );
    await organization.api('PATCH', `/orders/${order_id}/status`, { payment_status: 'paid' });
    const paid = await receiver.waitFor('order_status_updated', id, statuses.length + 1);
    expect(eventOf(paid).metadata).toMatchObject({
      changed: ['payment_status'],
      new: { payment_status: 'paid' },
    });
  });

  it('tells of an offer, with its lines and its time', async () => {
    const id = await submitted();
    const items = [{ name: 'Salbe', qty: 1, price: 3.5 }];
    await decided(id, 'offer', { version: 1, items, question: 'One instead of two?' });
    const offered = await receiver.waitFor('order_request_clarification', id);
    expect(eventOf(offered).metadata).toEqual({ ...(await readBack(id)), ...AS_OF, sequence: 2 });
    expect(eventOf(offered).metadata).toMatchObject({
      question: 'One instead of two?',
      offer: { state: 'open', items: [{ name: 'Salbe', quantity: 1, price: 3.5 }], total_amount: 3.5 },
    });
  });

  it('reports a corrected approval, and each later change of the order, in order', async () => {
    const id = await submitted();
    const items = [{ name: 'Salbe', qty: 1, price: 3.5 }];
    const correction = { items, customer_name: 'Geheimname' };
    const { order_id } = json<{ order_id: string }>(await decided(id, 'approve', correction));
    const approval = await receiver.waitFor('order_request_approved', id);
    const changes = [
      { kind: 'quantity', line: 1, from: 2, to: 1 },
      { kind: 'customer', line: null, from: null, to: null },
    ];
    expect(eventOf(approval).metadata).toMatchObject({
      message: expect.stringContaining('Line 1: quantity 1 instead of 2.') as string,
      answer: { corrected: true, changes },
      order: {
        external_id: expect.any(String) as string,
        items: [{ quantity: 1 }],
        total_amount: 3.5,
        parcels: [],
      },
    });
    const order = `/orders/${order_id}`;
    await organization.api('PUT', order, { items: [{ name: 'Tee', qty: 3, price: 1 }] });
    await organization.api('PATCH', `${order}/status`, { status: 'ready_pickup' });
    await organization.api('PUT', order, { customer_name: 'Another Geheimname' });
    await organization.api('PUT', order, { payment_status: 'paid' });
    const paid = await receiver.waitFor('order_status_updated', id, 2);
    expect(verifyCallback(paid.body, paid.headers, secret).event_type).toBe('order_status_updated');
    expect(paid.headers['x-service-event']).toBe('order_status_updated');
    const told = receiver.eventsOf(id).slice(1);
    expect(told.map(({ event_type, metadata }) => [event_type, metadata.changed, metadata.sequence])).toEqual(
      [
        ['order_updated', ['items', 'total_amount'], 2],
        ['order_status_updated', ['status'], 3],
        ['order_status_updated', ['payment_status'], 5],
      ],
    );
    const { metadata } = eventOf(paid);
    const change = {
      changed: ['payment_status'],
      old: { payment_status: expect.any(String) },
      new: { payment_status: 'paid' },
    };
    expect(metadata).toEqual({ ...(await readBack(id)), ...AS_OF, ...change, sequence: 5 });
    expect(metadata.order).toMatchObject({ payment_status: 'paid', items: [{ name: 'Tee', quantity: 3 }] });
    // Later changes do not touch the answer.
    expect(metadata.answer).toEqual({ corrected: true, changes });
    expect(JSON.stringify(receiver.eventsOf(id))).not.toMatch(/Geheim|Erika/);
  });

  it('states in a body that is sent late when it was read', async () => {
    const own = await receiving();
    const key = (await newKey()).text;
    await putCallback(own.url, { key });
    own.answerWith(500);
    const id = await submitted({ key });
    const { order_id } = json<{ order_id: string }>(await decided(id, 'approve'));
    const first = eventOf(await own.waitFor('order_request_approved', id));
    expect(first.metadata.order).toMatchObject({ status: 'awaiting_packing' });
    await organization.api('PATCH', `/orders/${order_id}/status`, { status: 'ready_pickup' });
    own.answerWith(200);
    const again = eventOf(await own.waitFor('order_request_approved', id, 2));
    expect([again.id, again.created_at]).toEqual([first.id, first.created_at]);
    expect(again.metadata.order).toMatchObject({ status: 'ready_pickup' });
    expect(Date.parse(again.metadata.as_of)).toBeGreaterThan(Date.parse(first.metadata.as_of));
    expect(again.metadata.as_of >= again.metadata.updated_at).toBe(true);
  });

  it('is signed as webhooks are, and holds nothing of staff', async () => {
    const id = await submitted();
    const note = `for colleagues ${uniqueTag()}`;
    const message = 'Please send the second page.';
    await decided(id, 'reject', { reason: 'prescription_invalid', note, message });
    const delivery = await receiver.waitFor('order_request_rejected', id);
    const { headers, body } = delivery;
    const event = verifyCallback(body, headers, secret);
    expect(event).toEqual({
      id: expect.any(String) as string,
      org_id: organization.orgId,
      event_type: 'order_request_rejected',
      title: 'Order request rejected',
      description: 'An order request was rejected.',
      metadata: { ...(await readBack(id)), ...AS_OF, sequence: 2 },
      created_at: expect.any(String) as string,
    });
    expect(event.metadata).toMatchObject({ message, reason: 'prescription_invalid', status: 'rejected' });
    expect(isSignedWith(secret, delivery)).toBe(true);
    expect(headers).toMatchObject({ 'x-service-event': 'order_request_rejected' });
    expect(headers['x-service-delivery-id']).toBe(headers['webhook-id']);
    expect(body.toString()).not.toMatch(new RegExp(`${note}|Erika|${organization.apiKey.id}`));
  });

  it('is read back without its secret', async () => {
    const shown = await organization.callback('GET');
    expect(json<Callback>(shown)).toMatchObject({
      url: receiver.url,
      is_active: true,
      disabled_reason: null,
    });
    expect(shown.body.toString()).not.toContain('whsec_');
  });

  it("leaves the organization's webhooks as they are", async () => {
    const subscriber = await WebhookReceiver.start();
    const hook = await organization.api('POST', '/webhooks', { url: subscriber.url });
    const id = await submitted();
    const message = `private ${uniqueTag()}`;
    await decided(id, 'reject', { reason: 'other', message });
    const heard = await subscriber.waitFor(({ event_type }) => event_type === 'order_request_rejected');
    expect(heard.body.toString()).not.toMatch(new RegExp(`${message}|integration|question`));
    const feed = await organization.api('GET', '/events?event_type=order_request_rejected');
    expect(feed.body.toString()).not.toMatch(new RegExp(`${message}|integration`));
    await organization.api('DELETE', `/webhooks/${json<{ id: string }>(hook).id}`);
    await subscriber.close();
  });
});

it('a second PUT makes a new secret: the old one also signs for the same URL, and never for another', async () => {
  const key = (await newKey()).text;
  const [first, second] = [await receiving(), await receiving()];
  const { secret } = await putCallback(first.url, { key });
  const again = await putCallback(first.url, { key });
  expect(again.secret).not.toBe(secret);
  expect(Date.parse(again.previous_secret_until ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  const id = await submitted({ key });
  await rejected(id);
  const { body, headers } = await first.waitFor('order_request_rejected', id);
  for (const one of [secret, again.secret]) expect(verifyCallback(body, headers, one).metadata.id).toBe(id);

  const moved = await putCallback(second.url, { key });
  expect(moved.previous_secret_until).toBeNull();
  const next = await submitted({ key });
  await rejected(next);
  const delivery = await second.waitFor('order_request_rejected', next);
  expect(verifyCallback(delivery.body, delivery.headers, moved.secret).metadata.id).toBe(next);
  expect(() => verifyCallback(delivery.body, delivery.headers, again.secret)).toThrow('No signature');
  expect(first.eventsOf(next)).toEqual([]);
});

it('racing PUTs make one callback', async () => {
  const key = (await newKey()).text;
  const receiver = await receiving();
  const urls = [1, 2, 3, 4].map((n) => `${receiver.url}/${n}`);
  const made = await Promise.all(urls.map((url) => putCallback(url, { key })));
  const shown = json<Callback>(await organization.callback('GET', undefined, { key }));
  const last = made.find(({ url }) => url === shown.url);
  const id = await submitted({ key });
  await rejected(id);
  const { body, headers } = await receiver.waitFor('order_request_rejected', id);
  expect(verifyCallback(body, headers, last?.secret ?? '').metadata.id).toBe(id);
  expect(receiver.received).toHaveLength(1);
});

it('an erasure reaches a body that is still to be sent', async () => {
  const key = (await newKey()).text;
  const receiver = await receiving();
  await putCallback(receiver.url, { key });
  const id = await submitted({ key });
  receiver.answerWith(500);
  const message = `Erika has forgotten the signature ${uniqueTag()}`;
  await decided(id, 'reject', { reason: 'other', message });
  const first = await receiver.waitFor('order_request_rejected', id);
  expect(eventOf(first).metadata.message).toBe(message);
  const erased = await organization.api('POST', '/customers/erase', { order_request_id: id });
  expect(erased.status).toBe(200);
  receiver.answerWith(200);
  const second = await receiver.waitFor('order_request_rejected', id, 2);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body.toString()).not.toContain('Erika');
  expect(eventOf(second).metadata).toMatchObject({ id, status: 'rejected', reason: 'other' });
});
