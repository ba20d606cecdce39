import type { Caller } from '@offizin/contracts/calls/caller';
import { MAX_LOTS, MAX_LOTS_BYTES, type OrderLotBody, setLots } from '@offizin/contracts/orders/lots';
import { getOrder, listOrders } from '@offizin/contracts/orders/orders';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { changeOf } from '@offizin/pg/queries';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { revokeKey } from '../../people/directory/keys.store';
import { databaseSpec } from '../../spec/core-spec';
import { erasureHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture, silentRelay } from '../../spec/spec-fixture';
import { lockOrder } from '../orders/orders.store';
import { LotsHandlers } from './lots.handlers';
import { writeLots } from './lots.store';

const test = databaseSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  const { database } = test;
  const further = [
    ...handlersIn(new LotsHandlers(database, silentRelay())),
    ...erasureHandlers(database, specKeys(database)),
  ];
  core = await OrderCoreFixture.make(database, further);
  other = await OrderCoreFixture.make(database, further);
});

const SALBE = { p1_id: 'P-SALBE', name: 'Salbe', qty: 3, price: 2 };
const BLUETEN = { name: 'Blüten', qty: 2, price: 9 };

async function order(fields: object = {}, of = core): Promise<string> {
  const body = { customer_email: 'erika@example.org', items: [SALBE, BLUETEN], ...fields };
  return (await of.upsert(newId(), body)).body.id;
}

const expire = changeOf<[orderId: string]>(
  'spec_expire_lots',
  `UPDATE core.order_lots SET expires_on = '2020-01-31' WHERE order_id = $1`,
);

const waitingForLock = statement<object, []>(
  'spec_waiting_for_lock',
  `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

interface By {
  of?: OrderCoreFixture;
  caller?: Caller;
  ifMatch?: string;
}

function put(orderId: string, lots: unknown, { of = core, caller = of.key(), ...terms }: By = {}) {
  return of.call(setLots, { params: { orderId }, body: { lots }, caller, ...terms });
}

const lotsOf = async (orderId: string) => (await core.order(orderId)).lots;
const lotNumbers = async (orderId: string) => (await lotsOf(orderId)).map(({ line, lot }) => [line, lot]);

async function found(lot: string, of = core): Promise<string[]> {
  const query = new URLSearchParams({ lot }).toString();
  const { body } = await of.call(listOrders, { query });
  expect(body.pagination.total).toBe(body.data.length);
  return body.data.map(({ id }) => id);
}

const PACKED: OrderLotBody[] = [
  { line: 1, lot: 'ch4711', expires_on: '2099-01-31', quantity: 2 },
  { line: 1, lot: 'CH4712', expires_on: '2099-02-28', quantity: 1 },
  { line: 2, lot: 'B 7', test_number: 'P-12', quantity: 2 },
];
const SHOWN = [
  {
    line: 1,
    p1_id: 'P-SALBE',
    name: 'Salbe',
    lot: 'CH4711',
    expires_on: '2099-01-31',
    test_number: null,
    quantity: 2,
  },
  {
    line: 1,
    p1_id: 'P-SALBE',
    name: 'Salbe',
    lot: 'CH4712',
    expires_on: '2099-02-28',
    test_number: null,
    quantity: 1,
  },
  { line: 2, p1_id: null, name: 'Blüten', lot: 'B 7', expires_on: null, test_number: 'P-12', quantity: 2 },
];

it('lots are part of the order, and make its next version with history, audit entry and event', async () => {
  const id = await order();
  const before = await core.order(id);
  expect(before.lots).toEqual([]);
  const { status, body, etag } = await put(id, PACKED);
  expect([status, body, etag]).toEqual([200, { lots: SHOWN }, '"2"']);
  expect(await core.order(id)).toEqual({ ...before, lots: SHOWN, updated_at: expect.any(String) });
  expect((await core.historyOf(id)).at(-1)).toMatchObject({
    sequence: 2,
    actor: core.keyId,
    action: 'updated',
    changes: [
      {
        field: 'lots',
        old: null,
        new: '1: 2 × CH4711 2099-01-31, 1: 1 × CH4712 2099-02-28, 2: 2 × B 7 P-12',
      },
    ],
  });
  expect(await core.actionsOn(`order:${id}`)).toEqual(['order.create', 'order.set-lots']);
  expect((await core.eventsOf(id)).at(-1)).toEqual({
    event_type: 'order_updated',
    sequence: 2,
    topic: 'plain',
    metadata: {
      order_id: id,
      shop_id: core.shopId,
      order_request_id: null,
      stock_claim_id: null,
      status: 'pending',
      sequence: 2,
    },
  });
});

it('the list as it was read changes nothing, another one replaces it, and an empty one removes all', async () => {
  const id = await order();
  await put(id, PACKED);
  const again = await put(id, await lotsOf(id));
  expect([again.status, again.etag]).toEqual([200, '"2"']);
  expect(await core.eventsOf(id)).toHaveLength(2);
  expect((await put(id, PACKED.slice(0, 1))).body.lots).toEqual(SHOWN.slice(0, 1));
  expect(await lotsOf(id)).toEqual(SHOWN.slice(0, 1));
  const none = await put(id, []);
  expect([none.body.lots, none.etag]).toEqual([[], '"4"']);
  expect(await lotsOf(id)).toEqual([]);
  expect(await found('CH4711')).toEqual([]);
});

it('upsert, PUT, batch and status leave the lots; replaced lines keep each lot with its product', async () => {
  const id = await order();
  const { external_id } = await core.order(id);
  await put(id, PACKED);
  expect((await core.upsert(external_id, { customer_name: 'Anna' })).body.lots).toEqual(SHOWN);
  expect((await core.update(id, { order_number: 'B-1' })).body.lots).toEqual(SHOWN);
  const moved = await core.upsert(external_id, {
    items: [{ name: 'Tee', qty: 1, price: 1 }, BLUETEN, { ...SALBE, name: 'Salbe 50 g', qty: 1 }],
  });
  expect(moved.body.lots.map(({ line, lot, name }) => [line, lot, name])).toEqual([
    [3, 'CH4711', 'Salbe'],
    [3, 'CH4712', 'Salbe'],
    [2, 'B 7', 'Blüten'],
  ]);
  await core.patch(id, { status: 'shipped' });
  expect(await core.order(id)).toMatchObject({ status: 'shipped', lots: moved.body.lots });
  await core.update(id, { items: [{ ...SALBE, name: 'Salbe 50 g' }], force: true });
  const { body } = await put(id, (await lotsOf(id)).slice(0, 1));
  expect(body.lots).toEqual([{ ...SHOWN[0], name: 'Salbe' }]);
  const unknown = await core.update(id, { lots: [], force: true });
  expect([unknown.status, unknown.body.details?.[0]?.field]).toEqual([400, 'lots']);
  expect(await core.falseSummaries()).toEqual([]);
});

it('a lot whose product left the order has no line, is found, and stays until a list leaves it out', async () => {
  const id = await order();
  await put(id, PACKED);
  await core.update(id, { items: [{ name: 'Tee', qty: 2, price: 1 }] });
  expect(await lotNumbers(id)).toEqual([
    [null, 'CH4711'],
    [null, 'CH4712'],
    [null, 'B 7'],
  ]);
  expect(await found('CH4711')).toEqual([id]);
  const kept = [
    { line: 1, lot: 'T1', quantity: 2 },
    { line: null, lot: 'CH4711', quantity: 2 },
  ];
  expect((await put(id, kept)).body.lots.map(({ line, lot, p1_id }) => [line, lot, p1_id])).toEqual([
    [1, 'T1', null],
    [null, 'CH4711', 'P-SALBE'],
  ]);
  for (const [more, field] of [
    [[...kept, { line: null, lot: 'CH4711', quantity: 1 }], 'lots[2].line'],
    [[{ line: null, lot: 'CH4711', quantity: 3 }], 'lots[0].quantity'],
    [[{ line: null, lot: 'CH4711', p1_id: 'P-TEE', quantity: 2 }], 'lots[0].line'],
  ] as const) {
    const refused = await put(id, more);
    expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, field]);
  }
  const dated = await put(id, [{ ...kept[1], p1_id: 'P-SALBE', expires_on: '2020-01-31' }]);
  expect(dated.body.message).toBe(
    'Lot CH4711 was good until 2020-01-31: take another pack, or correct the day.',
  );
  await core.update(id, { items: [SALBE] });
  expect(await lotNumbers(id)).toEqual([
    [null, 'T1'],
    [1, 'CH4711'],
  ]);
});

it('a lot of a line whose product is another one by now is refused, where its sender says which', async () => {
  const id = await order();
  await core.update(id, { items: [{ ...SALBE, p1_id: 'P-TEE', name: 'Tee' }, BLUETEN] });
  const [salbe, , blueten] = SHOWN;
  const refused = await put(id, [salbe, { ...blueten, name: 'Blätter' }]);
  expect([refused.status, refused.body.details]).toEqual([
    400,
    [0, 1].map((n) => ({
      field: `lots[${n}].line`,
      message: 'has another product: read the order again, or leave p1_id and name out',
    })),
  ]);
  expect(await lotsOf(id)).toEqual([]);
  expect((await put(id, [{ ...salbe, p1_id: 'P-TEE' }, blueten])).status).toBe(200);
});

it.each([
  ['an empty lot', { lot: '' }, 'lot'],
  ['a lot of blanks', { lot: '  ' }, 'lot'],
  ['21 characters', { lot: 'A'.repeat(21) }, 'lot'],
  ['a control character', { lot: 'A\u001dB' }, 'lot'],
  ['the 31st of February', { expires_on: '2099-02-31' }, 'expires_on'],
  ['a time', { expires_on: '2099-01-31T00:00:00Z' }, 'expires_on'],
  ['no pieces', { quantity: 0 }, 'quantity'],
  ['more pieces than ordered', { quantity: 4 }, 'quantity'],
  ['a line that the order does not have', { line: 3 }, 'line'],
  ['line 0', { line: 0 }, 'line'],
  ['a lot without a line that the order does not have', { line: null }, 'line'],
  ['an unknown field', { serial: '1' }, 'serial'],
])('%s is a 400 that names it, and nothing is written', async (_, change, field) => {
  const id = await order();
  await put(id, PACKED.slice(0, 1));
  const refused = await put(id, [PACKED[2], { line: 1, lot: 'X', quantity: 1, ...change }]);
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
  expect(refused.body.details?.map((problem) => problem.field)).toEqual([`lots[1].${field}`]);
  expect(await lotsOf(id)).toEqual(SHOWN.slice(0, 1));
  expect(await core.historyOf(id)).toHaveLength(2);
});

it('the lots of a line have at most its quantity together', async () => {
  const id = await order();
  const refused = await put(id, [...PACKED, { line: 1, lot: 'X', quantity: 1 }]);
  expect(refused.body.details).toEqual([
    {
      field: 'lots[3].quantity',
      message: 'must not be more than was ordered: line 1 has 3, and its lots have 4',
    },
  ]);
});

it('an expired pack is refused with a sentence; one that was written in time stays, but gets no company', async () => {
  const id = await order();
  const expired = { line: 1, lot: 'OLD', expires_on: '2020-01-31', quantity: 1 };
  const refused = await put(id, [...PACKED.slice(2), expired]);
  expect([refused.status, refused.body.error, refused.body.message]).toEqual([
    409,
    'lot_expired',
    'Lot OLD of line 1 was good until 2020-01-31: take another pack, or correct the day.',
  ]);
  expect(await lotsOf(id)).toEqual([]);
  await put(id, [{ ...expired, expires_on: '2099-01-31' }]);
  await expire(test.database, id);
  expect((await put(id, [expired, ...PACKED.slice(2)])).status).toBe(200);
  expect((await put(id, [{ ...expired, quantity: 2 }])).body.error).toBe('lot_expired');
  expect((await put(id, [expired, expired])).body.error).toBe('lot_expired');
  expect((await put(id, [{ ...expired, test_number: 'P-12' }])).status).toBe(200);
});

it('closed and reopened orders take lots and keep theirs, cancelled ones take none', async () => {
  for (const status of ['shipped', 'picked_up', 'completed'] as const) {
    const id = await order();
    await core.patch(id, { status });
    expect((await put(id, PACKED)).status).toBe(200);
    await core.patch(id, { status: 'pending', force: true });
    expect(await core.order(id)).toMatchObject({ status: 'pending', lots: SHOWN });
    expect((await put(id, PACKED.slice(1))).status).toBe(200);
  }
  const id = await order();
  await put(id, PACKED);
  await core.patch(id, { status: 'cancelled' });
  const refused = await put(id, []);
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('cancelled')]);
  expect(await lotsOf(id)).toEqual(SHOWN);
});

it('of two people at one order the second learns of the first by If-Match', async () => {
  const id = await order();
  const answers = await Promise.all(
    PACKED.map((lot) => put(id, [lot], { ifMatch: '"1"', caller: core.staff('clerk') })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await lotsOf(id)).toHaveLength(1);
});

it('a list that waited for another one is judged by the lots that this one left', async () => {
  const id = await order();
  await put(id, PACKED);
  let waiting: Promise<unknown> = Promise.resolve();
  await test.database.transaction(async (tx) => {
    await lockOrder(tx, core.orgId, id);
    waiting = put(id, PACKED);
    await eventually('it to wait', async () => (await test.database.rows(waitingForLock)).length > 0);
    await writeLots(tx, id, [], 'spec');
  });
  expect(await waiting).toMatchObject({ status: 200, body: { lots: SHOWN } });
  expect(await lotsOf(id)).toEqual(SHOWN);
});

it('lists at the same time are written one after the other, and whole', async () => {
  const id = await order();
  const lists = Array.from({ length: 10 }, (_, n) => [
    { line: 1, lot: `A${n}`, quantity: 1 },
    { line: 2, lot: `B${n}`, quantity: 1 },
  ]);
  const answers = await Promise.all(
    lists.flatMap((lots, n) => [put(id, lots), core.update(id, { order_number: `N-${n}` })]),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const [first = '', second] = (await lotsOf(id)).map(({ lot }) => lot);
  expect(second).toBe(first.replace('A', 'B'));
  const sequences = (await core.eventsOf(id)).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, n) => n + 1));
});

it('is for orders.write, of the own organization, with a live key', async () => {
  const id = await order();
  const reader = { ...core.key(), scopes: ['orders.read' as const] };
  expect((await put(id, PACKED, { caller: reader })).status).toBe(403);
  expect((await put(id, PACKED, { of: other })).status).toBe(404);
  expect((await put('no-id', PACKED)).status).toBe(404);
  expect((await put(newId(), PACKED)).status).toBe(404);
  expect((await put(id, PACKED, { caller: core.staff('clerk') })).status).toBe(200);
  await revokeKey(test.database, core.orgId, core.keyId);
  expect((await put(id, [])).status).toBe(401);
});

it('orders are found by exactly their lot, however it is written, in the own organization', async () => {
  const [id, second, third] = [await order(), await order(), await order()];
  await put(id, PACKED);
  await put(second, [{ line: 2, lot: 'CH4711', quantity: 1 }]);
  await put(third, [{ line: 2, lot: 'CH47112', quantity: 1 }]);
  const foreign = await order({}, other);
  await put(foreign, PACKED, { of: other });
  expect(await found(' ch4711')).toEqual([second, id]);
  expect(await found('b 7')).toEqual([id]);
  expect(await found('CH4711', other)).toEqual([foreign]);
  expect(await found('NOBODY')).toEqual([]);
  await core.patch(second, { status: 'shipped' });
  const { body } = await core.call(listOrders, { query: 'lot=CH4711&status=shipped&sort=updated_at' });
  expect(body.data.map((row) => row.id)).toEqual([second]);
  const page = await core.call(listOrders, { query: 'lot=CH4711&limit=1' });
  const cursor = page.body.pagination.next_cursor ?? '';
  const next = await core.call(listOrders, { query: `lot=CH4711&limit=1&cursor=${cursor}` });
  expect([page.body.data[0]?.id, next.body.data[0]?.id]).toEqual([second, id]);
  const refused = await core.call(listOrders, { query: `lot=${'A'.repeat(21)}` });
  expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, 'lot']);
});

it('an erasure empties the person and keeps the lots, which the order takes afterwards, too', async () => {
  const id = await order({ customer_name: 'Erika' });
  await put(id, PACKED);
  expect((await core.call(eraseCustomer, { body: { email: 'erika@example.org' } })).body.orders).toBe(1);
  expect(await core.order(id)).toMatchObject({ customer_name: null, customer_email: null, lots: SHOWN });
  expect(await found('CH4711')).toEqual([id]);
  const history = await core.historyOf(id);
  expect(history.flatMap(({ changes }) => changes).filter(({ field }) => field === 'lots')).toHaveLength(1);
  expect((await put(id, PACKED.slice(1))).status).toBe(200);
});

it('an order takes a lot for each of its lines, and refuses what its answer could not hold', async () => {
  const items = Array.from({ length: MAX_LOTS }, (_, n) => ({ p1_id: `P${n}`, qty: 1, price: 1 }));
  const id = await order({ items });
  const lots = items.map((_, n) => ({ line: n + 1, lot: `L${n}`, quantity: 1 }));
  const { status, body } = await put(id, lots);
  expect([status, body.lots.length]).toEqual([200, MAX_LOTS]);
  expect((await put(id, [...lots, { line: 1, lot: 'X', quantity: 1 }])).status).toBe(400);
  const long = lots.map((lot) => ({ ...lot, test_number: 'P'.repeat(40) }));
  const refused = await put(id, long);
  expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, 'lots']);
  expect(Buffer.byteLength(JSON.stringify(await lotsOf(id)))).toBeLessThanOrEqual(MAX_LOTS_BYTES);
  expect((await core.call(getOrder, { params: { orderId: id } })).etag).toBe('"2"');
});
