import type { Bench, Block } from '../bench';
import { alternating, atLeast, atMost, type Row } from '../row';
import { SEEDED_LOT, type Size, tenantWithOrders } from '../seed/orders';
import type { Tenant } from '../seed/tenants';
import { listBlock } from './order-bodies';
import { rawDetail, rawList } from './raw-orders';

/** Reading orders: the list of organizations of three sizes, one order, and reports over a year. */
/** `small` on the page. */
export const SMALL: Size = '10 thousand';
const LARGE: Size = '10 million';
const MAX_DETAILS = 500;
const REPORT_CALLERS = 4;
const REPORT_DAYS = 366;
const DAY_MS = 86_400_000;

type ListFilter = 'lot' | 'status' | 'shop';

export const orderReadRows: Row[] = [
  alternating(
    'order list, 16 callers',
    'perSecond',
    { against: 'statement', bar: atLeast(0.8), sizing: true },
    async (bench) => {
      const tenant = await tenantWithOrders(bench, SMALL);
      const raw = bench.statement(rawList, [[tenant.orgId]], 16, true);
      return { product: listBlock(bench, tenant, { callers: 16 }), raw };
    },
  ),
  growthRow('1 million'),
  growthRow('1 million', 'lot'),
  alternating(
    'order detail, 16 callers',
    'perSecond',
    { against: 'statement', bar: atLeast(0.35), sizing: true },
    async (bench) => {
      const { orgId } = await tenantWithOrders(bench, SMALL);
      const values = (await orderIds(bench)).map((id) => [orgId, id]);
      return { product: await orderDetails(bench), raw: bench.statement(rawDetail, values, 16, true) };
    },
  ),
  reportRow(SMALL),
  reportRow('1 million'),
];

/** Last of all: seeding so many takes minutes. */
export const largestOrderReadRows: Row[] = [
  growthRow(LARGE),
  growthRow(LARGE, 'status'),
  growthRow(LARGE, 'shop'),
  fromFirstPage(`order list, offset 90% of ${LARGE}, p50`, 4, async (bench, { orgId }) => {
    const [counted] = await bench.rows<{ total: string }>(
      'SELECT sum(total) AS total FROM bench_raw.totals WHERE org_id = $1',
      orgId,
    );
    return `&offset=${Math.floor(Number(counted?.total) * 0.9)}`;
  }),
  fromFirstPage(`order list, cursor in ${LARGE}, p50`, 1.3, cursorInTheMiddle),
  reportRow(LARGE),
];

function reportRow(size: Size): Row {
  const name = `year report, ${size} orders, ${REPORT_CALLERS} callers`;
  return alternating(name, 'costUs', { against: 'list', bar: atMost(4) }, async (bench) => {
    const tenant = await tenantWithOrders(bench, size);
    const [from, to] = [REPORT_DAYS - 1, 0].map((days) => new Date(Date.now() - days * DAY_MS));
    const days = `from=${from?.toISOString().slice(0, 10)}&to=${to?.toISOString().slice(0, 10)}`;
    const report = bench.api(tenant, 'GET', `/reports/stats?${days}`);
    const raw = listBlock(bench, tenant, { callers: REPORT_CALLERS });
    return { product: bench.gateway([report], REPORT_CALLERS), raw };
  });
}

function growthRow(size: Size, filter?: ListFilter): Row {
  const held = { against: 'small', bar: atMost(1.2) };
  const name = `order list${filter ? ` by ${filter}` : ''} of ${size}, p50`;
  return alternating(name, 'p50Ms', held, async (bench) => {
    const large = await tenantWithOrders(bench, size);
    const small = await tenantWithOrders(bench, SMALL);
    const block = (tenant: Tenant): Block =>
      listBlock(bench, tenant, { callers: 1, query: filterQuery(tenant, filter) });
    return { product: block(large), raw: block(small) };
  });
}

function filterQuery({ shops }: Tenant, filter?: ListFilter): string {
  if (!filter) return '';
  const queries = {
    lot: `&lot=${SEEDED_LOT}`,
    status: '&status=shipped',
    shop: `&shop_id=${shops[1]?.shopId ?? ''}`,
  };
  return queries[filter];
}

/** A page far inside the largest list, held against its first page. */
function fromFirstPage(
  name: string,
  limit: number,
  queryOf: (bench: Bench, tenant: Tenant) => Promise<string>,
): Row {
  return alternating(name, 'p50Ms', { against: 'first page', bar: atMost(limit) }, async (bench) => {
    const tenant = await tenantWithOrders(bench, LARGE);
    const product = listBlock(bench, tenant, { callers: 1, query: await queryOf(bench, tenant) });
    return { product, raw: listBlock(bench, tenant, { callers: 1 }) };
  });
}

/** Of the page in the middle of the list: a cursor belongs to its filters. */
async function cursorInTheMiddle(bench: Bench, tenant: Tenant): Promise<string> {
  const read = (path: string) =>
    bench.read<{ pagination: { total: number; next_cursor: string } }>(tenant, path);
  const { total } = (await read('/orders?limit=1')).pagination;
  const { pagination } = await read(`/orders?limit=1&offset=${Math.floor(total / 2)}`);
  return `&cursor=${pagination.next_cursor}`;
}

/** Details of the small organization's orders. */
export async function orderDetails(bench: Bench, callers = 16): Promise<Block> {
  const tenant = await tenantWithOrders(bench, SMALL);
  const requests = (await orderIds(bench)).map((id) => bench.api(tenant, 'GET', `/orders/${id}`));
  return bench.gateway(requests, callers);
}

export async function orderIds(bench: Bench): Promise<string[]> {
  const { orgId } = await tenantWithOrders(bench, SMALL);
  const found = await bench.rows<{ id: string }>(
    'SELECT id FROM core.orders WHERE org_id = $1 LIMIT $2',
    orgId,
    MAX_DETAILS,
  );
  return found.map(({ id }) => id);
}
