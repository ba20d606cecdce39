import { verifyCallback } from '../../../clients/typescript/src/verify-webhook';
import type { AuditLogResponse } from '@offizin/contracts/reports/audit';
import type { Callback, CallbackWithSecret } from '@offizin/contracts/requests/callbacks';
import type { OrderRequestProgress } from '@offizin/contracts/requests/order-requests';
import { CallbackReceiver, eventOf, isSignedWith, WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
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
    expect(eventOf(question).metadata).toEqual({ ...(await readBack(id)), sequence: 2 });
    expect(eventOf(question).metadata.question).toBe('Which size?');

    const answer = orderRequest({ address_city: 'Berlin' }, { external_reference: reference });
    expect((await organization.connector({ body: answer })).status).toBe(200);
    const { order_id } = json<{ order_id: string }>(await decided(id, 'approve'));
    const approval = await receiver.waitFor('order_request_approved', id);
    expect(eventOf(approval).metadata).toEqual({ ...(await readBack(id)), sequence: 4 });

    const statuses = ['ready_pickup', 'picked_up', 'completed'];
    for (const status of statuses) await organization.api('PATCH', `/orders/${order_id}/status`, { status });
    const last = await receiver.waitFor('order_status_updated', id, statuses.length);
    const moved = { old_status: 'picked_up', new_status: 'completed', sequence: 4 };
    expect(eventOf(last).metadata).toEqual({ ...(await readBack(id)), ...moved });
    const updates = receiver.eventsOf(id).filter(({ event_type: type }) => type === 'order_status_updated');
    expect(updates.map(({ metadata }) => [metadata.new_status, metadata.sequence])).toEqual(
      statuses.map((status, index) => [status, index + 2]),
    );
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
      metadata: { ...(await readBack(id)), sequence: 2 },
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

describe('others', () => {
  it('hear nothing: another key, the other shop of this key, another organization, and requests of no key', async () => {
    const [shop, otherShop] = organization.shops;
    const key = (await newKey()).text;
    const otherKey = (await newKey()).text;
    const foreign = await platform.organization();
    const [own, elsewhere, other, stranger] = await Promise.all([1, 2, 3, 4].map(receiving));
    if (!own || !elsewhere || !other || !stranger) throw new Error('four receivers');
    await putCallback(own.url, { key });
    await putCallback(elsewhere.url, { key, shop: otherShop });
    await putCallback(other.url, { key: otherKey });
    await putCallback(stranger.url, {}, foreign);

    const direct = await organization.api('POST', '/order-requests', orderRequest({ shop_id: shop.shopId }));
    await rejected(json<{ id: string }>(direct).id);
    const ids = {
      own: await submitted({ key }),
      elsewhere: await submitted({ key, shop: otherShop }),
      other: await submitted({ key: otherKey }),
      stranger: await submitted({}, {}, foreign),
    };
    for (const id of [ids.own, ids.elsewhere, ids.other]) await rejected(id);
    await rejected(ids.stranger, foreign);
    const by = { own, elsewhere, other, stranger };
    for (const name of ['own', 'elsewhere', 'other', 'stranger'] as const) {
      await by[name].waitFor('order_request_rejected', ids[name]);
      const heard = by[name].received.map((delivery) => eventOf(delivery).metadata.id);
      expect({ name, heard }).toEqual({ name, heard: [ids[name]] });
    }
  });

  it('may not set it: wrong key, key of another shop, unknown shop', async () => {
    const [shop, otherShop] = organization.shops;
    const bound = (await newKey(shop.shopId)).text;
    const url = 'http://127.0.0.1:9/callback';
    for (const by of [{ key: null }, { key: 'wrong' }, { key: bound, shop: otherShop }])
      expect(codeOf(await organization.callback('PUT', { url }, by))).toBe('401 unauthorized');
    const nowhere = { headers: { host: 'nobody.localhost' } };
    expect(codeOf(await organization.callback('PUT', { url }, nowhere))).toBe('404 not_found');
  });
});

it.each<[string, object, string]>([
  ['a private address', { url: 'https://10.0.0.1/callback' }, 'url'],
  ['a link-local address', { url: 'https://169.254.169.254/latest' }, 'url'],
  ['another scheme', { url: 'ftp://partner.example.org/' }, 'url'],
  ['credentials', { url: 'https://me:secret@partner.example.org/' }, 'url'],
  ['too many characters', { url: `https://partner.example.org/${'x'.repeat(2048)}` }, 'url'],
  ['nothing', {}, 'url'],
  ['a number', { url: 7 }, 'url'],
  ['an unknown field', { url: 'https://partner.example.org/', event_types: [] }, 'event_types'],
])('a URL with %s is a 400 that names the field, and changes nothing', async (_, body, field) => {
  const key = (await newKey()).text;
  const answer = await organization.callback('PUT', body, { key });
  expect(codeOf(answer)).toBe('400 invalid_request');
  expect(json<{ details: { field: string }[] }>(answer).details.map((one) => one.field)).toContain(field);
  expect(codeOf(await organization.callback('GET', undefined, { key }))).toBe('404 not_found');
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

describe('the end', () => {
  it('is DELETE: nothing is there any more, and a new callback begins with new events', async () => {
    const key = (await newKey()).text;
    const receiver = await receiving();
    await putCallback(receiver.url, { key });
    expect((await organization.callback('DELETE', undefined, { key })).status).toBe(204);
    for (const method of ['GET', 'DELETE'] as const)
      expect(codeOf(await organization.callback(method, undefined, { key }))).toBe('404 not_found');
    const missed = await submitted({ key });
    await rejected(missed);
    // Callbacks of an event are those that there are when it arrives.
    await eventually('the missed event to have arrived', async () => {
      const feed = await organization.api('GET', '/events?event_type=order_request_rejected&limit=200');
      return feed.body.toString().includes(missed);
    });
    await putCallback(receiver.url, { key });
    const id = await submitted({ key });
    await rejected(id);
    await receiver.waitFor('order_request_rejected', id);
    expect(receiver.eventsOf(missed)).toEqual([]);
  });

  it('comes with the key: a revoked one hears nothing more', async () => {
    const [revoked, live] = [await newKey(), await newKey()];
    const [receiver, other] = [await receiving(), await receiving()];
    await putCallback(receiver.url, { key: revoked.text });
    await putCallback(other.url, { key: live.text });
    const id = await submitted({ key: revoked.text });
    expect((await organization.api('DELETE', `/api-keys/${revoked.id}`)).status).toBe(204);
    await rejected(id);
    const object = `callback:${revoked.id}:${organization.shops[0].shopId}`;
    await eventually('the end to be in the audit log', async () => {
      const log = json<AuditLogResponse>(await organization.api('GET', '/audit-log?limit=50'));
      return log.data.some((entry) => entry.action === 'callback.end' && entry.object === object);
    });
    expect(receiver.received).toEqual([]);
    const next = await submitted({ key: live.text });
    await rejected(next);
    await other.waitFor('order_request_rejected', next);
  });

  it('does not come with a rotation: the new key has the callback of the old one', async () => {
    const old = await newKey();
    const receiver = await receiving();
    await putCallback(receiver.url, { key: old.text });
    const id = await submitted({ key: old.text });
    const rotated = await organization.api('POST', `/api-keys/${old.id}/rotate`, { overlap_seconds: 0 });
    const { api_key: key } = json<{ api_key: string }>(rotated);
    await eventually('the new key to be known', async () => {
      const shown = await organization.callback('GET', undefined, { key });
      return shown.status === 200 && json<Callback>(shown).url === receiver.url;
    });
    await rejected(id);
    await receiver.waitFor('order_request_rejected', id);
    const next = await submitted({ key });
    await rejected(next);
    await receiver.waitFor('order_request_rejected', next);
  });
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
