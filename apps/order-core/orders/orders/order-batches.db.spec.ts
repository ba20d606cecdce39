import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import { patchOrderStatuses, upsertOrders } from '@offizin/contracts/orders/order-batches';
import * as api from '@offizin/contracts/orders/orders';
import { newId } from '@offizin/pg/ids';
import { revokeKey } from '../../people/directory/directory.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { coreSpec } from '../../spec/core-spec';

/** Batches of orders: each member has its own outcome, and goes the way of the single call. */
let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

const order = (externalId: string, fields: object = {}) => ({
  shop_id: core.shopId,
  external_id: externalId,
  ...fields,
});

const upsert = (members: unknown, from = core) => from.call(upsertOrders, { body: { orders: members } });
const patch = (members: unknown) => core.call(patchOrderStatuses, { body: { patches: members } });

async function stored(): Promise<Record<string, string | null>> {
  const { body } = await core.call(api.listOrders, { query: 'limit=200' });
  return Object.fromEntries(body.data.map(({ external_id, customer_name }) => [external_id, customer_name]));
}

it('gives each member its own outcome, wrong ones among right ones', async () => {
  const other = await OrderCoreFixture.make(test.database);
  await upsert([order('same', { customer_name: 'S' }), order('old', { customer_name: 'O' })]);
  const { status, body } = await upsert([
    order('new', { customer_name: 'N' }),
    order('wrong', { total_amount: -1, surprise: 1, items: [{ qty: 0, price: 1 }], customer_email: 'x' }),
    order('same', { customer_name: 'S' }),
    'text',
    order('foreign', { shop_id: other.shopId }),
    order('old', { customer_name: 'Z' }),
    { shop_id: 'nowhere', external_id: 'nowhere' },
    null,
  ]);
  expect(status).toBe(200);
  expect(body.results).toMatchObject([
    { index: 0, status: 'created', order_id: expect.any(String) },
    { index: 1, status: 'error', error: 'invalid_request', order_id: null },
    { index: 2, status: 'unchanged' },
    { index: 3, status: 'error', error: 'invalid_request' },
    { index: 4, status: 'error', error: 'not_found' },
    { index: 5, status: 'updated' },
    { index: 6, status: 'error', error: 'not_found' },
    { index: 7, status: 'error', error: 'invalid_request' },
  ]);
  expect(body.results[1]?.details).toHaveLength(3);
  expect(await stored()).toEqual({ new: 'N', same: 'S', old: 'Z' });
  const { body: foreign } = await other.call(api.listOrders, { caller: other.key() });
  expect(foreign.data).toEqual([]);
});

it('applies members of one pair in their order, also where one of them is large', async () => {
  const lines = Array.from({ length: api.MAX_ORDER_ITEMS }, () => ({ name: 'Tee', qty: 1, price: 1 }));
  const { body } = await upsert([
    order('one', { customer_name: 'first', items: lines }),
    order('one', { customer_name: 'second', items: [{ name: 'Tee', qty: 1, price: 2 }] }),
    order('two', { customer_name: 'of two' }),
    order('one', { customer_name: 'third' }),
  ]);
  expect(body.results.map(({ status }) => status)).toEqual(['created', 'updated', 'created', 'updated']);
  expect(await stored()).toEqual({ one: 'third', two: 'of two' });
  const id = body.results[0]?.order_id ?? '';
  expect(await core.eventsOf(id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
});

it('takes 500 members, and refuses none and 501 as a whole', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => order(`many-${index}`));
  const { body } = await upsert(many(MAX_BATCH_MEMBERS));
  expect(body.results.map(({ index }) => index)).toEqual([...Array(MAX_BATCH_MEMBERS).keys()]);
  expect(new Set(body.results.map(({ order_id }) => order_id)).size).toBe(MAX_BATCH_MEMBERS);
  for (const members of [[], many(MAX_BATCH_MEMBERS + 1), 'orders', undefined]) {
    const answer = await upsert(members);
    expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, 'orders']);
  }
});

it('leaves one order per pair when 50 batches over the same pairs race', async () => {
  const pairs = Array.from({ length: 20 }, (_, index) => `raced-${index}`);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, round) => {
      const members = pairs.map((pair) => order(pair, { customer_name: `Runde ${round}` }));
      return upsert(round % 2 ? members.reverse() : members);
    }),
  );
  const results = answers.flatMap(({ body }) => body.results);
  expect(results.filter(({ status }) => status === 'created')).toHaveLength(pairs.length);
  expect(results.filter(({ status }) => status === 'error')).toEqual([]);
  expect(Object.keys(await stored()).sort()).toEqual([...pairs].sort());
  expect(await core.falseSummaries()).toEqual([]);
});

it('refuses a revoked key as a whole', async () => {
  await revokeKey(test.database, core.orgId, core.keyId);
  const answer = await upsert([order('late')]);
  expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized']);
});

it('patches each status by the rules of the workflow', async () => {
  const { body: made } = await upsert([order('a'), order('b', { payment_status: 'paid' })]);
  const [a = '', b = ''] = made.results.map(({ order_id }) => order_id ?? '');
  const { status, body } = await patch([
    { order_id: a, status: 'shipped' },
    { order_id: b, payment_status: 'paid' },
    { order_id: newId(), status: 'shipped' },
    { order_id: a, status: 'pending' },
    { order_id: b },
    { order_id: a.toUpperCase(), status: 'completed' },
    { status: 'shipped' },
  ]);
  expect(status).toBe(200);
  expect(body.results).toMatchObject([
    { index: 0, status: 'updated', order_id: a },
    { index: 1, status: 'unchanged', order_id: b },
    { index: 2, status: 'error', error: 'not_found' },
    { index: 3, status: 'error', error: 'invalid_transition' },
    { index: 4, status: 'error', error: 'invalid_request' },
    { index: 5, status: 'updated', order_id: a },
    { index: 6, status: 'error', error: 'invalid_request', details: [{ field: 'order_id' }] },
  ]);
  expect((await core.order(a)).status).toBe('completed');
});

it('names the order that refuses a member, and none where there is none', async () => {
  const { id } = (await core.upsert('closed', { items: [] })).body;
  await core.patch(id, { status: 'cancelled' });
  const refused = await upsert([
    order('closed', { total_amount: 5 }),
    order('new', { total_amount: 5, shop_id: newId() }),
  ]);
  expect(refused.body.results).toMatchObject([
    { error: 'order_closed', order_id: id },
    { error: 'not_found', order_id: null },
  ]);
  const moved = await patch([
    { order_id: id, status: 'pending' },
    { order_id: newId(), status: 'pending' },
  ]);
  expect(moved.body.results).toMatchObject([
    { error: 'invalid_transition', order_id: id },
    { error: 'not_found', order_id: null },
  ]);
});
