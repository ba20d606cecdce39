import { orderHistory, type OrderHistoryEntry } from '@offizin/contracts/orders/order-history';
import * as api from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { walkPages } from '@offizin/testkit/walk-pages';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { coreSpec } from '../../spec/core-spec';

/** Lines that an answer could not hold are refused; every stored order can be read. */
let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

const bytesOf = (order: object): number => Buffer.byteLength(JSON.stringify(order));

/** Each character has six bytes of JSON. */
const control = (length: number): string => '\u0001'.repeat(length);
interface Line {
  name: string;
  qty: number;
  price: number;
}

const lines = (count: number, nameLength: number): { items: Line[] } => ({
  items: Array.from({ length: count }, () => ({ name: control(nameLength), qty: 1_000_000, price: 0.01 })),
});

/** Lines of exactly this many bytes as answered; the last names fill them up. */
function linesOf(bytes: number): object[] {
  const { items } = lines(500, 120);
  const answered = items.map(({ qty: quantity, ...item }) => ({ p1_id: null, ...item, quantity }));
  const missing = bytes - bytesOf(answered);
  const [each, last] = [Math.floor(missing / 500), missing % 500];
  return items.map((item, index) => ({
    ...item,
    name: control(120) + 'x'.repeat(each + (index < last ? 1 : 0)),
  }));
}

it('takes lines of exactly the largest size, and refuses one byte more before the order is stored', async () => {
  const { status, body } = await core.upsert('largest', { items: linesOf(api.MAX_LINES_BYTES) });
  expect({ status, bytes: bytesOf(body.items) }).toEqual({ status: 201, bytes: api.MAX_LINES_BYTES });
  expect(await core.order(body.id)).toEqual(body);
  const refused = await core.upsert('large', { items: linesOf(api.MAX_LINES_BYTES + 1) });
  expect([refused.status, refused.body.error]).toEqual([413, 'payload_too_large']);
  const { body: list } = await core.call(api.listOrders, { query: 'external_id=large' });
  expect(list.pagination.total).toBe(0);
});

it('refuses 500 lines of the longest texts, by upsert and by PUT', async () => {
  const body = lines(500, 255);
  expect((await core.upsert('new', body)).status).toBe(413);
  const { body: small } = await core.upsert('small', { customer_name: 'Erika' });
  const put = await core.update(small.id, body);
  expect([put.status, put.body.error]).toEqual([413, 'payload_too_large']);
  expect(await core.order(small.id)).toEqual(small);
});

/** The largest value of each field besides the lines. */
const LARGEST = {
  order_number: control(255),
  order_datetime: '2026-01-01T00:00:00.123Z',
  customer_name: control(255),
  customer_email: `${'e'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.example`,
  address_street: control(255),
  address_city: control(255),
  address_postal_code: control(255),
  address_phone: control(255),
  total_amount: 99_999_999.99,
  payment_status: 'cash_on_pickup',
  payment_reference: control(255),
  shipping_option: 'Uber Eats',
  metadata: Object.fromEntries(
    Array.from({ length: 20 }, (_, key) => [String(key).padStart(40, 'k'), control(500)]),
  ),
};

it('has space for the largest values of all other fields beside the largest lines', async () => {
  const { body: made } = await core.upsert('full', { items: linesOf(api.MAX_LINES_BYTES) });
  const { status, body } = await core.upsert('full', LARGEST);
  expect([status, body.items]).toEqual([200, made.items]);
  expect(bytesOf(body)).toBeGreaterThan(api.MAX_LINES_BYTES + 64 * 1024);
  expect(bytesOf(body)).toBeLessThanOrEqual(api.MAX_ORDER_BYTES);
  expect(await core.order(body.id)).toEqual(body);
});

it('changes an order of many short lines directly', async () => {
  const { body } = await core.upsert('short', lines(500, 5));
  const changed = await core.upsert('short', { customer_name: 'Erika' });
  expect([changed.status, changed.body.items]).toEqual([200, body.items]);
});

const addHistory = statement<never, [string, number]>(
  'spec_history',
  `INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
   SELECT $1, n, 'spec', 'updated', jsonb_build_object('customer_name', 'Name ' || n)
     || CASE WHEN n % 1000 = 0 THEN jsonb_build_object('address_city', 'City ' || n) ELSE '{}' END
   FROM generate_series(2, $2) n`,
);

async function history(orderId: string, limit: number): Promise<OrderHistoryEntry[]> {
  return walkPages(async (cursor) => {
    const query = `limit=${limit}${cursor}`;
    const { status, body } = await core.call(orderHistory, { params: { orderId }, query });
    expect([status, body.data.length <= limit]).toEqual([200, true]);
    return body;
  });
}

it('shows all of 5,000 entries, each with the values before, wherever a page ends', async () => {
  const { body } = await core.upsert('long', { customer_name: 'Name 1', address_city: 'City 0' });
  await test.database.rows(addHistory, body.id, 5_000);
  const entries = await history(body.id, 199);
  expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 5_000 }, (_, n) => n + 1));
  const changes = (n: number): object[] => [
    ...(n % 1000 === 0 ? [{ field: 'address_city', old: `City ${n - 1000}`, new: `City ${n}` }] : []),
    { field: 'customer_name', old: `Name ${n - 1}`, new: `Name ${n}` },
  ];
  const byField = (entry: OrderHistoryEntry): object[] =>
    [...entry.changes].sort((a, b) => (a.field < b.field ? -1 : 1));
  expect(entries.slice(1).map(byField)).toEqual(Array.from({ length: 4_999 }, (_, n) => changes(n + 2)));
});

it('ends a page of large entries at its byte limit', async () => {
  const { body } = await core.upsert('fat', { items: linesOf(api.MAX_LINES_BYTES) });
  await core.upsert('fat', lines(500, 100));
  await core.upsert('fat', lines(500, 101));
  const first = await core.call(orderHistory, { params: { orderId: body.id } });
  expect(first.body.data.length).toBeLessThan(3);
  expect((await history(body.id, 200)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

it.each(['x', 'aGlzdG9yeTp7fQ', 'aGlzdG9yeTpbXQ', 'aGlzdG9yeTp7ImFmdGVyIjotMX0'])(
  'refuses the cursor %s',
  async (cursor) => {
    const { body } = await core.upsert('one');
    const query = `cursor=${cursor}`;
    const answer = await core.call(orderHistory, { params: { orderId: body.id }, query });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  },
);
