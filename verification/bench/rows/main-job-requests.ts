import type { Bench, Block } from '../bench';
import { UNIQUE } from '../load/job';
import type { Row } from '../row';
import { pendingRequestIds, tenantWithOrderRequests } from '../seed/main-job-requests';
import { type Size, tenantWithOrders } from '../seed/orders';
import { stockedProduct } from '../seed/products';
import type { Tenant } from '../seed/tenants';
import { costRow, upsertBlock } from './cost-row';
import { edge, requestBody } from './order-request-bodies';

/** Order requests: handed in, listed, read and approved. */
const CALLERS = 16;
/** Requests per millisecond of a block: fewer than are approved, so that a block lasts about its length. */
const APPROVALS_PER_MS = 0.3;
const READABLE = 500;

export const mainJobRequestRows: Row[] = [
  costRow(
    'external order 1 KB, 64 callers',
    { against: 'order upsert new, 64 callers', atMost: 2 },
    async (bench) => {
      const tenant = await bench.tenants.get('connector');
      const body = requestBody(UNIQUE, { note: 'x'.repeat(700) });
      return { product: edge(bench, tenant, body, 64), raw: await upsertBlock(bench, 64) };
    },
  ),
  costRow(
    `order request by the gateway, ${CALLERS} callers`,
    { against: `order upsert new, ${CALLERS} callers`, atMost: 2 },
    async (bench) => {
      const tenant = await bench.tenants.get('requests');
      const payload = { shop_id: tenant.shops[0]?.shopId, note: 'x'.repeat(700) };
      const sent: object = JSON.parse(requestBody(UNIQUE, payload)) as object;
      const product = bench.gateway([bench.api(tenant, 'POST', '/order-requests', sent)], CALLERS);
      return { product, raw: await upsertBlock(bench, CALLERS) };
    },
  ),
  costRow(
    `order-request list, ${CALLERS} callers`,
    { against: `order list, ${CALLERS} callers`, atMost: 1.5 },
    async (bench) => ({
      product: await requestList(bench, '10 thousand', CALLERS),
      raw: listBlock(bench, await tenantWithOrders(bench, '10 thousand'), '/orders', CALLERS),
    }),
  ),
  {
    name: 'order-request list growth: 1 million, p50',
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1.15 },
    against: 'the same at 10 thousand',
    run: async (bench) => {
      const large = await requestList(bench, '1 million', 1);
      return bench.alternate('p50Ms', large, await requestList(bench, '10 thousand', 1));
    },
  },
  costRow(
    `order-request detail, ${CALLERS} callers`,
    { against: `order detail, ${CALLERS} callers`, atMost: 2 },
    async (bench) => {
      const tenant = await bench.tenants.get('read requests');
      const items = [{ name: 'Salbe', quantity: 2, price: 3.5 }];
      const ids = await pendingRequestIds(bench, tenant, { count: READABLE, items });
      return {
        product: readBlock(bench, tenant, '/order-requests', ids),
        raw: await orderDetails(bench),
      };
    },
  ),
  ...approvalRows('lines without stock', 3, () =>
    Promise.resolve([{ name: 'Salbe', quantity: 2, price: 3.5 }]),
  ),
  ...approvalRows('lines with stock', 6, async (bench, tenant) => [
    { p1_id: await stockedProduct(bench, tenant), quantity: 1, price: 3.5 },
  ]),
];

type ItemsOf = (bench: Bench, tenant: Tenant) => Promise<object[]>;

function approvalRows(what: string, atMost: number, itemsOf: ItemsOf): Row[] {
  const name = `approve, ${what}, ${CALLERS} callers`;
  const block = async (bench: Bench): Promise<Block> => {
    const tenant = await bench.tenants.get(`approve ${what}`);
    return approvals(bench, tenant, await itemsOf(bench, tenant));
  };
  return [
    costRow(name, { against: `order upsert new, ${CALLERS} callers`, atMost }, async (bench) => ({
      product: await block(bench),
      raw: await upsertBlock(bench, CALLERS),
    })),
    {
      name: `${name}, p99`,
      unit: 'ms',
      bar: { of: 'ratio', atMost: 4 },
      against: 'its p50',
      run: async (bench) => {
        const product = await block(bench);
        await bench.warmUp(product);
        const pairs: { product: number; raw: number }[] = [];
        for (let round = 0; round < bench.pace.rounds; round++) {
          const { p50Ms, p99Ms } = await product({ durationMs: bench.pace.blockMs });
          pairs.push({ product: p99Ms, raw: p50Ms });
        }
        return bench.summary(pairs);
      },
    },
  ];
}

/** Each block first hands in what it approves. */
function approvals(bench: Bench, tenant: Tenant, items: readonly object[]): Block {
  return async (extent) => {
    const count = 'count' in extent ? extent.count : Math.ceil(extent.durationMs * APPROVALS_PER_MS);
    const ids = await pendingRequestIds(bench, tenant, { count, items });
    const requests = ids.map((id) => bench.api(tenant, 'POST', `/order-requests/${id}/approve`, {}));
    await bench.settle();
    const cpuBefore = bench.cpuTimes();
    const result = await bench.gateway(requests, CALLERS)({ count: requests.length });
    return { ...result, cpuBefore };
  };
}

async function requestList(bench: Bench, size: Size, callers: number): Promise<Block> {
  return listBlock(bench, await tenantWithOrderRequests(bench, size), '/order-requests', callers);
}

function listBlock(bench: Bench, tenant: Tenant, path: string, callers: number): Block {
  return bench.gateway([bench.api(tenant, 'GET', `${path}?limit=50`)], callers);
}

async function orderDetails(bench: Bench): Promise<Block> {
  const tenant = await tenantWithOrders(bench, '10 thousand');
  const found = await bench.rows<{ id: string }>(
    'SELECT id FROM core.orders WHERE org_id = $1 LIMIT $2',
    ...[tenant.orgId, READABLE],
  );
  const ids = found.map(({ id }) => id);
  return readBlock(bench, tenant, '/orders', ids);
}

function readBlock(bench: Bench, tenant: Tenant, path: string, ids: readonly string[]): Block {
  const requests = ids.map((id) => bench.api(tenant, 'GET', `${path}/${id}`));
  return bench.gateway(requests, CALLERS);
}
