import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import { patchOrderStatuses, upsertOrders } from '@offizin/contracts/orders/order-batches';
import * as api from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { revokeKey } from '../../people/directory/keys.store';
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

describe('members of one order', () => {
  const writers = statement<{ transactions: number; entries: number }, [string]>(
    'spec_writers',
    'SELECT count(DISTINCT xmin::text)::int AS transactions, count(*)::int AS entries FROM core.order_history WHERE order_id = $1',
  );
  const lockSums = statement<never, []>(
    'spec_lock_sums',
    'LOCK TABLE core.daily_sum_deltas IN EXCLUSIVE MODE',
  );
  const endWaiting = statement<object, []>(
    'spec_end_waiting',
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  const metadata = (first: number) => ({
    metadata: Object.fromEntries(Array.from({ length: 12 }, (_, key) => [`k${first + key}`, 'v'])),
  });
  const lines = (price: number, name?: string) => ({ items: [{ p1_id: 'p', qty: 2, price, name }] });
  const changes = [
    ['a', { customer_name: 'A' }],
    ['b', lines(1, 'Tee')],
    ['a', { customer_name: 'A' }],
    ['a', { customer_email: 'x' }],
    ['b', { ...lines(3), payment_status: 'paid' }],
    ['a', { ...metadata(0), order_number: '7' }],
    ['closed', { total_amount: 7 }],
    ['closed', { payment_status: 'paid' }],
    ['closed', { total_amount: 7, force: true }],
    ['nowhere', { customer_name: 'N' }],
    ['nowhere', { customer_name: 'N2' }],
    ['b', lines(3)],
    ['a', { customer_name: 'C' }],
    ['a', { customer_name: 'B' }],
  ] as const;
  const shopOf = (of: OrderCoreFixture, name: string) => (name === 'nowhere' ? newId() : of.shopId);
  const upserts = (of: OrderCoreFixture, further: readonly (readonly [string, object])[] = []) =>
    [...changes, ...further].map(([external_id, fields]) => ({
      shop_id: shopOf(of, external_id),
      external_id,
      ...fields,
    }));

  type Outcome = { order_id: string | null } & object;

  async function fixture(): Promise<{ of: OrderCoreFixture; ids: string[] }> {
    const of = await OrderCoreFixture.make(test.database);
    const made = [await of.upsert('closed', { total_amount: 1 }), await of.upsert('c'), await of.upsert('d')];
    const ids = made.map(({ body }) => body.id);
    await of.patch(ids[0] ?? '', { status: 'cancelled' });
    return { of, ids };
  }

  /** Everything that a batch leaves, without what differs between two organizations. */
  async function traces(of: OrderCoreFixture, results: readonly Outcome[]): Promise<unknown> {
    const { data } = (await of.call(api.listOrders, { query: 'limit=200' })).body;
    const names = new Map<string | null, string>(data.map(({ id, external_id }) => [id, external_id]));
    const orders = data.map(async ({ id }) => {
      const { id: _id, shop_id: _shop, created_at: _made, updated_at: _at, ...stored } = await of.order(id);
      const history = (await of.historyOf(id)).map(({ action, changes: made }) => [action, made]);
      const events = (await of.eventsOf(id)).map(({ event_type, sequence }) => [sequence, event_type]);
      return [
        stored.external_id,
        {
          stored,
          history,
          events,
          audit: await of.actionsOn(`order:${id}`),
        },
      ];
    });
    const outcomes = results.map(({ order_id, ...rest }) => ({
      ...rest,
      order: names.get(order_id) ?? null,
    }));
    return { outcomes, orders: Object.fromEntries(await Promise.all(orders)) as unknown };
  }

  const alike: [
    string,
    typeof upsertOrders | typeof patchOrderStatuses,
    (of: OrderCoreFixture, ids: string[]) => object[],
  ][] = [
    ['upserts', upsertOrders, (of) => upserts(of)],
    [
      'upserts of which the last ends its transaction',
      upsertOrders,
      (of) => upserts(of, [['a', metadata(12)]]),
    ],
    [
      'upserts of which one ends its transaction',
      upsertOrders,
      (of) =>
        upserts(of, [
          ['a', metadata(12)],
          ['a', { order_number: '8' }],
        ]),
    ],
    [
      'status patches',
      patchOrderStatuses,
      (_of, [closed, c, d]) => [
        { order_id: c, status: 'awaiting_packing' },
        { order_id: d, payment_status: 'paid' },
        { order_id: c?.toUpperCase(), status: 'awaiting_packing' },
        { order_id: closed, status: 'shipped' },
        { order_id: closed, status: 'pending', force: true },
        { order_id: d },
        { order_id: d, payment_status: 'failed' },
        { order_id: newId(), shipped: true },
        { order_id: c, status: 'shipped' },
        { order_id: closed, status: 'shipped' },
        { order_id: c, status: 'pending' },
      ],
    ],
  ];
  it.each(alike)('leave what they leave one by one: %s', async (_name, op, membersOf) => {
    const send = async (of: OrderCoreFixture, members: object[]): Promise<Outcome[]> => {
      const body = op === upsertOrders ? { orders: members } : { patches: members };
      return (await of.call(op, { body })).body.results;
    };
    const [whole, split] = [await fixture(), await fixture()];
    const together = await send(whole.of, membersOf(whole.of, whole.ids));
    const alone: Outcome[] = [];
    for (const [index, member] of membersOf(split.of, split.ids).entries())
      alone.push(...(await send(split.of, [member])).map((one) => ({ ...one, index })));
    expect(await traces(whole.of, together)).toEqual(await traces(split.of, alone));
  });

  it.each([
    [
      'upserts',
      async (id: string) =>
        upsert(Array.from({ length: 500 }, (_, n) => order('one', { customer_name: `${id} ${n}` }))),
    ],
    [
      'patches',
      async (id: string) =>
        patch(
          Array.from({ length: 500 }, (_, n) => ({
            order_id: id,
            payment_status: n % 2 ? 'pending' : 'paid',
          })),
        ),
    ],
  ])('share few transactions, so that 500 are far from the deadline: %s', async (_name, send) => {
    const { id } = (await core.upsert('one')).body;
    const { body } = await send(id);
    expect(body.results.filter(({ status }) => status === 'updated')).toHaveLength(500);
    const [written] = await test.database.rows(writers, id);
    expect(written).toMatchObject({ entries: 501 });
    expect(written?.transactions).toBeLessThan(12);
    expect((await core.eventsOf(id)).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 501 }, (_, n) => n + 1),
    );
  });

  it('keep every change of other writers of the order, in one sequence', async () => {
    const { id } = (await core.upsert('one')).body;
    const [batch, ...others] = await Promise.all([
      upsert(Array.from({ length: 200 }, (_, n) => order('one', { customer_name: `Kunde ${n}` }))),
      ...Array.from({ length: 40 }, (_, n) => core.update(id, { order_number: `B-${n}` })),
    ]);
    expect(batch.body.results.every(({ status }) => status === 'updated')).toBe(true);
    expect(others.every(({ status }) => status === 200)).toBe(true);
    expect((await core.eventsOf(id)).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 241 }, (_, n) => n + 1),
    );
  });

  it('are stored all or none when their connection is lost, and once when they are sent again', async () => {
    const { id } = (await core.upsert('one')).body;
    const members = [
      { order_id: id, shipped: true },
      { order_id: id, payment_status: 'refunded' },
    ];
    // The second member waits for the table of its trigger, behind the first that is written and not committed.
    const lost = await test.database.transaction(async (blocker) => {
      await blocker.rows(lockSums);
      const answer = patch(members).catch(String);
      await eventually('the second member waits', async () => (await blocker.rows(endWaiting)).length === 1);
      return { answer };
    });
    expect(await lost.answer).toContain('The database is unavailable');
    expect(await core.order(id)).toMatchObject({ shipped: false, payment_status: 'pending' });
    expect((await patch(members)).body.results.map(({ status }) => status)).toEqual(['updated', 'updated']);
    expect(await core.eventsOf(id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
  });
});
