import { attachProduct, overrideProduct } from '@offizin/contracts/products';
import { type Database, statement } from '@offizin/pg/database';
import { testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

/** Racing overrides of a product share transactions: each caller still has its own answer, and no merge is lost. */
const CALLERS = 200;
let shop: CatalogFixture;
let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await testDatabase(catalogSchema));
  shop = new CatalogFixture(database);
});
afterAll(() => close());

async function attached(at = shop.shopId): Promise<string> {
  const p1_id = await shop.stocked(1);
  const { status } = await shop.call(attachProduct, { body: { shop_id: at, p1_id } });
  expect(status).toBe(201);
  return p1_id;
}

const override = (p1_id: string, overrides: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  shop.call(overrideProduct, { body: { shop_id: shop.shopId, p1_id, overrides, mode: 'merge', ...rest } });

const told = statement<{ transactions: number; events: number; records: number }, [string, string]>(
  'spec_told_of_overrides',
  `SELECT count(DISTINCT xmin::text)::int AS transactions,
     count(*) FILTER (WHERE topic = 'plain')::int AS events,
     count(*) FILTER (WHERE topic = 'audit')::int AS records
   FROM catalog.outbox WHERE aggregate_id IN ($1, 'audit:' || $1) AND org_id = $2 AND event_type <> 'product_attached'`,
);

it('applies 200 racing merges once each, in a few transactions, with numbered events', async () => {
  const p1 = await attached();
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) => override(p1, { price: n + 1, own: { [`key${n}`]: n } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const shownPrices = answers.map(({ body }) => [body.overrides['price'], body.product.price]);
  expect(shownPrices).toEqual(answers.map((_, n) => [n + 1, n + 1]));
  expect(Object.keys(answers[CALLERS - 1]?.body.overrides['own'] ?? {})).toHaveLength(CALLERS);
  const [row] = await database.rows(told, `shop-product:${shop.shopId}:${p1}`, shop.orgId);
  // The record of the attachment is one more.
  expect(row).toMatchObject({ events: CALLERS, records: CALLERS + 1 });
  expect(row?.transactions).toBeLessThan(20);
  const events = (await shop.eventsOf(p1)).filter(({ aggregate_id }) => aggregate_id.includes(shop.shopId));
  expect(events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: CALLERS + 1 }, (_, n) => n + 1),
  );
});

it('gives each its own answer or refusal, in order of arrival', async () => {
  const [one, other] = [await attached(), await attached()];
  const elsewhere = await attached(shop.otherShopId);
  const large = 'x'.repeat(10_000);
  const answers = await Promise.all([
    override(one, { note: large }),
    override(elsewhere, { price: 1 }),
    override(one, { further: large }),
    override(other, { price: 2 }),
    override(other, { price: 'two' }),
    override(one, { price: 3 }, { mode: 'replace' }),
    override(one, { price: 3 }),
    override('nothing', { price: 3 }),
    override(one, { further: 'fits' }),
  ]);
  const outcomes = answers.map(({ status, body }) => (status === 200 ? body.overrides : body));
  expect(outcomes).toMatchObject([
    { note: large },
    { error: 'not_found' },
    { error: 'invalid_request' },
    { price: 2 },
    { error: 'invalid_request' },
    { price: 3 },
    { price: 3 },
    { error: 'not_found' },
    { price: 3, further: 'fits' },
  ]);
  expect(answers[5]?.body.overrides).toEqual({ price: 3 });
  const { body } = await override(one, {});
  expect(body.overrides).toEqual({ price: 3, further: 'fits' });
  const events = (await shop.eventsOf(one)).filter(({ event_type }) => event_type === 'product_updated');
  expect(events.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
});
