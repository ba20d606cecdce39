import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import { MAX_LINES_BYTES, type OrderDetail, type OrderListResponse } from '@offizin/contracts/orders/orders';
import type { Prescription, PrescriptionListResponse } from '@offizin/contracts/requests/prescriptions';
import type { EventFeedResponse } from '@offizin/contracts/webhooks/event-feed';
import type { WebhookListResponse } from '@offizin/contracts/webhooks/webhooks';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** Every accepted object can be read: the largest and the strangest legal objects, by detail, list, events and report. */
const platform = usePlatform();
let own: TestOrganization;

beforeAll(async () => {
  own = await platform.organization();
});

/** 255 characters of six bytes of JSON each. */
const CONTROL = '\u0001'.repeat(255);
/** Characters of one to four bytes, and such as JSON and CSV escape. */
const STRANGE = `"\\/\b\f\n\r\t\u0001\u001f\u007f',;=+-@ß€\u2028\ufeff\ufffd\u{10ffff}💊\u200d\ufe0f`.repeat(
  7,
);

const lines = (count: number, fields: object): object[] =>
  Array.from({ length: count }, () => ({ price: 0.1, ...fields }));
const order = (fields: object): object => ({
  shop_id: own.shops[0].shopId,
  external_id: `${uniqueTag()}${CONTROL}`.slice(0, 255),
  order_number: CONTROL,
  customer_name: CONTROL,
  payment_reference: CONTROL,
  address_street: CONTROL,
  address_city: CONTROL,
  address_postal_code: CONTROL,
  address_phone: CONTROL,
  ...fields,
});
const read = async <T>(path: string): Promise<T> => {
  const answer = await own.api('GET', path);
  expect([path, answer.status]).toEqual([path, 200]);
  return json<T>(answer);
};

it('answers the largest order by detail, list, history, event and report', async () => {
  const items = lines(125, { name: CONTROL, p1_id: CONTROL, qty: 1 });
  const answer = await own.api('POST', '/orders', order({ items }));
  expect(answer.status).toBe(201);
  const made = json<OrderDetail>(answer);
  expect(answer.body.length).toBeGreaterThan(MAX_LINES_BYTES * 0.95);
  expect(await read<OrderDetail>(`/orders/${made.id}`)).toEqual(made);
  const patched = await own.api('PUT', `/orders/${made.id}`, {
    items: [...items].reverse(),
    total_amount: 1,
  });
  expect(patched.status).toBe(200);
  const history = await read<{ data: { changes: { field: string; new: string }[] }[] }>(
    `/orders/${made.id}/history`,
  );
  const stored = history.data[0]?.changes.find(({ field }) => field === 'items')?.new ?? '[]';
  expect(JSON.parse(stored)).toEqual(made.items);
  const { data } = await read<OrderListResponse>(`/orders?limit=200`);
  expect(data[0]).toMatchObject({ id: made.id, external_id: made.external_id, customer_name: CONTROL });
  await eventually('the event of the order', async () => {
    const feed = await read<EventFeedResponse>('/events?limit=200');
    return feed.data.some(({ description }) => description.includes(made.external_id));
  });
  const csv = await own.api('GET', '/reports/product-sales', undefined, { accept: 'text/csv' });
  expect([csv.status, csv.body.includes(CONTROL)]).toEqual([200, true]);
});

it('counts a variation selector as a character', async () => {
  const name = 'x\ufe0f'.repeat(200);
  const answer = await own.api('POST', '/orders', { ...order({}), customer_name: name });
  expect([answer.status, json<{ details: { field: string }[] }>(answer).details[0]?.field]).toEqual([
    400,
    'customer_name',
  ]);
});

it('refuses a request that could never become an order, and approves the largest one', async () => {
  const payload = (count: number): object => ({
    payload: {
      customer_name: CONTROL,
      items: lines(count, { name: CONTROL, p1_id: `${uniqueTag()}${CONTROL}`.slice(0, 255), quantity: 1 }),
    },
  });
  const refused = await own.connector({ body: payload(200) });
  expect([refused.status, json<{ error: string }>(refused).error]).toEqual([413, 'payload_too_large']);
  const id = await own.submit(payload(125));
  const corrected = { items: lines(200, { name: CONTROL, p1_id: CONTROL, qty: 1 }) };
  expect((await own.api('POST', `/order-requests/${id}/approve`, corrected)).status).toBe(413);
  const answer = await own.api('POST', `/order-requests/${id}/approve`, {});
  expect(answer.status).toBe(200);
  const { order: approved } = json<{ order: OrderDetail }>(answer);
  expect(await read<OrderDetail>(`/orders/${approved.id}`)).toEqual(approved);
  expect((await read<OrderRequestDetail>(`/order-requests/${id}`)).order_id).toBe(approved.id);
});

it('pages the versions of a request, with payloads of megabytes', async () => {
  const external_reference = uniqueTag();
  const sent = (n: number): object => ({
    external_reference,
    payload: {
      customer_name: `Version ${n}`,
      items: lines(1, { name: 'x', quantity: 1 }),
      more: 'x'.repeat(3e6),
    },
  });
  const id = await own.submit(sent(1));
  for (const n of [2, 3]) {
    expect(
      (await own.api('POST', `/order-requests/${id}/request-clarification`, { question: 'q' })).status,
    ).toBe(200);
    expect(await own.submit(sent(n))).toBe(id);
  }
  const numbers: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `?cursor=${cursor}`;
    const detail: OrderRequestDetail = await read<OrderRequestDetail>(`/order-requests/${id}${query}`);
    expect(detail.versions).toHaveLength(1);
    numbers.push(...detail.versions.map(({ number }) => number));
    cursor = detail.versions_pagination.next_cursor;
  }
  expect(numbers).toEqual([3, 2, 1]);
});

it('answers a prescription of as many unknown values as it may hold, alone and in a page', async () => {
  const answers = Array.from({ length: 48 }, (_, n) => [
    `Answers ${n}`,
    Array(40).fill(STRANGE.slice(0, 20)),
  ]);
  const body = {
    'Customer Email': `${uniqueTag()}@example.org`,
    'Shop Id': own.shops[0].shopId,
    'External Id': CONTROL,
    'Customer First Name': CONTROL,
    'Customer Last Name': CONTROL,
    ...(Object.fromEntries(answers) as object),
  };
  const answer = await own.api('POST', '/prescriptions/ingest', body);
  expect(answer.status).toBe(200);
  const { id } = json<{ id: string }>(answer);
  expect((await read<Prescription>(`/prescriptions/${id}`)).data).toEqual(body);
  const { data } = await read<PrescriptionListResponse>('/prescriptions?limit=200');
  expect(data[0]).toMatchObject({ id, external_id: CONTROL, customer_last_name: CONTROL });
});

it('pages webhooks whose descriptions are longer than a message may be', async () => {
  const description = '\u0001'.repeat(10_000);
  for (let n = 0; n < 20; n++) {
    const url = `https://receiver.example/${n}`;
    expect((await own.api('POST', '/webhooks', { url, description, is_active: false })).status).toBe(201);
  }
  const first = await read<WebhookListResponse>('/webhooks');
  const second = await read<WebhookListResponse>(`/webhooks?cursor=${first.pagination.next_cursor ?? ''}`);
  expect([...first.data, ...second.data].map(({ url }) => url)).toEqual(
    Array.from({ length: 20 }, (_, n) => `https://receiver.example/${n}`),
  );
  expect(second.pagination.next_cursor).toBeNull();
});
