import { randomBytes } from 'node:crypto';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import {
  addOrderMark,
  addOrderNote,
  MAX_ORDER_NOTES,
  type OrderNote,
} from '@offizin/contracts/orders/order-notes';
import { getPipelineOrder } from '@offizin/contracts/orders/pipeline';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DataKeys } from '../../crypto/data-keys.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { OrderNotesHandlers } from './order-notes.handlers';
import { PipelineHandlers } from './pipeline.handlers';
import { databaseSpec } from '../../spec/core-spec';
import { erasureHandlers } from '../../spec/request-handlers';

const storedTexts = statement<{ text: Buffer | null }, [string]>(
  'spec_stored_notes',
  `SELECT text_ciphertext AS text FROM core.order_notes WHERE order_id = $1`,
);
const fillNotes = statement<never, [string, string, number]>(
  'spec_fill_notes',
  `INSERT INTO core.order_notes (id, org_id, order_id, actor, kind)
   SELECT gen_random_uuid(), $1, $2, 'spec', 'slip_printed' FROM generate_series(1, $3)`,
);

const test = databaseSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  const { database } = test;
  const dataKeys = new DataKeys(database, [randomBytes(32)]);
  const own = handlersIn(
    new OrderNotesHandlers(database, dataKeys),
    new PipelineHandlers(database, dataKeys),
  );
  const table = [...own, ...erasureHandlers(database, dataKeys)];
  core = await OrderCoreFixture.make(database, table);
  other = await OrderCoreFixture.make(database, table);
});

async function order(): Promise<string> {
  return (await core.upsert(newId(), { customer_email: 'erika@example.org' })).body.id;
}

function add(orderId: string, text: string, caller = core.staff('clerk')) {
  return core.call(addOrderNote, { params: { orderId }, body: { text }, caller });
}

async function notes(orderId: string): Promise<OrderNote[]> {
  const caller = core.staff('clerk');
  return (await core.call(getPipelineOrder, { params: { orderId }, caller })).body.notes;
}

it('shows notes and marks newest first, with the name of the person', async () => {
  const id = await order();
  const caller = core.staff('clerk');
  const { version } = (await core.call(getPipelineOrder, { params: { orderId: id }, caller })).body;
  expect((await add(id, 'Ring twice \u{1F514}')).status).toBe(201);
  const mark = await core.call(addOrderMark, { params: { orderId: id }, body: { kind: 'packed' }, caller });
  expect(mark.status).toBe(201);
  const [packed, note] = await notes(id);
  expect(packed).toEqual({ ...mark.body, kind: 'packed', text: null });
  expect(note).toMatchObject({ kind: 'note', text: 'Ring twice \u{1F514}' });
  expect(note?.who).not.toContain('staff:');
  expect(await core.actionsOn(`order:${id}`)).toEqual(expect.arrayContaining(['order.mark', 'order.note']));
  // A note is not a change of the order.
  expect((await core.call(getPipelineOrder, { params: { orderId: id }, caller })).body.version).toBe(version);
});

it('stores the text encrypted', async () => {
  const id = await order();
  await add(id, 'Neighbour takes it');
  const [row] = await test.database.rows(storedTexts, id);
  expect(row?.text?.toString('latin1')).not.toContain('Neighbour');
});

it('refuses an empty or long text, an unknown mark, and an unknown or foreign order', async () => {
  const id = await order();
  for (const text of ['', 'x'.repeat(2_001)]) expect((await add(id, text)).status).toBe(400);
  const params = { orderId: id };
  expect(
    (await core.call(addOrderMark, { params, body: { kind: 'note' }, caller: core.staff() })).status,
  ).toBe(400);
  for (const orderId of [newId(), 'nothing', `${id}x`]) expect((await add(orderId, 'text')).status).toBe(404);
  const foreign = { params, body: { text: 'text' }, caller: other.staff('owner') };
  expect((await other.call(addOrderNote, foreign)).status).toBe(404);
  expect(await notes(id)).toEqual([]);
});

it('keeps 50 notes that are added concurrently, and takes no more than an order may have', async () => {
  const id = await order();
  await test.database.rows(fillNotes, core.orgId, id, MAX_ORDER_NOTES - 40);
  const caller = core.staff('clerk');
  await notes(id);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => add(id, `note ${n}`, caller)));
  const statuses = answers.map(({ status }) => status);
  expect([statuses.filter((status) => status === 201).length, new Set(statuses)]).toEqual([
    40,
    new Set([201, 409]),
  ]);
  expect(await notes(id)).toHaveLength(MAX_ORDER_NOTES);
});

it('keeps the reason of a reopening in the history', async () => {
  const id = await order();
  await core.patch(id, { status: 'shipped' });
  const body = { status: 'awaiting_packing', force: true, reason: 'Came back from Erika' };
  expect((await core.patch(id, body, { caller: core.staff('owner') })).status).toBe(200);
  const last = (await core.historyOf(id)).at(-1);
  expect(last).toMatchObject({ action: 'reopened' });
  expect(last?.changes).toContainEqual({ field: 'reason', old: null, new: 'Came back from Erika' });
  expect((await core.patch(id, { reason: 'nothing else' })).status).toBe(400);
});

it('erases the texts of notes and the reasons of changes with the customer', async () => {
  const id = await order();
  await add(id, 'For Erika');
  await core.patch(id, { status: 'shipped', reason: 'Erika called' });
  expect((await core.call(eraseCustomer, { body: { email: 'erika@example.org' } })).status).toBe(200);
  expect(await notes(id)).toMatchObject([{ kind: 'note', text: null }]);
  expect(await test.database.rows(storedTexts, id)).toEqual([{ text: null }]);
  expect(JSON.stringify(await core.historyOf(id))).not.toContain('Erika');
  expect(await core.order(id)).toMatchObject({ id });
});
