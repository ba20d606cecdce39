import type { Bench, Block } from '../bench';
import { UNIQUE, UUID } from '../load/job';
import type { Row } from '../row';
import { emptyRawTables } from '../seed/raw-tables';
import type { Tenant } from '../seed/tenants';
import { EXISTING_IDS, ITEMS, moves, paymentPatches, pendingOrderIds, upsertRequests } from './order-bodies';
import { rawPatch, rawUpsert } from './raw-order-statements';

/** Writing orders: a row, its history, its audit entry and its event, through the product and by a bare statement. */
type Which = 'new' | 'existing';

export const orderWriteRows: Row[] = [
  ...(['new', 'existing'] as const).flatMap((which): Row[] => [
    {
      name: `order upsert ${which}, 64 callers`,
      unit: '/s',
      bar: { of: 'ratio', atLeast: 0.7 },
      against: 'the same rows by one prepared statement',
      run: async (bench) => {
        const { product, raw } = await upsertBlocks(bench, which, 64);
        return bench.alternate('perSecond', product, raw);
      },
    },
    {
      name: `order upsert ${which}, 1 caller, p50`,
      unit: 'ms',
      bar: { of: 'ratio', atMost: 5 },
      against: 'the same rows by one prepared statement',
      run: async (bench) => {
        const { product, raw } = await upsertBlocks(bench, which, 1);
        return bench.alternate('p50Ms', product, raw);
      },
    },
  ]),
  {
    name: 'order status patch, 64 callers',
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.6 },
    against: 'one guarded update with the same rows',
    run: async (bench) => {
      const { product, raw } = await patchBlocks(bench);
      return bench.alternate('perSecond', product, raw);
    },
  },
];

const STORED_ITEMS = JSON.stringify(ITEMS.map(({ qty: quantity, ...item }) => ({ ...item, quantity })));
/** As long as what the product writes into history and outbox. */
const FIELDS = JSON.stringify({ order_number: UNIQUE, customer_name: 'Erika Mustermann', items: ITEMS });
const EVENT = JSON.stringify({ event_type: 'order_updated', title: 'Order changed', rest: 'x'.repeat(400) });

interface Blocks {
  product: Block;
  raw: Block;
}

async function upsertBlocks(bench: Bench, which: Which, callers: number): Promise<Blocks> {
  const tenant = await bench.tenants.get('writes');
  const externalIds = which === 'new' ? [`new-${UNIQUE}`] : EXISTING_IDS;
  const requests = upsertRequests(bench, tenant, externalIds);
  const values = rawUpserts(tenant, externalIds);
  await emptyRawTables(bench.sql);
  if (which === 'existing') {
    await bench.gateway(requests, 64)({ count: requests.length });
    await bench.statement(rawUpsert, values, 64)({ count: values.length });
  }
  return { product: bench.gateway(requests, callers), raw: bench.statement(rawUpsert, values, callers) };
}

function rawUpserts(tenant: Tenant, externalIds: readonly string[]): unknown[][] {
  const shopId = tenant.shops[0]?.shopId;
  return externalIds.map((externalId) => {
    const order = [UUID, shopId, externalId, `A-${UNIQUE}`, STORED_ITEMS];
    return [...writtenBeside(tenant), ...order];
  });
}

/** The first five parameters of each raw write. */
function writtenBeside({ orgId }: Tenant): unknown[] {
  return [orgId, UUID, FIELDS, UUID, EVENT];
}

async function patchBlocks(bench: Bench): Promise<Blocks> {
  const tenant = await bench.tenants.get('writes');
  const patches = await paymentPatches(bench, tenant);
  await emptyRawTables(bench.sql);
  const values = rawUpserts(tenant, EXISTING_IDS);
  await bench.statement(rawUpsert, values, 64)({ count: values.length });
  const rawIds = await pendingOrderIds(bench, tenant, 'bench_raw');
  const rawPatches = moves(rawIds).map(({ id, to }) => [...writtenBeside(tenant), id, to]);
  return { product: bench.gateway(patches, 64), raw: bench.statement(rawPatch, rawPatches, 64) };
}
