import * as api from '@offizin/contracts/orders';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { revokeKey } from '../directory/directory.store';
import { credentialOf } from '../directory/live-caller.store';
import { OrderCoreFixture } from '../spec-fixture';
import { type UpsertOrder, upsertOrders } from './orders.store';

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});

beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
});

afterAll(() => test.close());

it('gives each caller its own outcome: written, unchanged, foreign shop, revoked key', async () => {
  const other = await OrderCoreFixture.make(test.database);
  await upsertOrders(test.database, [core.upsertMember('same', { customer_name: 'A' })]);
  await revokeKey(test.database, other.orgId, other.keyId);
  const outcomes = await upsertOrders(test.database, [
    core.upsertMember('new', { customer_name: 'N' }),
    core.upsertMember('same', { customer_name: 'A' }),
    core.upsertMember('foreign', {}, { shopId: other.shopId }),
    core.upsertMember(
      'revoked',
      {},
      { orgId: other.orgId, shopId: other.shopId, credential: credentialOf(other.key()) },
    ),
    core.upsertMember('same-again', { customer_name: 'S' }, { shopId: core.otherShopId }),
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'written', created: true, order: { external_id: 'new', customer_name: 'N', sequence: 1 } },
    { kind: 'unchanged' },
    { kind: 'shop-unknown' },
    { kind: 'caller-not-live' },
    { kind: 'written', created: true, order: { external_id: 'same-again', shop_id: core.otherShopId } },
  ]);
  const { body } = await core.call(api.listOrders);
  expect(body.data.map((order) => order.external_id).sort()).toEqual(['new', 'same', 'same-again']);
  const { body: foreign } = await other.call(api.listOrders, { caller: other.key() });
  expect(foreign.data).toEqual([]);
});

it('writes history and event of each order with its own values', async () => {
  const names = ['a', 'b', 'c'];
  const outcomes = await upsertOrders(
    test.database,
    names.map((name) => core.upsertMember(name, { customer_name: `Kunde ${name}` })),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind !== 'written') throw new Error(outcome.kind);
    const params = { orderId: outcome.order.id };
    const { body } = await core.call(api.orderHistory, { params });
    const change = body.data[0]?.changes.find(({ field }) => field === 'customer_name');
    expect(change?.new).toBe(`Kunde ${names[index]}`);
    expect(await core.eventsOf(outcome.order.id)).toMatchObject([
      { event_type: 'order_created', sequence: 1, metadata: { order_id: outcome.order.id } },
    ]);
  }
});

it('stores the others when the database refuses one of them', async () => {
  const batches = new MicroBatches({
    run: (orders: UpsertOrder[]) => upsertOrders(test.database, orders),
    keyOf: ({ externalId }: UpsertOrder) => externalId,
  });
  const tooMuch = { total_amount: 1e12, total_is_given: true };
  const answers = await Promise.allSettled(
    [core.upsertMember('x'), core.upsertMember('poison', tooMuch), core.upsertMember('y')].map((order) =>
      batches.submit(order),
    ),
  );
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: { kind: 'written', created: true } },
    { status: 'rejected', reason: { code: 'invalid_request' } },
    { status: 'fulfilled', value: { kind: 'written', created: true } },
  ]);
  expect((await core.call(api.listOrders)).body.pagination.total).toBe(2);
});

it('runs upserts of one pair one after the other', async () => {
  const upsert = (fields: object) =>
    core.call(api.upsertOrder, { body: { shop_id: core.shopId, external_id: 'one', ...fields } });
  const [first, second] = await Promise.all([
    upsert({ customer_name: 'A', address_city: 'Kiel' }),
    upsert({ customer_name: 'B' }),
  ]);
  expect([first.status, second.status]).toEqual([201, 200]);
  expect(first.body).toMatchObject({ customer_name: 'A' });
  expect(second.body).toMatchObject({ customer_name: 'B', shipping_address: { city: 'Kiel' } });
  expect(await core.eventsOf(second.body.id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
});

it('locks in one order: statements over the same orders never deadlock', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `cross-${index}`);
  const rounds = Array.from({ length: 12 }, (_, round) => {
    const orders = names.map((name) => core.upsertMember(name, { customer_name: `Runde ${round}` }));
    return upsertOrders(test.database, round % 2 ? orders.reverse() : orders);
  });
  const outcomes = (await Promise.all(rounds)).flat();
  expect(outcomes.filter(({ kind }) => kind === 'written')).toHaveLength(names.length * rounds.length);
  const { body } = await core.call(api.listOrders, { query: 'limit=200' });
  const [last] = body.data;
  expect(new Set(body.data.map((order) => order.customer_name))).toEqual(new Set([last?.customer_name]));
});
