import type { ErrorBody } from '@offizin/contracts/errors';
import { organizationOperations } from '@offizin/contracts/operations';
import { fieldsOf } from '@offizin/contracts/schema';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { callOperation } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/operation-rows';
import type { TestOrganization } from '@offizin/testkit/organization';
import { thingsOf } from '@offizin/testkit/organization-things';
import { orderRequest } from '@offizin/testkit/order-request';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** Small rules of the contract, each as a caller meets it. */
let platform: TestPlatform;
let organization: TestOrganization;
let receiver: WebhookReceiver;
let ids: Ids;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  receiver = await WebhookReceiver.start();
  organization = await platform.organization();
  ids = await thingsOf({ platform, organization, receiverUrl: receiver.url });
}, 30_000);
afterAll(async () => {
  await receiver.close();
  await platform.close();
});

function fieldsRefused(answer: HttpAnswer): [number, string[]] {
  return [answer.status, (json<ErrorBody>(answer).details ?? []).map(({ field }) => field)];
}

describe('an empty text is no prescription and no "none"', () => {
  it.each(['prescription_pdf_base64', 'prescription_pdf_url'])('%s', async (field) => {
    const shop_id = organization.shops[0].shopId;
    const refused = [400, [`payload.${field}`]];
    const empty = orderRequest({ [field]: '' });
    expect(fieldsRefused(await organization.connector({ body: empty }))).toEqual(refused);
    const direct = orderRequest({ shop_id, [field]: '' });
    expect(fieldsRefused(await organization.api('POST', '/order-requests', direct))).toEqual(refused);
    await organization.submit(orderRequest({ [field]: null }));
  });

  it('also in the answer to a question', async () => {
    const external_reference = uniqueTag();
    const id = await organization.submit(orderRequest({}, { external_reference }));
    const path = `/order-requests/${id}/request-clarification`;
    expect((await organization.api('POST', path, { question: 'Rezept?' })).status).toBe(200);
    const body = orderRequest({ prescription_pdf_url: '' }, { external_reference });
    expect(fieldsRefused(await organization.connector({ body }))).toEqual([
      400,
      ['payload.prescription_pdf_url'],
    ]);
    expect(json(await organization.api('GET', `/order-requests/${id}`))).toMatchObject({
      status: 'needs_clarification',
    });
  });

  it('Receipt Pdf Base64', async () => {
    const path = `/prescriptions/ingest?shop_id=${organization.shops[0].shopId}`;
    const body = { 'Customer Email': 'erika@example.org', 'Receipt Pdf Base64': '' };
    expect(fieldsRefused(await organization.api('POST', path, body))).toEqual([400, ['Receipt Pdf Base64']]);
    const none = { ...body, 'Receipt Pdf Base64': null };
    expect((await organization.api('POST', path, none)).status).toBe(200);
  });
});

const paged = organizationOperations.filter(({ query }) => query && fieldsOf(query).has('offset'));

it.each(paged.map((op) => [op.name, op] as const))('%s takes any offset', async (_, op) => {
  const far = [
    '2000000001',
    '2147483648',
    '4294967296',
    '9007199254740993',
    '9223372036854775808',
    `1${'0'.repeat(30)}`,
  ];
  for (const offset of far) {
    const answer = await callOperation(op, organization, { ids, query: { offset } });
    expect([offset, answer.status]).toEqual([offset, 200]);
    expect(json(answer)).toMatchObject({ data: [], pagination: { offset: Number(offset) } });
  }
});

it('approval corrects every customer and delivery field, and both versions are kept', async () => {
  const sent = {
    customer_name: 'Erika',
    customer_email: 'erika@example.org',
    customer_id: 'c-1',
    address_street: 'Alte Str. 1',
    address_city: 'Bonn',
    address_postal_code: '53111',
    address_phone: '0228 1',
    shipping_option: 'Versand',
  };
  const id = await organization.submit(orderRequest(sent));
  const approved = {
    customer_name: 'Erika M.',
    customer_email: 'em@example.org',
    customer_id: 'c-2',
    address_street: 'Neue Str. 2',
    address_city: 'Köln',
    address_postal_code: '50667',
    address_phone: null,
    shipping_option: null,
  };
  const answer = await organization.api('POST', `/order-requests/${id}/approve`, approved);
  expect(json(answer)).toMatchObject({
    order: {
      customer_name: 'Erika M.',
      customer_email: 'em@example.org',
      shipping_option: null,
      shipping_address: { street: 'Neue Str. 2', city: 'Köln', postal_code: '50667', phone: null },
    },
  });
  const { corrections } = json(await organization.api('GET', `/order-requests/${id}`));
  expect(corrections).toEqual({ sent, approved });
});

describe('the test of a webhook', () => {
  it('sends the example of the kind that is asked for, to this subscription only', async () => {
    const [first, second] = [await subscribe(), await subscribe()];
    const body = { event_type: 'order_created' };
    const answer = await organization.api('POST', `/webhooks/${first}/test`, body);
    expect(json(answer)).toMatchObject({ webhook_id: first, event_type: 'order_created' });
    const example = (event: { event_type: string; title: string }): boolean =>
      event.event_type === 'order_created' && event.title === 'Order created';
    const { headers } = await receiver.waitFor(example);
    expect(headers['x-service-event']).toBe('order_created');
    // Behind the example, so that a second delivery of that would have been made before.
    await organization.api('POST', `/webhooks/${second}/test`);
    await receiver.waitFor((event) => event.metadata['webhook_id'] === second);
    const { data } = json<{ data: unknown[] }>(
      await organization.api('GET', `/webhooks/${second}/deliveries`),
    );
    expect(data).toHaveLength(1);
    const feed = json<{ data: { event_type: string; metadata: object }[] }>(
      await organization.api('GET', '/events?limit=200&event_type=webhook_test'),
    );
    expect(feed.data.map(({ event_type }) => event_type)).toEqual(['webhook_test']);
  });

  it('of an unknown kind is a 400', async () => {
    const path = `/webhooks/${await subscribe()}/test`;
    expect(fieldsRefused(await organization.api('POST', path, { event_type: 'order_lost' }))).toEqual([
      400,
      ['event_type'],
    ]);
  });

  async function subscribe(): Promise<string> {
    const body = { url: receiver.url, event_types: ['webhook_test'] };
    return json<{ id: string }>(await organization.api('POST', '/webhooks', body)).id;
  }
});
