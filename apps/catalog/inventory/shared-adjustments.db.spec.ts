import { adjustInventory } from '@offizin/contracts/inventory';
import { type Database, statement } from '@offizin/pg/database';
import { testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

/** Racing adjustments of a product share transactions: each caller still has its own answer and its own trace. */
const CALLERS = 200;
let shop: CatalogFixture;
let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await testDatabase(catalogSchema));
  shop = new CatalogFixture(database);
});
afterAll(() => close());

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
  expect(await database.rows(auditOf, p1)).toHaveLength(CALLERS);
  const [shared] = await database.rows(transactionsOf, p1);
  expect(shared?.changes).toBe(entries);
  expect(shared?.transactions).toBeLessThan(20);
});

it('gives the last pieces to those who came first, and each of the others its own refusal', async () => {
  const [scarce, plenty] = [await shop.stocked(3), await shop.stocked(100)];
  const foreign = new CatalogFixture(database);
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
  const told = answers.map(({ status, body }) => (status === 200 ? body.stock_quantity : body));
  expect(told).toMatchObject([
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
  await database.rows(refuseNote);
  await database.rows(refuseNoteOn);
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
  const other = Object.assign(new CatalogFixture(database), { orgId: shop.orgId });
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
