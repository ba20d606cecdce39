import type {
  OrderRequestListQuery,
  OrderRequestListResponse,
} from '@offizin/contracts/requests/order-request-review';
import { ORDER_REQUEST_STATUSES } from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { walkPages } from '@offizin/testkit/walk-pages';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { inParts } from '@offizin/testkit/in-parts';
import { foldCounts } from '../../orders/counts/counts.store';
import { listRequestsJson } from './request-list.store';
import { databaseSpec } from '../../spec/core-spec';

const test = databaseSpec();
let orgId: string;
let shops: [string, string];

beforeEach(() => {
  orgId = newId();
  shops = [newId(), newId()];
});

/** Every third one belongs to the second shop; the statuses take turns. */
const fill = statement<never, [string, string, string, readonly string[], number, number, number, number]>(
  'spec_fill_request_list',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, customer_name, status, total_amount,
     payload_ciphertext, payload_digest, created_at)
   SELECT gen_random_uuid(), $1, CASE WHEN n % 3 = 0 THEN $3::uuid ELSE $2::uuid END, 'shop', 'R-' || n, 'Name ' || n,
     ($4::text[])[n % cardinality($4::text[]) + 1], n / 7.0, '', '',
     timestamptz '2026-01-01T00:00:00Z' + n * make_interval(days => $6) / $5
   FROM generate_series($7::int - 1, $8::int - 1) n`,
);

async function fillUp(count: number, days = 30): Promise<void> {
  const common = [orgId, ...shops, ORDER_REQUEST_STATUSES, count, days] as const;
  await inParts(count, (from, to) => test.database.rows(fill, ...common, from, to));
}

async function list(query: Partial<OrderRequestListQuery> = {}): Promise<OrderRequestListResponse> {
  const reads = { alone: test.database, shared: new ReadCoalescer(test.database) };
  return JSON.parse(
    await listRequestsJson(reads, orgId, { limit: 50, sort: '-created_at', ...query }),
  ) as OrderRequestListResponse;
}

async function sql<Row>(text: string): Promise<Row[]> {
  return test.database.dataSource.query(text, [orgId]);
}

/** Every pair of status and shop filter, by the counters and by count(*). */
async function expectExactTotals(): Promise<void> {
  for (const shop_id of [undefined, ...shops]) {
    for (const status of [undefined, ...ORDER_REQUEST_STATUSES]) {
      const conditions = [shop_id && ` AND shop_id = '${shop_id}'`, status && ` AND status = '${status}'`];
      const [row] = await sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM core.order_requests WHERE org_id = $1${conditions.join('')}`,
      );
      const { total } = (await list({ ...(shop_id && { shop_id }), ...(status && { status }) })).pagination;
      expect({ shop_id, status, total }).toEqual({ shop_id, status, total: row?.count });
    }
  }
}

it('has exact totals after changes by plain SQL, folded and not, and counts no other organization', async () => {
  await fillUp(300);
  await expectExactTotals();
  await sql(`UPDATE core.order_requests SET status = 'approved' WHERE org_id = $1 AND total_amount < 10`);
  await sql(`DELETE FROM core.order_requests WHERE org_id = $1 AND total_amount > 40`);
  await expectExactTotals();
  while ((await foldCounts(test.database, 7)) > 0);
  await sql(
    `UPDATE core.order_requests SET shop_id = gen_random_uuid() WHERE org_id = $1 AND total_amount < 2`,
  );
  await expectExactTotals();
  orgId = newId();
  expect((await list()).pagination.total).toBe(0);
});

it('has exact totals while 100 writers race with three processes that fold', async () => {
  await fillUp(100);
  let racing = true;
  const folding = Array.from({ length: 3 }, async () => {
    while (racing) await foldCounts(test.database, 7);
  });
  const racers = Array.from({ length: 100 }, (_, n) =>
    test.database.transaction(async (tx) => {
      await tx.rows(decide, orgId, `R-${n}`, n % 2 ? 'approved' : 'rejected');
      if (n % 5 === 0) throw new Error('taken back');
    }),
  );
  await Promise.allSettled(racers);
  racing = false;
  await Promise.all(folding);
  await expectExactTotals();
});
const decide = statement<never, [string, string, string]>(
  'spec_decide_request',
  'UPDATE core.order_requests SET status = $3 WHERE org_id = $1 AND external_reference = $2',
);

const ODD_NAMES = ['', '"', '\\', '\n\t\u0001', 'Jörg Ünal', '},\n{"id":"', '💊', 'null', null];

it.each(ODD_NAMES)('shows a request named %j as it is stored, after every change', async (name) => {
  await fillUp(1);
  const set = (values: string, ...more: unknown[]) =>
    test.database.dataSource.query(`UPDATE core.order_requests SET ${values} WHERE org_id = $1`, [
      orgId,
      ...more,
    ]);
  await set(
    'customer_name = $2, external_reference = $2, source = coalesce($2, $3), total_amount = 10.5',
    name,
    's',
  );
  const [first] = (await list()).data;
  expect(first).toMatchObject({ customer_name: name, external_reference: name, source: name ?? 's' });
  expect(first).toMatchObject({ total_amount: 10.5, order_id: null, created_at: '2026-01-01T00:00:00.000Z' });
  const orderId = newId();
  await set(`order_id = $2, status = 'approved', updated_at = '2026-02-03T04:05:06.7891Z'`, orderId);
  expect((await list()).data).toEqual([
    { ...first, order_id: orderId, status: 'approved', updated_at: '2026-02-03T04:05:06.789Z' },
  ]);
  await set('customer_name = NULL, external_reference = NULL');
  expect((await list()).data[0]).toMatchObject({ customer_name: null, external_reference: null });
});

it.each([{}, { status: 'pending' }, { shop: 1 }, { status: 'rejected', shop: 0 }] as const)(
  'gives the same rows at any offset as by cursor: %j',
  async (filter: { status?: 'pending' | 'rejected'; shop?: 0 | 1 }) => {
    await fillUp(9_000, 37);
    await foldCounts(test.database, 10_000);
    await fillUpOther();
    const { status, shop } = filter;
    const query = { ...(status && { status }), ...(shop !== undefined && { shop_id: shops[shop] }) };
    const rows = await walkPages((_, cursor) => list({ ...query, limit: 200, ...(cursor && { cursor }) }));
    const ids = rows.map(({ id }) => id);
    for (const offset of [0, 1, 700, 2_037, ids.length - 3, ids.length, ids.length + 5]) {
      const page = await list({ ...query, limit: 20, offset });
      expect(page.data.map(({ id }) => id)).toEqual(ids.slice(offset, offset + 20));
      expect(page.pagination).toMatchObject({ offset, total: ids.length });
    }
  },
  60_000,
);

/** Another organization, whose requests must not count. */
async function fillUpOther(): Promise<void> {
  const own = orgId;
  orgId = newId();
  const kept = shops;
  shops = [newId(), newId()];
  await fillUp(100);
  [orgId, shops] = [own, kept];
}
