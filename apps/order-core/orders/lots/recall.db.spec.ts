import type { Caller } from '@offizin/contracts/calls/caller';
import { setLots } from '@offizin/contracts/orders/lots';
import { listLotOrders, type LotOrder, markTold } from '@offizin/contracts/orders/recall';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { newId } from '@offizin/pg/ids';
import { changeOf } from '@offizin/pg/queries';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { CsvFiles } from '../../csv/csv-files';
import { databaseSpec } from '../../spec/core-spec';
import { erasureHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture, silentRelay } from '../../spec/spec-fixture';
import { storedText } from '../../spec/stored-text';
import { appendAudit } from '../../audit/audit.store';
import { LotsHandlers } from './lots.handlers';
import { RecallHandlers } from './recall.handlers';

const test = databaseSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  const { database } = test;
  const audit = { append: (...entry: [Caller, string, string]) => appendAudit(database, ...entry) };
  const further = [
    ...handlersIn(
      new LotsHandlers(database, silentRelay()),
      new RecallHandlers(database, new CsvFiles(audit)),
    ),
    ...erasureHandlers(database, specKeys(database)),
  ];
  core = await OrderCoreFixture.make(database, further);
  other = await OrderCoreFixture.make(database, further);
});

const SALBE = { p1_id: 'P-SALBE', name: 'Salbe', qty: 3, price: 2 };
const TEE = { p1_id: 'P-TEE', name: 'Tee', qty: 3, price: 2 };
const LOT = { lot: 'CH 47/11', expires_on: '2099-01-31', quantity: 1 };

async function packed(
  fields: object = {},
  lots: object[] = [{ line: 1, ...LOT }],
  of = core,
): Promise<string> {
  const body = { items: [SALBE, TEE, { name: 'Blüten', qty: 1, price: 1 }], ...fields };
  const { id } = (await of.upsert(newId(), body)).body;
  const answer = await of.call(setLots, { params: { orderId: id }, body: { lots } });
  expect(answer.status).toBe(200);
  return id;
}

function list(query = '', lot = LOT.lot, of = core) {
  return of.call(listLotOrders, { params: { lot }, query });
}
const rows = async (query = '', lot = LOT.lot): Promise<LotOrder[]> => (await list(query, lot)).body.data;
const idsOf = async (query = '') => (await rows(query)).map(({ order_id }) => order_id);

function tell(orderId: string, fields: object = {}, of = core, caller = of.key()) {
  const body = { lot: LOT.lot, p1_id: 'P-SALBE', told: true, ...fields };
  return of.call(markTold, { params: { orderId }, body, caller });
}

const ofTestShop = changeOf<[orderId: string]>(
  'spec_order_of_test_shop',
  'UPDATE core.orders SET is_test = true WHERE id = $1',
);

const ERIKA = { customer_name: 'Erika', customer_email: 'erika@example.org', address_phone: '+49 30 1' };

it('a lot has all its orders, with the customer and the pieces, the newest first', async () => {
  const first = await packed(ERIKA);
  await packed({}, [{ line: 1, ...LOT, lot: 'X' }]);
  const second = await packed({ order_number: 'B-2' }, [
    { line: 1, ...LOT },
    { line: 1, ...LOT, expires_on: '2099-02-28' },
    { line: 2, ...LOT },
  ]);
  await packed({}, [{ line: 1, ...LOT }], other);
  const [newest, oldest] = await rows('', ' ch 47/11');
  expect(newest).toMatchObject({ order_id: second, order_number: 'B-2', name: 'Salbe, Tee', quantity: 3 });
  const { external_id, created_at } = await core.order(first);
  expect(oldest).toEqual({
    order_id: first,
    external_id,
    order_number: null,
    shop_id: core.shopId,
    status: 'pending',
    customer_name: 'Erika',
    customer_email: 'erika@example.org',
    phone: '+49 30 1',
    p1_id: 'P-SALBE',
    name: 'Salbe',
    quantity: 1,
    created_at,
    told_at: null,
  });
  expect(await idsOf()).toEqual([second, first]);
});

it('the product narrows the list; packs of a line that names no product may be of any', async () => {
  const salbe = await packed();
  const tee = await packed({}, [{ line: 2, ...LOT }]);
  const unnamed = await packed({}, [{ line: 3, ...LOT }]);
  expect(await idsOf('p1_id=P-SALBE')).toEqual([unnamed, salbe]);
  expect(await idsOf('p1_id=P-TEE')).toEqual([unnamed, tee]);
  expect(await idsOf()).toEqual([unnamed, tee, salbe]);
});

it('orders of test shops are marked for programs, and left out for people', async () => {
  const id = await packed();
  await packed({}, [{ line: 3, ...LOT }]);
  await ofTestShop(test.database, id);
  const marks = (await rows()).map(({ order_id, test: isTest }) => [order_id === id, isTest]);
  expect(marks).toEqual([
    [false, undefined],
    [true, true],
  ]);
  const seen = await core.call(listLotOrders, { params: { lot: LOT.lot }, caller: core.staff('clerk') });
  expect(seen.body.data.map(({ order_id }) => order_id === id)).toEqual([false]);
});

it('pages follow each other, and a cursor of another lot is refused', async () => {
  const ids = [await packed(), await packed(), await packed()].reverse();
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await list(`limit=1${cursor && `&cursor=${cursor}`}`);
    found.push(...body.data.map(({ order_id }) => order_id));
    cursor = body.pagination.next_cursor;
  }
  expect(found).toEqual(ids);
  const { body } = await list('limit=1');
  expect((await list(`p1_id=P-SALBE&cursor=${body.pagination.next_cursor}`)).status).toBe(400);
});

it('an unknown lot, one of another organization and a text that cannot be a lot are a 404', async () => {
  await packed({}, [{ line: 1, ...LOT }], other);
  for (const lot of [LOT.lot, 'NOBODY', 'A'.repeat(21), 'A\u0000', ' '])
    expect((await list('', lot)).status).toBe(404);
  expect((await list('', LOT.lot, other)).body.data).toHaveLength(1);
});

it('whom the pharmacy informed is noted with the first time, and taken back; the order does not change', async () => {
  const id = await packed();
  const before = await core.order(id);
  const { status, body } = await tell(id);
  expect([status, body]).toEqual([
    200,
    { order_id: id, lot: LOT.lot, p1_id: 'P-SALBE', quantity: 1, told_at: expect.stringMatching(/^20.*Z$/) },
  ]);
  expect((await tell(id, { lot: 'ch 47/11' })).body).toEqual(body);
  expect((await rows())[0]?.told_at).toBe(body.told_at);
  expect(await core.order(id)).toEqual(before);
  expect((await tell(id, { told: false })).body.told_at).toBeNull();
  expect((await rows())[0]?.told_at).toBeNull();
  expect(await core.actionsOn(`order:${id}`)).toEqual([
    'order.create',
    'order.set-lots',
    'lot.told',
    'lot.told',
    'lot.not-told',
  ]);
});

it('a change of the lots keeps it, also at the same time; an order with a part still to do is still to do', async () => {
  const id = await packed({}, [
    { line: 1, ...LOT },
    { line: 2, ...LOT },
  ]);
  expect((await tell(id)).body).toMatchObject({ p1_id: 'P-SALBE', quantity: 1 });
  expect((await rows())[0]?.told_at).toBeNull();
  expect((await rows('p1_id=P-SALBE'))[0]?.told_at).not.toBeNull();
  const put = (quantity: number) =>
    core.call(setLots, { params: { orderId: id }, body: { lots: [{ line: 1, ...LOT, quantity }] } });
  await put(2);
  expect((await rows())[0]).toMatchObject({ quantity: 2, told_at: expect.any(String) });
  await tell(id, { told: false });
  await Promise.all([put(1), tell(id), put(3)]);
  expect((await rows())[0]?.told_at).not.toBeNull();
});

it('informed are those of the list: a product with the lines that name none, or all', async () => {
  const id = await packed({}, [
    { line: 1, ...LOT },
    { line: 2, ...LOT },
    { line: 3, ...LOT },
  ]);
  const isTold = async (query: string) => (await rows(query))[0]?.told_at !== null;
  expect((await tell(id)).body.quantity).toBe(2);
  expect([await isTold('p1_id=P-SALBE'), await isTold('p1_id=P-TEE'), await isTold('')]).toEqual([
    true,
    false,
    false,
  ]);
  expect((await tell(id, { p1_id: null })).body).toMatchObject({ p1_id: null, quantity: 3 });
  expect([await isTold('p1_id=P-TEE'), await isTold('')]).toEqual([true, true]);
  expect((await tell(id, { told: false, p1_id: undefined })).body).toMatchObject({
    quantity: 3,
    told_at: null,
  });
});

it('an order without the lot, an unknown one and one of another organization are a 404', async () => {
  const id = await packed();
  for (const [orderId, fields] of [
    [id, { lot: 'X' }],
    [id, { p1_id: 'P-TEE' }],
    [newId(), {}],
    ['no-id', {}],
  ] as const)
    expect((await tell(orderId, fields)).status).toBe(404);
  expect((await tell(id, {}, other)).status).toBe(404);
  const reader = { ...core.key(), scopes: ['orders.read' as const] };
  expect((await tell(id, {}, core, reader)).status).toBe(403);
});

it('an erasure empties the person in the list and keeps the lot', async () => {
  const id = await packed(ERIKA);
  await core.call(eraseCustomer, { body: { email: 'erika@example.org' } });
  expect(await rows()).toMatchObject([
    { order_id: id, customer_name: null, customer_email: null, phone: null, quantity: 1 },
  ]);
  expect(await storedText(test.database, core.orgId)).not.toContain('Erika');
  expect((await tell(id)).status).toBe(200);
});
