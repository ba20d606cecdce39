import * as api from '@offizin/contracts/orders';
import { upsertOrders as upsertBatch } from '@offizin/contracts/order-batches';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { race } from '@offizin/testkit/race';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

const upsert = (external_id: string, metadata?: unknown, more: object = {}) =>
  core.call(api.upsertOrder, { body: { shop_id: core.shopId, external_id, metadata, ...more } });
const put = (orderId: string, body: object) => core.call(api.updateOrder, { params: { orderId }, body });

it('are none unless given; given keys are set, null removes one, the others stay, and null alone removes all', async () => {
  const { body: order } = await upsert('A');
  expect(order.metadata).toEqual({});
  const steps: [unknown, object][] = [
    [
      { erp: '1', 'cost.center': 'B-7' },
      { erp: '1', 'cost.center': 'B-7' },
    ],
    [
      { erp: '2', new_one: 'ä🌿' },
      { erp: '2', 'cost.center': 'B-7', new_one: 'ä🌿' },
    ],
    [
      { erp: null, unknown: null },
      { 'cost.center': 'B-7', new_one: 'ä🌿' },
    ],
    [undefined, { 'cost.center': 'B-7', new_one: 'ä🌿' }],
    [null, {}],
  ];
  for (const [given, expected] of steps) {
    expect((await upsert('A', given, { customer_name: String(Math.random()) })).body.metadata).toEqual(
      expected,
    );
  }
  const params = { orderId: order.id };
  expect((await core.call(api.getOrder, { params })).body.metadata).toEqual({});
});

it('are set with a new order, where null removes nothing', async () => {
  const { status, body } = await upsert('new', { a: '1', b: null });
  expect([status, body.metadata]).toEqual([201, { a: '1' }]);
  expect((await upsert('newer', null)).body.metadata).toEqual({});
});

it('that change nothing write nothing; those that do are in the history, and in no event', async () => {
  const { body: order } = await upsert('A', { secret: 'of the caller' });
  for (const same of [{ secret: 'of the caller' }, { absent: null }, {}])
    expect((await put(order.id, { metadata: same })).body.updated_at).toBe(order.updated_at);
  expect((await put(order.id, { metadata: { secret: null, b: '2' } })).body.metadata).toEqual({ b: '2' });
  const { body } = await core.call(api.orderHistory, { params: { orderId: order.id } });
  expect(body.data.at(-1)?.changes).toEqual([
    { field: 'metadata', old: '{"secret":"of the caller"}', new: '{"b":"2"}' },
  ]);
  const events = await core.eventsOf(order.id);
  expect(events.map(({ event_type }) => event_type)).toEqual(['order_created', 'order_updated']);
  expect(JSON.stringify(events)).not.toContain('of the caller');
});

it.each([
  ['a list', [], 'must be an object'],
  ['a text', 'erp', 'must be an object'],
  [
    '21 keys',
    Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v'])),
    'must have at most 20 keys',
  ],
  ['an empty key', { '': 'v' }, 'must have keys of 1 to 40'],
  ['a key of 41 letters', { ['k'.repeat(41)]: 'v' }, 'must have keys of 1 to 40'],
  ['a key with a space', { 'a b': 'v' }, 'must have keys of 1 to 40'],
  ['a NUL character', { a: 'x\0' }, 'NUL'],
  ['half a character', { a: '\ud83c' }, 'surrogate'],
  ['a number', { a: 1 }, 'must have texts of at most 500 characters'],
  ['an object', { a: {} }, 'must have texts of at most 500 characters'],
  ['501 characters', { a: 'x'.repeat(501) }, 'must have texts of at most 500 characters'],
])('refuse %s, and nothing is written', async (_, metadata, message) => {
  const answer = await upsert('A', metadata);
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { details: [{ message: expect.stringContaining(message) as string }] },
  ]);
  expect((await core.call(api.listOrders, {})).body.data).toEqual([]);
});

it('take 20 keys of 40 letters with 500 characters each, and no 21st beside those that are stored', async () => {
  const full = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`${'k'.repeat(38)}${n + 10}`, '🌿'.repeat(500)]),
  );
  const { body: order } = await upsert('A', full);
  expect(order.metadata).toEqual(full);
  const refused = await put(order.id, { metadata: { more: 'v' }, customer_name: 'Anna' });
  expect([refused.status, refused.body]).toMatchObject([400, { details: [{ field: 'metadata' }] }]);
  const params = { orderId: order.id };
  expect((await core.call(api.getOrder, { params })).body).toMatchObject({
    customer_name: null,
    metadata: full,
  });
  const [gone = ''] = Object.keys(full);
  expect((await put(order.id, { metadata: { [gone]: null, more: 'v' } })).status).toBe(200);
});

it('of one member in a batch that is refused leave the others as they are', async () => {
  const full = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'v']));
  await upsert('full', full);
  const member = (external_id: string, metadata: object) => ({ shop_id: core.shopId, external_id, metadata });
  const orders = [
    member('one', { a: '1' }),
    member('full', { one_more: 'v' }),
    member('wrong', { a: 1 }),
    member('full', { k0: 'changed' }),
    member('two', { b: '2' }),
  ];
  const { body } = await core.call(upsertBatch, { body: { orders } });
  expect(body.results.map(({ status }) => status)).toEqual([
    'created',
    'error',
    'error',
    'updated',
    'created',
  ]);
  expect((await upsert('full')).body.metadata).toEqual({ ...full, k0: 'changed' });
});

it('keep every key of 200 racing changes', async () => {
  const { body: order } = await upsert('A');
  const answers = await race(200, (n) => put(order.id, { metadata: { [`k${n % 20}`]: String(n) } }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { body } = await core.call(api.getOrder, { params: { orderId: order.id } });
  expect(Object.keys(body.metadata).sort()).toEqual(Array.from({ length: 20 }, (_, n) => `k${n}`).sort());
});
