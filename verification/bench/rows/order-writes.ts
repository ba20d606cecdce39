import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import { UNIQUE } from '@offizin/testkit/load/job';
import type { Bench, Block } from '../bench';
import { UUID } from '../load/raw-jobs';
import { alternating, atLeast, atMost, type Blocks, type Row } from '../row';
import type { Tenant } from '../seed/tenants';
import * as bodies from './order-bodies';
import { emptyRawTables, rawPatch, rawUpsert } from './raw-orders';

/** Writing orders: a row, its history, its audit entry and its event, through the product and by a bare statement. */
type Which = 'new' | 'existing';

const BATCH_CALLERS = 2;
const UPSERTS = { against: 'statement', bar: atLeast(0.6) };

export const orderWriteRows: Row[] = [
  alternating('order upsert new, 64 callers', 'perSecond', { ...UPSERTS, sizing: true }, (bench) =>
    upsertBlocks(bench, 'new', 64),
  ),
  alternating('order upsert existing, 64 callers', 'perSecond', UPSERTS, (bench) =>
    upsertBlocks(bench, 'existing', 64),
  ),
  alternating(
    'order status patch, 64 callers',
    'perSecond',
    { against: 'statement', bar: atLeast(0.6), sizing: true },
    patchBlocks,
  ),
  alternating(
    `order of a batch of ${MAX_BATCH_MEMBERS}, ${BATCH_CALLERS} callers`,
    'costUs',
    { against: 'upsert by 64', bar: atMost(0.6) },
    async (bench) => {
      const tenant = await bench.tenants.get('writes');
      const orders = Array.from({ length: MAX_BATCH_MEMBERS }, (_, place) =>
        bodies.orderBody(tenant, `batch-${UNIQUE}-${place}`, `A-${place}`),
      );
      const batches = bench.gateway([bench.api(tenant, 'POST', '/orders/batch', { orders })], BATCH_CALLERS);
      return { product: perOrder(batches), raw: await bodies.upsertBlock(bench, 64) };
    },
  ),
];

const STORED_ITEMS = JSON.stringify(
  bodies.ITEMS.map(({ qty: quantity, ...item }) => ({ ...item, quantity })),
);
/** As long as what the product writes into history and outbox. */
const FIELDS = JSON.stringify({
  order_number: UNIQUE,
  customer_name: 'Erika Mustermann',
  items: bodies.ITEMS,
});
const EVENT = JSON.stringify({ event_type: 'order_updated', title: 'Order changed', rest: 'x'.repeat(400) });

async function upsertBlocks(bench: Bench, which: Which, callers: number): Promise<Blocks> {
  const tenant = await bench.tenants.get('writes');
  const externalIds = which === 'new' ? [`new-${UNIQUE}`] : bodies.EXISTING_IDS;
  const requests = bodies.upsertRequests(bench, tenant, externalIds);
  const values = rawUpserts(tenant, externalIds);
  await emptyRawTables(bench.sql);
  if (which === 'existing') {
    await bench.gateway(requests, 64)({ count: requests.length });
    await bench.statement(rawUpsert, values, 64)({ count: values.length });
  }
  return { product: bench.gateway(requests, callers), raw: bench.statement(rawUpsert, values, callers) };
}

export function rawUpserts(tenant: Tenant, externalIds: readonly string[]): unknown[][] {
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
  const patches = await bodies.paymentPatches(bench, tenant);
  await emptyRawTables(bench.sql);
  const values = rawUpserts(tenant, bodies.EXISTING_IDS);
  await bench.statement(rawUpsert, values, 64)({ count: values.length });
  const rawIds = await bodies.pendingOrderIds(bench, tenant, 'bench_raw');
  const rawPatches = bodies.moves(rawIds).map(({ id, to }) => [...writtenBeside(tenant), id, to]);
  return { product: bench.gateway(patches, 64), raw: bench.statement(rawPatch, rawPatches, 64) };
}

/** Counts the orders, not the calls. */
function perOrder(batches: Block): Block {
  return async (extent) => {
    const result = await batches(extent);
    const of = MAX_BATCH_MEMBERS;
    return { ...result, successes: result.successes * of, perSecond: result.perSecond * of };
  };
}
