import { v7 as uuidv7 } from 'uuid';
import { reserveStock } from '@offizin/contracts/reservations';
import { type Database, statement } from '@offizin/pg/database';
import { testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture, orderEvent } from '../spec-fixture';

/** Racing holds of an organization share transactions: each caller still has its own answer. */
const CALLERS = 200;
let shop: CatalogFixture;
let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await testDatabase(catalogSchema));
  shop = new CatalogFixture(database);
});
afterAll(() => close());

const transactions = statement<{ transactions: number; reservations: number; confirmed: number }, [string]>(
  'spec_hold_transactions',
  `SELECT count(DISTINCT r.xmin::text)::int AS transactions, count(*)::int AS reservations,
     count(*) FILTER (WHERE state = 'confirmed')::int AS confirmed
   FROM catalog.reservations r WHERE EXISTS (
     SELECT FROM catalog.reservation_lines l WHERE l.order_request_id = r.order_request_id AND l.p1_id = $1)`,
);
const refuseQuantity = statement<never, []>(
  'spec_refuse_quantity',
  `CREATE FUNCTION catalog.refuse_quantity() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END $$`,
);
const refuseQuantityOn = statement<never, []>(
  'spec_refuse_quantity_on',
  `CREATE TRIGGER refuse_quantity BEFORE INSERT ON catalog.reservation_lines FOR EACH ROW
   WHEN (new.quantity = 13) EXECUTE FUNCTION catalog.refuse_quantity()`,
);

const HELD = { status: 200, body: { held: true, short_p1_ids: [] } };

it('makes 200 racing holds of a product in a few transactions, and confirms them in a few', async () => {
  const p1 = await shop.stocked(3 * CALLERS);
  const requests = Array.from({ length: CALLERS }, () => uuidv7());
  const answers = await Promise.all(requests.map((id) => shop.reserve(id, 1, { [p1]: 2 })));
  expect(answers).toEqual(requests.map(() => HELD));
  const sums = { stock: 3 * CALLERS, reserved: 2 * CALLERS, held_by_reservations: 2 * CALLERS };
  expect(await shop.stockOf(p1)).toMatchObject(sums);
  const [made] = await database.rows(transactions, p1);
  expect(made).toMatchObject({ reservations: CALLERS, confirmed: 0 });
  expect(made?.transactions).toBeLessThan(20);

  const events = requests.map((order_request_id) =>
    orderEvent('order_created', 1, { order_id: uuidv7(), order_request_id }),
  );
  const half = CALLERS / 2;
  await shop.orderEvents.take(events.slice(0, half));
  await Promise.all([shop.orderEvents.take(events), shop.orderEvents.take(events.slice(half).reverse())]);
  const [confirmed] = await database.rows(transactions, p1);
  expect(confirmed).toMatchObject({ reservations: CALLERS, confirmed: CALLERS });
  expect(confirmed?.transactions).toBeLessThan(5);
  expect(await shop.stockOf(p1)).toMatchObject(sums);
});

it('gives the last pieces to those who came first, and each of the others its own answer', async () => {
  const [scarce, plenty] = [await shop.stocked(3), await shop.stocked(100)];
  const foreign = new CatalogFixture(database);
  const [theirs, stolen, repeated, former] = [await foreign.stocked(1), uuidv7(), uuidv7(), uuidv7()];
  await foreign.reserve(stolen, 1, { [theirs]: 1 });
  await shop.reserve(former, 2, { [scarce]: 1, [plenty]: 5 });
  const answers = await Promise.all([
    shop.reserve(uuidv7(), 1, { [scarce]: 2, [plenty]: 10 }),
    shop.reserve(uuidv7(), 1, { [scarce]: 1, [plenty]: 1 }),
    shop.reserve(stolen, 1, { [plenty]: 1 }),
    shop.reserve(former, 1, { [plenty]: 1 }),
    shop.reserve(repeated, 1, { [plenty]: 7 }),
    shop.reserve(former, 3, { [plenty]: 6 }),
    shop.reserve(uuidv7(), 1, { [scarce]: 1, nothing: 4 }),
    shop.reserve(repeated, 1, { [plenty]: 7 }),
    shop.reserve(repeated, 2, { [plenty]: 9 }),
    foreign.reserve(uuidv7(), 1, { [theirs]: 1 }),
  ]);
  const short = (id: string) => ({ status: 200, body: { held: false, short_p1_ids: [id] } });
  const refused = expect.objectContaining({ status: 409 });
  expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
    ...[HELD, short(scarce), refused, refused, HELD, HELD, short(scarce), HELD, HELD, short(theirs)],
  ]);
  expect(await shop.stockOf(scarce)).toMatchObject({ reserved: 2, held_by_reservations: 2 });
  expect(await shop.stockOf(plenty)).toMatchObject({
    reserved: 10 + 6 + 9,
    held_by_reservations: 10 + 6 + 9,
  });
});

it('fails only the hold that the database refuses', async () => {
  await database.rows(refuseQuantity);
  await database.rows(refuseQuantityOn);
  const p1 = await shop.stocked(1_000);
  const asked = Array.from({ length: 12 }, (_, n) => (n % 4 === 1 ? 13 : 2));
  const settled = await Promise.allSettled(
    asked.map((quantity) =>
      shop.call(reserveStock, {
        body: {
          org_id: shop.orgId,
          order_request_id: uuidv7(),
          attempt: 1,
          lines: [{ p1_id: p1, quantity }],
        },
      }),
    ),
  );
  const held = settled.map((each) => each.status === 'fulfilled' && each.value.status === 200);
  expect(held).toEqual(asked.map((quantity) => quantity === 2));
  expect(await shop.stockOf(p1)).toMatchObject({ reserved: 18, held_by_reservations: 18 });
});
