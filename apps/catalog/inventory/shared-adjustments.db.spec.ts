import { adjustInventory, inventoryLog } from '@offizin/contracts/products/inventory';
import { statement } from '@offizin/pg/database';
import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import { adjustInventories } from '@offizin/contracts/products/inventory-batches';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

/** Racing adjustments of a product share transactions: each caller still has its own answer and its own trace. */
const CALLERS = 200;

const adjust = (p1_id: string, rest: Record<string, unknown>, on = shop) =>
  on.call(adjustInventory, { body: { p1_id, reason: 'correction', ...rest } });

const transactionsOf = statement<{ transactions: number; changes: number }, [string]>(
  'spec_transactions_of',
  `SELECT count(DISTINCT xmin::text)::int AS transactions, count(*)::int AS changes
   FROM catalog.stock_log WHERE p1_id = $1`,
);
const auditOf = statement<{ event_type: string; sequence: number }, [string]>(
  'spec_audit_of',
  `SELECT event_type, sequence FROM catalog.outbox
   WHERE aggregate_id = 'audit:product:' || $1 AND body LIKE '%"inventory.adjust"%'`,
);
const refuseNote = statement<never, []>(
  'spec_refuse_note',
  `CREATE FUNCTION catalog.refuse_note() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END $$`,
);
const refuseNoteOn = statement<never, []>(
  'spec_refuse_note_on',
  `CREATE TRIGGER refuse_note BEFORE INSERT ON catalog.stock_log FOR EACH ROW
   WHEN (new.note = 'poison') EXECUTE FUNCTION catalog.refuse_note()`,
);

it('applies 200 racing adjustments once each, in a few transactions, with numbered entries and events', async () => {
  const p1 = await shop.stocked(1);
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) => adjust(p1, { delta: n + 1, reference: `delivery ${n}` })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(CALLERS);
  const stock = 1 + (CALLERS * (CALLERS + 1)) / 2;
  expect(Math.max(...answers.map(({ body }) => body.stock_quantity))).toBe(stock);
  const entries = CALLERS + 1;
  const sums = { stock, log_sum: stock, log_entries: entries, last_entry: entries };
  expect(await shop.stockOf(p1)).toMatchObject(sums);
  const events = await shop.eventsOf(p1);
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: entries }, (_, n) => n + 1));
  expect(await test.database.rows(auditOf, p1)).toHaveLength(CALLERS);
  const [shared] = await test.database.rows(transactionsOf, p1);
  expect(shared?.changes).toBe(entries);
  expect(shared?.transactions).toBeLessThan(20);
});

it('gives the last pieces to those who came first, and each of the others its own refusal', async () => {
  const [scarce, plenty] = [await shop.stocked(3), await shop.stocked(100)];
  const foreign = new CatalogFixture(test.database);
  const theirs = await foreign.stocked(5);
  const answers = await Promise.all([
    adjust(scarce, { delta: -2 }),
    adjust(theirs, { delta: 1 }),
    adjust(plenty, { delta: -60 }),
    adjust(scarce, { delta: -2 }),
    adjust('nothing', { delta: 1 }),
    adjust(plenty, { delta: -60 }),
    adjust(scarce, { quantity: 9, expected_quantity: 3 }),
    adjust(scarce, { delta: -1, reference: 'last' }),
    adjust(scarce, { delta: -1, reference: 'last' }),
    adjust(scarce, { delta: 1, reference: 'last' }),
    adjust(scarce, { delta: 1, reason: 'stolen' }),
    adjust(plenty, { delta: -40 }),
  ]);
  const reported = answers.map(({ status, body }) => (status === 200 ? body.stock_quantity : body));
  expect(reported).toMatchObject([
    1,
    { error: 'not_found' },
    40,
    { error: 'out_of_stock' },
    { error: 'not_found' },
    { error: 'out_of_stock' },
    { error: 'stale_quantity' },
    0,
    0,
    { error: 'reference_conflict' },
    { error: 'invalid_request' },
    0,
  ]);
  expect(answers[8]?.body).toEqual(answers[7]?.body);
  expect(await shop.stockOf(scarce)).toMatchObject({ stock: 0, log_sum: 0, log_entries: 3 });
  expect(await shop.stockOf(plenty)).toMatchObject({ stock: 0, log_sum: 0, log_entries: 3 });
  expect(await foreign.stockOf(theirs)).toMatchObject({ stock: 5, log_entries: 1 });
});

it('keeps a member that the database refuses from the others', async () => {
  await test.database.rows(refuseNote);
  await test.database.rows(refuseNoteOn);
  const p1 = await shop.stocked(0);
  const answers = await Promise.allSettled(
    Array.from({ length: 10 }, (_, n) => adjust(p1, { delta: 1, note: n === 4 ? 'poison' : 'fine' })),
  );
  const refused = answers.map((answer) => answer.status === 'rejected' || answer.value.status >= 400);
  expect(refused).toEqual(answers.map((_, n) => n === 4));
  expect(await shop.stockOf(p1)).toMatchObject({ stock: 9, log_sum: 9, log_entries: 9, last_entry: 9 });
});

it('two replicas share no statement, and lose nothing to each other', async () => {
  const products = [await shop.stocked(0), await shop.stocked(0), await shop.stocked(0)];
  const other = Object.assign(new CatalogFixture(test.database), { orgId: shop.orgId });
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) =>
      adjust(products[n % 3] ?? '', { delta: 1 }, n % 2 ? shop : other),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const stocks = await Promise.all(products.map((p1) => shop.stockOf(p1)));
  expect(stocks.map(({ stock }) => stock)).toEqual([67, 67, 66]);
  for (const { stock, log_sum, last_entry } of stocks) expect([log_sum, last_entry]).toEqual([stock, stock]);
});

/** Batches of stock changes: each member has its own outcome, and all that took effect is one commit. */
describe('batches of stock changes', () => {
  beforeEach(() => {
    shop = new CatalogFixture(test.database);
  });

  const adjust = (adjustments: unknown, on = shop) => on.call(adjustInventories, { body: { adjustments } });
  const received = (p1_id: string, delta: number, more: object = {}) => ({
    p1_id,
    delta,
    reason: 'received',
    ...more,
  });

  const changesByTransaction = statement<{ changes: number }, [string[]]>(
    'spec_changes_by_transaction',
    `SELECT count(*)::int AS changes FROM catalog.stock_log WHERE p1_id = ANY($1) AND delta = 2 GROUP BY xmin::text`,
  );

  it('gives each member its own outcome, wrong ones among right ones', async () => {
    const other = new CatalogFixture(test.database);
    const [mine, scarce, theirs] = [await shop.stocked(5), await shop.stocked(1), await other.stocked(7)];
    const { status, body } = await adjust([
      received(mine, 2),
      received(theirs, 1),
      received(mine, 1.5, { surprise: 1, reason: 'whim', note: 7 }),
      { p1_id: mine, reason: 'correction' },
      null,
      { p1_id: scarce, delta: -2, reason: 'sold' },
      { p1_id: scarce, quantity: 1, reason: 'correction' },
      { p1_id: mine, quantity: 9, expected_quantity: 7, reason: 'correction' },
      { p1_id: mine, quantity: 1, expected_quantity: 7, reason: 'correction' },
    ]);
    expect(status).toBe(200);
    const refused = { status: 'error', id: null, stock_quantity: null };
    expect(body.results).toMatchObject([
      { index: 0, status: 'updated', id: expect.any(String), stock_quantity: 7 },
      { index: 1, ...refused, error: 'not_found' },
      { index: 2, ...refused, error: 'invalid_request' },
      { index: 3, ...refused, error: 'invalid_request', details: [{ field: 'delta' }] },
      { index: 4, ...refused, error: 'invalid_request' },
      { index: 5, ...refused, error: 'out_of_stock' },
      { index: 6, status: 'unchanged', id: expect.any(String), stock_quantity: 1 },
      { index: 7, status: 'updated', stock_quantity: 9 },
      { index: 8, ...refused, error: 'stale_quantity' },
    ]);
    expect(body.results[2]?.details).toHaveLength(3);
    expect(await shop.stockOf(mine)).toMatchObject({ stock: 9, log_sum: 9, log_entries: 3 });
    expect(await other.stockOf(theirs)).toMatchObject({ stock: 7, log_entries: 1 });
  });

  it('writes log entry and event of each, as the single call does, and a reference counts once', async () => {
    const p1 = await shop.stocked(1);
    const batch = [received(p1, 2, { reference: 'LS-1', note: 'Regal 3' }), received(p1, 4)];
    const { body } = await adjust(batch);
    const { body: again } = await adjust(batch.slice(0, 1));
    expect(again.results).toEqual([{ ...body.results[0], status: 'unchanged', stock_quantity: 7 }]);
    const { body: log } = await shop.call(inventoryLog, { params: { p1Id: p1 } });
    expect(log.data.slice(0, 2)).toMatchObject([
      { id: body.results[1]?.id, delta: 4, stock_after: 7 },
      {
        id: body.results[0]?.id,
        delta: 2,
        stock_after: 3,
        reference: 'LS-1',
        note: 'Regal 3',
        actor: 'key-1',
      },
    ]);
    expect(await shop.eventsOf(p1)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
  });

  it('takes 500 members, and refuses none and 501 as a whole', async () => {
    const products = await Promise.all(Array.from({ length: 20 }, () => shop.stocked(0)));
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => received(products[index % products.length] ?? '', 1));
    const { body } = await adjust(many(MAX_BATCH_MEMBERS));
    expect(new Set(body.results.map(({ id }) => id)).size).toBe(MAX_BATCH_MEMBERS);
    for (const p1 of products) expect(await shop.stockOf(p1)).toMatchObject({ stock: 25, log_sum: 25 });
    for (const members of [[], many(MAX_BATCH_MEMBERS + 1), 'stock', undefined]) {
      const answer = await adjust(members);
      expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field: 'adjustments' }] }]);
    }
  });

  it('changes 500 products in one transaction', async () => {
    const products = await shop.stockedMany(MAX_BATCH_MEMBERS, 1);
    const { status, body } = await adjust(products.map((p1) => received(p1, 2)));
    expect([status, new Set(body.results.map((result) => result.status))]).toEqual([
      200,
      new Set(['updated']),
    ]);
    const changes = await test.database.rows(changesByTransaction, products);
    expect(changes).toEqual([{ changes: MAX_BATCH_MEMBERS }]);
  });

  it('loses and doubles nothing when 50 batches race with single calls over the same products', async () => {
    const products = await Promise.all(Array.from({ length: 10 }, () => shop.stocked(0)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, round) => {
        const batch = products.map((p1) => received(p1, 1));
        const single = { body: received(products[round % products.length] ?? '', 1) };
        const [{ body }, alone] = await Promise.all([
          adjust(round % 2 ? batch.reverse() : batch),
          shop.call(adjustInventory, single),
        ]);
        return [...body.results.map(({ status }) => status), alone.status];
      }),
    );
    expect(answers).toEqual(answers.map(() => [...products.map(() => 'updated'), 200]));
    for (const p1 of products)
      expect(await shop.stockOf(p1)).toMatchObject({
        stock: 55,
        log_sum: 55,
        log_entries: 55,
        last_entry: 55,
      });
  });
});
