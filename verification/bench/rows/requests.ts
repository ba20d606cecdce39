import { UNIQUE } from '@offizin/testkit/load/job';
import type { Bench, Block } from '../bench';
import { once } from '../rounds';
import { alternating, atMost, type Row } from '../row';
import { type Size, tenantWithOrders } from '../seed/orders';
import { stockedProducts } from '../seed/products';
import {
  edge,
  ownRequestsBlock,
  pendingRequestIds,
  readBackBlock,
  requestBody,
  tenantWithOwnRequests,
  tenantWithRawRequests,
} from '../seed/requests';
import type { Tenant } from '../seed/tenants';
import { listBlock, upsertBlock } from './order-bodies';
import { orderDetails, SMALL } from './order-reads';

/**
 * The main job: a platform hands in a request, a pharmacist reads and approves it, stock moves. Rows are costs: µs of a core
 * per call of all processes together, which a busy machine moves least.
 */
const CALLERS = 16;
/** Requests per millisecond of a block: fewer than are approved, so that a block lasts about its length. */
const APPROVALS_PER_MS = 0.3;
const READABLE = 500;
const ITEMS = [{ name: 'Salbe', quantity: 2, price: 3.5 }];

export const requestRows: Row[] = [
  alternating(
    'external order 1 KB, 64 callers',
    'costUs',
    { against: 'upsert', bar: atMost(2), sizing: true },
    async (bench) => {
      const tenant = await bench.tenants.get('connector');
      const body = requestBody(UNIQUE, { note: 'x'.repeat(700) });
      return { product: edge(bench, tenant, body, 64), raw: await upsertBlock(bench, 64) };
    },
  ),
  alternating(
    `order request by the gateway, ${CALLERS} callers`,
    'costUs',
    { against: 'upsert', bar: atMost(2) },
    async (bench) => {
      const tenant = await bench.tenants.get('requests');
      const payload = { shop_id: tenant.shops[0]?.shopId, note: 'x'.repeat(700) };
      const sent: object = JSON.parse(requestBody(UNIQUE, payload)) as object;
      const product = bench.gateway([bench.api(tenant, 'POST', '/order-requests', sent)], CALLERS);
      return { product, raw: await upsertBlock(bench, CALLERS) };
    },
  ),
  alternating(
    `order-request list, ${CALLERS} callers`,
    'costUs',
    { against: 'list', bar: atMost(1.5) },
    async (bench) => {
      const [requests, orders] = [
        await tenantWithRawRequests(bench),
        await tenantWithOrders(bench, '10 thousand'),
      ];
      return {
        product: listBlock(bench, requests, { callers: CALLERS, path: '/order-requests' }),
        raw: listBlock(bench, orders, { callers: CALLERS }),
      };
    },
  ),
  alternating(
    `order-request detail, ${CALLERS} callers`,
    'costUs',
    { against: 'detail', bar: atMost(2) },
    async (bench) => {
      const tenant = await bench.tenants.get('read requests');
      const ids = await pendingRequestIds(bench, tenant, { count: READABLE, items: ITEMS });
      const requests = ids.map((id) => bench.api(tenant, 'GET', `/order-requests/${id}`));
      return { product: bench.gateway(requests, CALLERS), raw: await orderDetails(bench) };
    },
  ),
  alternating(
    `request read back by its sender, ${CALLERS} callers`,
    'costUs',
    { against: 'detail', bar: atMost(2) },
    async (bench) => {
      const tenant = await bench.tenants.get('read back');
      return {
        product: await readBackBlock(bench, tenant, READABLE, CALLERS),
        raw: await orderDetails(bench),
      };
    },
  ),
  ownRequestsRow('1 million'),
  ...approvalRows('without stock', 3, () => Promise.resolve(ITEMS)),
  ...approvalRows('with stock', 5.5, async (bench, tenant) => {
    const [p1_id] = await stockedProducts(bench, tenant, 1);
    return [{ p1_id, quantity: 1, price: 3.5 }];
  }),
];

/** A page in the middle of all that a partner has sent. */
function ownRequestsRow(size: Size): Row {
  const held = { against: 'small', bar: atMost(1.2) };
  return alternating(`own requests of ${size}, p50`, 'p50Ms', held, async (bench) => ({
    product: ownRequestsBlock(bench, await tenantWithOwnRequests(bench, size)),
    raw: ownRequestsBlock(bench, await tenantWithOwnRequests(bench, SMALL)),
  }));
}

type ItemsOf = (bench: Bench, tenant: Tenant) => Promise<object[]>;

/** Cost and p99 of the same blocks. */
function approvalRows(what: string, limit: number, itemsOf: ItemsOf): Row[] {
  const name = `approve ${what}, ${CALLERS} callers`;
  const rounds = once(async (bench: Bench) => {
    const tenant = await bench.tenants.get(`approve lines ${what}`);
    const product = approvals(bench, tenant, await itemsOf(bench, tenant));
    return bench.rounds(product, await upsertBlock(bench, CALLERS));
  });
  return [
    {
      name,
      unit: 'µs',
      bar: atMost(limit),
      against: 'upsert',
      sizing: what === 'with stock',
      run: async (bench) => bench.compared('costUs', await rounds(bench)),
    },
    {
      name: `${name}, p99`,
      unit: 'ms',
      bar: atMost(4),
      against: 'p50',
      run: async (bench) =>
        bench.summary(
          (await rounds(bench)).map(({ product: { p99Ms, p50Ms } }) => ({ product: p99Ms, raw: p50Ms })),
        ),
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
