import type { Operation } from '@offizin/contracts/calls/operation';
import type { OffsetOnlyPagination } from '@offizin/contracts/calls/paging';
import * as api from '@offizin/contracts/reports/reports';
import { statement } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { serveInSpec } from '@offizin/operations/serve-in-spec';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import { OrderCoreFixture } from '../spec/spec-fixture';
import { ReportsHandlers } from './reports.handlers';
import { ServiceFee } from './reports.store';
import { coreSpec } from '../spec/core-spec';

/** More rows than a page may hold (guarantee G23: no list is cut silently). */
const COUNT = 450;
const MARCH = 'from=2026-03-01&to=2026-03-31';

let core: OrderCoreFixture;
let lists: ReadonlyMap<Operation, OperationHandler>;
const test = coreSpec((made) => (core = made), { isShared: true });

beforeAll(async () => {
  const fee = { serviceFeeBaseEur: '0', serviceFeePerOrderEur: '0', serviceFeePerCent: '0' };
  lists = new Map(handlersIn(new ReportsHandlers(test.database, new ServiceFee(fee))));
  await test.database.rows(insertOrders, core.orgId, core.shopId, COUNT, '2026-03-02T10:00:00Z');
  await test.database.rows(insertOrders, core.orgId, core.otherShopId, 1, '2026-04-02T10:00:00Z');
});

/** One customer and one product per order. All amounts are equal, so the last sort key decides. */
const insertOrders = statement<never, [orgId: string, shopId: string, count: number, at: string]>(
  'spec_report_orders',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, customer_name, total_amount, total_is_given,
     payment_status, status, items, created_at)
   SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), 'Customer ' || row, 1, true, 'paid', 'pending',
     jsonb_build_array(jsonb_build_object('p1_id', CASE WHEN row % 2 = 0 THEN 'P' || row END,
       'name', 'Product ' || row, 'quantity', 1, 'price', 1)), $4
   FROM generate_series(1, $3::int) AS row`,
);

interface Page {
  data: object[];
  pagination: OffsetOnlyPagination;
}

async function page(op: Operation, query: string): Promise<Page> {
  const { status, text } = await serve(op, query);
  expect({ status, text }).toMatchObject({ status: 200 });
  return JSON.parse(text) as Page;
}

async function serve(
  op: Operation,
  query: string,
  accept = 'application/json',
): Promise<{ status: number; headers: Record<string, string>; text: string }> {
  const handler = lists.get(op);
  if (!handler) throw new Error(`no handler of ${op.name}`);
  const request = { caller: core.key(), params: {}, headers: { accept }, body: undefined };
  const { body, ...answer } = await serveInSpec(op, handler, { ...request, queryString: query });
  return { ...answer, text: Buffer.from(body).toString() };
}

describe.each([api.reportTopCustomers, api.reportProductPerformance, api.reportProductSales])(
  '$name',
  (op) => {
    it.each([200, 150, 7])('returns each row once in pages of %d', async (limit) => {
      const rows: object[] = [];
      for (let offset = 0; offset < COUNT; offset += limit) {
        const { data, pagination } = await page(op, `${MARCH}&limit=${limit}&offset=${offset}`);
        expect(pagination).toEqual({ limit, offset, total: COUNT });
        expect(data).toHaveLength(Math.min(limit, COUNT - offset));
        rows.push(...data);
      }
      expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(COUNT);
    });

    it.each([COUNT, 1e6, 2 ** 60])('has an empty page and the exact total at offset %d', async (offset) => {
      expect(await page(op, `${MARCH}&offset=${BigInt(offset)}`)).toMatchObject({
        data: [],
        pagination: { limit: 50, offset, total: COUNT },
      });
    });

    it('counts only its period and its shop', async () => {
      const { data, pagination } = await page(
        op,
        `from=2026-03-01&to=2026-04-30&shop_id=${core.otherShopId}`,
      );
      expect([data.length, pagination.total]).toEqual([1, 1]);
      const none = await page(op, 'from=2026-05-01&to=2026-05-02');
      expect(none).toMatchObject({ data: [], pagination: { total: 0 } });
    });

    it.each([
      [MARCH, '_2026-03-01_2026-03-31_rows-1-50-of-450', 50],
      [`${MARCH}&limit=200&offset=400`, '_2026-03-01_2026-03-31_rows-401-450-of-450', 50],
      [`${MARCH}&offset=450`, '_2026-03-01_2026-03-31_rows-0-of-450', 0],
      ['from=2026-04-01&to=2026-04-30', '_2026-04-01_2026-04-30', 1],
    ])('as CSV for %s has a file name that ends in %s', async (query, end, rows) => {
      const { headers, text } = await serve(op, query, 'text/csv');
      expect(headers['content-disposition']).toContain(`${end}.csv"`);
      expect(text.trim().split('\r\n')).toHaveLength(1 + rows);
    });
  },
);
