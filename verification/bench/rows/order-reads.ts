import type { Bench, Block } from '../bench';
import type { Row } from '../row';
import { type Size, tenantWithOrders } from '../seed/orders';
import type { Tenant } from '../seed/tenants';
import { type ListFilter, rawDetail, rawList } from './raw-order-statements';

/** Reading orders: the list at three sizes of an organization, by filters, deep inside, by cursor; and one order. */
const SMALL: Size = '10 thousand';
const LARGE: readonly Size[] = ['1 million', '10 million'];
const FILTERS: readonly (readonly ListFilter[])[] = [[], ['status'], ['shop'], ['status', 'shop']];

export const orderReadRows: Row[] = [
  ...[SMALL, ...LARGE].flatMap(firstPageRows),
  ...LARGE.flatMap((size) => FILTERS.map((filters) => growthRow(size, filters))),
  ...LARGE.flatMap((size) => [deepRow(size), cursorRow(size)]),
  {
    name: 'order detail, 16 callers',
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.35 },
    against: 'the row by its id',
    run: async (bench) => {
      const tenant = await tenantWithOrders(bench, SMALL);
      const found = await bench.rows<{ id: string }>(
        'SELECT id FROM core.orders WHERE org_id = $1 LIMIT 1000',
        tenant.orgId,
      );
      const requests = found.map(({ id }) => bench.api(tenant, 'GET', `/orders/${id}`));
      const values = found.map(({ id }) => [tenant.orgId, id]);
      return bench.alternate(
        'perSecond',
        bench.gateway(requests, 16),
        bench.statement(rawDetail, values, 16, true),
      );
    },
  },
];

function firstPageRows(size: Size): Row[] {
  const against = 'page and kept totals in one statement, as JSON text';
  return [
    {
      name: `order list at ${size}, 1 caller, p50`,
      unit: 'ms',
      bar: { of: 'ratio', atMost: 2.2 },
      against,
      run: async (bench) => {
        const tenant = await tenantWithOrders(bench, size);
        return bench.alternate('p50Ms', listBlock(bench, tenant, 1), rawBlock(bench, tenant, 1));
      },
    },
    {
      name: `order list at ${size}, 16 callers`,
      unit: '/s',
      bar: { of: 'ratio', atLeast: 0.8 },
      against,
      run: async (bench) => {
        const tenant = await tenantWithOrders(bench, size);
        return bench.alternate('perSecond', listBlock(bench, tenant, 16), rawBlock(bench, tenant, 16));
      },
    },
  ];
}

function growthRow(size: Size, filters: readonly ListFilter[]): Row {
  const by = filters.length === 0 ? '' : ` by ${filters.join(' and ')}`;
  return {
    name: `order list growth${by}: ${size}, p50`,
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1.15 },
    against: `the same at ${SMALL}`,
    run: async (bench) => {
      const large = await tenantWithOrders(bench, size);
      const small = await tenantWithOrders(bench, SMALL);
      const block = (tenant: Tenant) => listBlock(bench, tenant, 1, filterQuery(tenant, filters));
      return bench.alternate('p50Ms', block(large), block(small));
    },
  };
}

function deepRow(size: Size): Row {
  return {
    name: `order list deep: offset 90 % of ${size}, p50`,
    unit: 'ms',
    bar: { of: 'ratio', atMost: 4 },
    against: 'its first page',
    run: async (bench) => {
      const tenant = await tenantWithOrders(bench, size);
      const [counted] = await bench.rows<{ total: string }>(
        'SELECT sum(total) AS total FROM bench_raw.totals WHERE org_id = $1',
        tenant.orgId,
      );
      const offset = Math.floor(Number(counted?.total) * 0.9);
      const deep = listBlock(bench, tenant, 1, `&offset=${offset}`);
      return bench.alternate('p50Ms', deep, listBlock(bench, tenant, 1));
    },
  };
}

function cursorRow(size: Size): Row {
  return {
    name: `order list cursor: middle of ${size}, p50`,
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1.2 },
    against: 'its first page',
    run: async (bench) => {
      const tenant = await tenantWithOrders(bench, size);
      const cursor = await cursorInTheMiddle(bench, tenant);
      const inside = listBlock(bench, tenant, 1, `&cursor=${cursor}`);
      return bench.alternate('p50Ms', inside, listBlock(bench, tenant, 1));
    },
  };
}

/** The cursor that a page of the orders before the middle of the time gives: it names a place, not the filter. */
async function cursorInTheMiddle(bench: Bench, tenant: Tenant): Promise<string> {
  const [middle] = await bench.rows<{ at: Date }>(
    `SELECT min(created_at) + (max(created_at) - min(created_at)) / 2 AS at FROM core.orders WHERE org_id = $1`,
    tenant.orgId,
  );
  const query = `created_to=${middle?.at.toISOString() ?? ''}`;
  const { pagination } = await bench.read<{ pagination: { next_cursor: string } }>(
    tenant,
    `/orders?${query}`,
  );
  return pagination.next_cursor;
}

function filterQuery(tenant: Tenant, filters: readonly ListFilter[]): string {
  const values = { status: 'status=shipped', shop: `shop_id=${tenant.shops[1]?.shopId ?? ''}` };
  return filters.map((filter) => `&${values[filter]}`).join('');
}

function listBlock(bench: Bench, tenant: Tenant, callers: number, query = ''): Block {
  return bench.gateway([bench.api(tenant, 'GET', `/orders?limit=50${query}`)], callers);
}

function rawBlock(bench: Bench, tenant: Tenant, callers: number): Block {
  return bench.statement(rawList([]), [[tenant.orgId]], callers, true);
}
