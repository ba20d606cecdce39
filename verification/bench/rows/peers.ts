import type { Bench, Block } from '../bench';
import { UNIQUE } from '../load/job';
import type { Measured, Row } from '../row';
import { tenantWithOrders } from '../seed/orders';
import { upsertRequests } from './order-bodies';

/**
 * Shop systems in production mode with 10 thousand orders, measured once on a machine of this kind: their figures stand
 * here, ours are measured. A figure of another machine carries no bar. They compute taxes and prices of a draft order where Offizin takes the caller's totals.
 */
const VENDURE = { name: 'Vendure 3.7', listMs: 46, detailMs: 7.1, createMs: 159, createPerSecond: 9 };
const MEDUSA = { name: 'Medusa 2.21', listMs: 217, detailMs: 25.9, createMs: 128, createPerSecond: 7 };

export const peerRows: Row[] = [
  faster('order list', VENDURE.name, VENDURE.listMs, list),
  faster('order list', MEDUSA.name, MEDUSA.listMs, list),
  faster('order detail', VENDURE.name, VENDURE.detailMs, detail),
  faster('order detail', MEDUSA.name, MEDUSA.detailMs, detail),
  faster('order upsert new', MEDUSA.name, MEDUSA.createMs, async (bench) => create(bench, 1)),
  {
    name: `order upsert new, 64 callers: times as many as ${VENDURE.name}, which also computes taxes`,
    unit: '/s',
    bar: { of: 'nothing' },
    against: `${VENDURE.name}, one draft order after the other`,
    run: async (bench) => {
      const product = await bench.alone('perSecond', await create(bench, 64));
      return { product, raw: VENDURE.createPerSecond, ratio: product / VENDURE.createPerSecond };
    },
  },
];

function faster(what: string, peer: string, peerMs: number, block: (bench: Bench) => Promise<Block>): Row {
  return {
    name: `${what}, 1 caller, p50: times as fast as ${peer}`,
    unit: 'ms',
    bar: { of: 'nothing' },
    against: `${peer}, measured once`,
    run: async (bench): Promise<Measured> => {
      const product = await bench.alone(P50, await block(bench));
      return { product, raw: peerMs, ratio: peerMs / product };
    },
  };
}

const P50 = 'p50Ms';

async function list(bench: Bench): Promise<Block> {
  const tenant = await tenantWithOrders(bench, '10 thousand');
  return bench.gateway([bench.api(tenant, 'GET', '/orders?limit=50')], 1);
}

async function detail(bench: Bench): Promise<Block> {
  const tenant = await tenantWithOrders(bench, '10 thousand');
  const found = await bench.rows<{ id: string }>(
    'SELECT id FROM core.orders WHERE org_id = $1 LIMIT 1000',
    tenant.orgId,
  );
  return bench.gateway(
    found.map(({ id }) => bench.api(tenant, 'GET', `/orders/${id}`)),
    1,
  );
}

async function create(bench: Bench, callers: number): Promise<Block> {
  const tenant = await bench.tenants.get('writes');
  return bench.gateway(upsertRequests(bench, tenant, [`new-${UNIQUE}`]), callers);
}
