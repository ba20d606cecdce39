import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { insertShop } from '../../people/directory/directory.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { searchOrders, searchRequests } from './search.store';
import { databaseSpec } from '../../spec/core-spec';

/** More than the newest ones that are walked. */
const ROWS = 20_000;

const fillOrders = statement<never, [string, string, number]>(
  'spec_fill_orders',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, order_number, customer_name, customer_email, total_amount,
     total_is_given, payment_status, status, items, created_at)
   SELECT gen_random_uuid(), $1, $2, 'web-' || n, 'B-' || n, 'Anna Müller-' || n, 'anna' || n || '@example.org', 1, false,
     'paid', 'completed', '[]', now() - make_interval(mins => n)
   FROM generate_series(1, $3::int) n`,
);
const fillRequests = statement<never, [string, string, number]>(
  'spec_fill_requests',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, customer_name, search_text, total_amount,
     payload_ciphertext, payload_digest, created_at)
   SELECT gen_random_uuid(), $1, $2, 'partner', 'R-' || n, 'Anna Müller-' || n, 'anna muller-' || n || E'\\nr-' || n, 1,
     repeat('x', 1500)::bytea, '\\x00', now() - make_interval(mins => n)
   FROM generate_series(1, $3::int) n`,
);
const vacuum = statement<never, []>('spec_vacuum', 'VACUUM (ANALYZE) core.orders, core.order_requests');

const test = databaseSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeAll(async () => {
  [core, other] = await Promise.all([
    OrderCoreFixture.make(test.database),
    OrderCoreFixture.make(test.database),
  ]);
  await test.database.rows(fillOrders, core.orgId, core.shopId, ROWS);
  await test.database.rows(fillRequests, core.orgId, core.shopId, ROWS);
  await test.database.rows(vacuum);
});

const orders = async (q: string, orgId = core.orgId): Promise<(string | null)[]> =>
  (await searchOrders(test.database, orgId, q)).map(({ order_number }) => order_number);
const requests = async (q: string, orgId = core.orgId): Promise<(string | null)[]> =>
  (await searchRequests(test.database, orgId, q)).map(({ external_reference }) => external_reference);

it('finds an order by the begin of number, external id, e-mail or name, the exact one first', async () => {
  expect(await orders('b-19999')).toEqual(['B-19999']);
  expect(await orders('B-17')).toEqual(['B-17', 'B-170', 'B-171', 'B-1700', 'B-1701']);
  expect(await orders('WEB-18000')).toEqual(['B-18000']);
  expect(await orders('anna18001@')).toEqual(['B-18001']);
  expect(await orders('ANNA MÜLLER-18002')).toEqual(['B-18002']);
});

it('finds a family name in the newest orders', async () => {
  expect(await orders('müller-4999')).toEqual(['B-4999']);
  expect(await orders('müller-5001')).toEqual([]);
  expect(await orders('ller-4999')).toEqual([]);
});

it('finds a part of name or reference in the newest requests, whatever case and accents', async () => {
  expect(await requests('MUELLER-42')).toEqual(['R-42', 'R-420', 'R-421', 'R-422', 'R-423']);
  expect(await requests('r-9999')).toEqual(['R-9999']);
  expect(await requests('r-10001')).toEqual([]);
});

it.each(['%', '_', '%%', 'B%17', 'B_17', '\\', 'anna\\'])('takes %j as text', async (q) => {
  expect([await orders(q), await requests(q)]).toEqual([[], []]);
});

it('finds nothing of another organization, or of a test shop', async () => {
  const shop = { id: newId(), name: 'Test', domain: `test.${other.shopId}.example`, isTest: true };
  await insertShop(test.database, other.orgId, shop);
  expect((await other.upsert('web-17', { shop_id: shop.id, order_number: 'B-17' })).status).toBe(201);
  expect([await orders('B-17', other.orgId), await requests('anna', other.orgId)]).toEqual([[], []]);
});

/** Blocks that the one statement of a search reads; unlike its time they do not depend on the machine. */
async function blocksOf(search: (sql: Sql) => Promise<unknown>): Promise<number> {
  const plans: string[] = [];
  await search({
    rows: async (asked, ...params) => {
      const explain = statement<{ 'QUERY PLAN': string }, unknown[]>(
        `plan ${newId()}`,
        `EXPLAIN (ANALYZE, BUFFERS) ${asked.text}`,
      );
      plans.push(...(await test.database.rows(explain, ...params)).map((line) => line['QUERY PLAN']));
      return test.database.rows(asked, ...params);
    },
  });
  const [first = ''] = plans.filter((line) => line.includes('Buffers:'));
  return [...first.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, blocks]) => sum + Number(blocks), 0);
}

it.each(['anna', 'B-', 'nobody', 'B-19999'])('reads a bounded number of rows for %j', async (q) => {
  expect(await blocksOf((sql) => searchOrders(sql, core.orgId, q))).toBeLessThan(2_500);
  expect(await blocksOf((sql) => searchRequests(sql, core.orgId, q))).toBeLessThan(6_000);
});
