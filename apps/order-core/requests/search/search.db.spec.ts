import { randomBytes } from 'node:crypto';
import { ReviewListQuery } from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { searchFolded } from '@offizin/pg/search-words';
import { inParts } from '@offizin/testkit/in-parts';
import { countByStatus, listPipelineRows } from '../../orders/pipeline/pipeline.store';
import { insertShop } from '../../people/directory/organizations.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { lineWords } from '../intake/line-words';
import { ExpiryRule } from '../review/decision';
import { countReviews, listReviewRows } from '../review/review-list.store';
import { writeOrderWords } from './order-words.store';
import { searchOrders, searchRequests } from './search.store';
import { databaseSpec } from '../../spec/core-spec';

/** Of each kind; `npm test` is to be quick. The plans are the same for 100,000. */
const ROWS = 10_000;
const NAMES = ['Anna Mu\u0308ller', 'Jörg Weiß-Łąka', 'Renée Straßer', 'Ömer Yılmaz', 'Zoë de Groot'];

type Filled = [orgId: string, shopId: string, names: string[], from: number, to: number];
const fillOrders = statement<never, Filled>(
  'spec_fill_orders',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, order_number, customer_name, customer_email, total_amount,
     total_is_given, payment_status, status, items, created_at)
   SELECT (lpad(to_hex(1700000000000 - n), 12, '0') || '7000a000' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'web-' || n,
     'B-' || n, ($3::text[])[1 + n % 5] || ' ' || n, 'kunde' || n || '@example.org', 1, false, 'paid',
     CASE WHEN n % 2 = 0 THEN 'completed' ELSE 'pending' END,
     jsonb_build_array(jsonb_build_object('name', CASE WHEN n % 100 = 0 THEN 'Bedrocan 22/1' ELSE 'Wundsalbe' END)),
     now() - make_interval(mins => n)
   FROM generate_series($4::int, $5::int) n`,
);
const fillRequests = statement<never, [...Filled, string, string]>(
  'spec_fill_requests',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, status, customer_name, line_words,
     total_amount, payload_ciphertext, payload_digest, created_at)
   SELECT (lpad(to_hex(1700000000000 - n), 12, '0') || '7000b000' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'partner',
     'tele-2026-' || lpad(n::text, 6, '0'), CASE WHEN n % 3 = 0 THEN 'approved' ELSE 'pending' END,
     ($3::text[])[1 + n % 5] || ' ' || n, CASE WHEN n % 100 = 0 THEN $6 ELSE $7 END, 1, repeat('x', 1500)::bytea, '\\x00',
     now() - make_interval(mins => n)
   FROM generate_series($4::int, $5::int) n`,
);
const vacuum = statement<never, []>(
  'spec_vacuum',
  'VACUUM (ANALYZE) core.orders, core.order_requests, core.order_words, core.order_request_words',
);

const test = databaseSpec();
const key = randomBytes(32);
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeAll(async () => {
  [core, other] = await Promise.all([
    OrderCoreFixture.make(test.database),
    OrderCoreFixture.make(test.database),
  ]);
  const [rare, usual] = [lineWords(key, ['Bedrocan 22/1', 'Öl']), lineWords(key, ['Vaporizer'])];
  await inParts(ROWS, async (from, to) => {
    const filled = [core.orgId, core.shopId, NAMES, from, to] as const;
    await test.database.rows(fillOrders, ...filled);
    await test.database.rows(fillRequests, ...filled, rare, usual);
  });
  while ((await writeOrderWords(test.database)) > 0);
  await test.database.rows(vacuum);
});

const orders = async (q: string, orgId = core.orgId): Promise<(string | null)[]> =>
  (await searchOrders(test.database, orgId, q)).map(({ order_number }) => order_number);
const requests = async (q: string, orgId = core.orgId): Promise<number[]> =>
  (await searchRequests(test.database, { orgId, key }, q)).map(({ external_reference }) =>
    Number(external_reference?.split('-').at(-1)),
  );

/** Each finds the row 8640, whose customer is Anna Müller. */
it.each([
  'Müller 8640',
  'Mu\u0308ller 8640',
  'MUELLER 8640',
  'muller 8640',
  'mull 864 anna',
  '8640 Müller, Anna',
])('finds words anywhere in a name, in each form: %j', async (q) => {
  expect([await orders(q), await requests(q)]).toEqual([
    expect.arrayContaining(['B-8640']),
    expect.arrayContaining([8640]),
  ]);
});

it.each(['laka 8641', 'Łąka 8641', 'weiss 8641', 'weiß-łąka 8641'])(
  'finds the later part of a double name: %j',
  async (q) => {
    expect([await orders(q), await requests(q)]).toEqual([['B-8641'], [8641]]);
  },
);

it('finds any part of a number, the exact one first', async () => {
  expect((await orders('b-19')).slice(0, 2)).toEqual(['B-19', 'B-190']);
  expect(await orders('WEB-9000')).toEqual(['B-9000']);
  expect(await orders('kunde9001@')).toEqual(['B-9001']);
  expect(await orders('-9002')).toEqual(['B-9002']);
  expect(await requests('2026-009003')).toEqual([9003]);
  expect(await requests('09004')).toEqual([9004]);
});

it('finds a product by the beginning of its words, also where the lines are encrypted', async () => {
  for (const q of ['bedro', 'Bedrocan 22/1', '22/1 BEDROCAN'])
    expect([await orders(q), await requests(q)]).toEqual([
      ['B-100', 'B-200', 'B-300', 'B-400', 'B-500'],
      [100, 200, 300, 400, 500],
    ]);
  expect(await requests('oel')).toEqual([100, 200, 300, 400, 500]);
  expect(await requests('edrocan')).toEqual([]);
});

it.each(['%', '_', '%%', 'B%17', 'B_17', '\\', 'anna\\', "'", '":*', '&', ' , '])(
  'takes %j as text',
  async (q) => {
    expect([await orders(q), await requests(q)]).toEqual([[], []]);
  },
);

it('finds what is new or changed before its words are written, and after that', async () => {
  const { id } = (await core.upsert('fresh', { customer_name: 'Xaver Neumond' })).body;
  const found = async (q: string): Promise<unknown> => {
    const listed = await listPipelineRows(test.database, core.orgId, { sort: 'newest', limit: 5, q });
    return [listed.total, (await searchOrders(test.database, core.orgId, q)).length];
  };
  expect([await found('neumond'), await found('xav')]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(await writeOrderWords(test.database)).toBe(1);
  expect(await found('neumond')).toEqual([1, 1]);
  await core.update(id, { customer_name: 'Xaver Altmond' });
  expect([await found('neumond'), await found('altmond')]).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect([await writeOrderWords(test.database), await writeOrderWords(test.database)]).toEqual([1, 0]);
  expect([await found('neumond'), await found('altmond')]).toEqual([
    [0, 0],
    [1, 1],
  ]);
  const line = { price: 1, name: 'Kamillentee' };
  for (const [items, written] of [
    [[{ ...line, qty: 1 }], 1],
    [[{ ...line, qty: 2 }], 0],
    [[{ ...line, qty: 2, name: 'Pfefferminztee' }], 1],
  ] as const) {
    await core.update(id, { items });
    expect(await writeOrderWords(test.database)).toBe(written);
  }
  expect([await found('kamille'), await found('pfeffer')]).toEqual([
    [0, 0],
    [1, 1],
  ]);
});

it('finds nothing of another organization, or of a test shop', async () => {
  const shop = { id: newId(), name: 'Test', domain: `test.${other.shopId}.example`, isTest: true };
  await insertShop(test.database, other.orgId, shop);
  expect((await other.upsert('web-17', { shop_id: shop.id, order_number: 'B-17' })).status).toBe(201);
  expect([await orders('B-17', other.orgId), await requests('anna', other.orgId)]).toEqual([[], []]);
});

const park = statement<never, [string]>(
  'spec_park',
  `UPDATE core.order_requests SET parked_until = now() + interval '1 day'
   WHERE org_id = $1 AND external_reference IN ('tele-2026-000100', 'tele-2026-000101')`,
);
const ofRequests = () => ({
  orgId: core.orgId,
  actorId: newId(),
  key,
  expiry: new ExpiryRule(30),
  fourEyes: false,
});
const requestList = (q: string) =>
  Object.assign(new ReviewListQuery(), { sort: 'newest', tab: 'decided', limit: 5, q });

it('gives the lists and the counts of their tabs the same answers', async () => {
  const list = { sort: 'newest', limit: 5, q: 'bedrocan' } as const;
  const { data, total } = await listPipelineRows(test.database, core.orgId, list);
  expect(data.map(({ order_number }) => order_number)).toEqual(await orders('bedrocan'));
  const counts = await countByStatus(test.database, core.orgId, { q: 'bedrocan' });
  expect([total, counts.completed, counts.pending]).toEqual([100, 100, 0]);
  const found = await listReviewRows(test.database, ofRequests(), requestList('bedrocan'));
  await test.database.rows(park, core.orgId);
  const ofTabs = await countReviews(test.database, ofRequests(), { q: 'bedrocan' });
  const parked = { parked: 1, due_at: expect.any(String) as string };
  expect(ofTabs).toEqual({ open: 66, second_look: 0, ...parked, asked: 0, decided: found.total });
  expect(found.total).toBe(33);
});

it.each([...NAMES, 'GROẞ Kjær Øst ÆŒ Þór', 'Ａnna\t \u00a0', 'Ελένη ΜΆΡΙΟΣ ς', 'Юрий ЁЖ', '22/1', 'ﬁn'])(
  'folds %j in the database as in the query',
  async (text) => {
    const [row] = await test.database.rows(folded, text);
    expect(row?.folded.split(' ').filter(Boolean)).toEqual(searchFolded(text).split(' '));
  },
);
const folded = statement<{ folded: string }, [string]>(
  'spec_folded',
  'SELECT core.search_folded($1) AS folded',
);

/** Lines of the plan of each statement. */
async function planOf(search: (sql: Sql) => Promise<unknown>): Promise<string[]> {
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
  return plans;
}

/** Unlike the time, they do not depend on the machine. */
function blocksOf(plan: readonly string[]): number {
  const [first = ''] = plan.filter((line) => line.includes('Buffers:'));
  return [...first.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, blocks]) => sum + Number(blocks), 0);
}

it.each(['anna', 'B-', 'nobody', 'B-9999', 'bedrocan', 'salbe'])(
  'reads a bounded number of rows for %j',
  async (q) => {
    const ofOrders = await planOf((sql) => searchOrders(sql, core.orgId, q));
    const requested = await planOf((sql) => searchRequests(sql, { orgId: core.orgId, key }, q));
    expect([blocksOf(ofOrders), blocksOf(requested)].map((blocks) => blocks < 2_500)).toEqual([true, true]);
  },
);

it.each(['bedrocan', 'Müller 8640', 'b-8640'])(
  'the lists and counts find %j by the index, without a scan',
  async (q) => {
    const plans = await Promise.all([
      planOf((sql) => listPipelineRows(sql, core.orgId, { sort: 'newest', limit: 5, q })),
      planOf((sql) => countByStatus(sql, core.orgId, { q })),
      planOf((sql) => listReviewRows(sql, ofRequests(), requestList(q))),
      planOf((sql) => countReviews(sql, ofRequests(), { q })),
    ]);
    for (const plan of plans) {
      expect(plan.join('\n')).toMatch(/on order_(request_)?words_words/);
      expect(plan.filter((line) => line.includes('Seq Scan'))).toEqual([]);
      expect(blocksOf(plan)).toBeLessThan(2_500);
    }
  },
);
