import type { Bench, Block } from '../bench';
import { type HttpRequest, UNIQUE, UUID } from '../load/job';
import type { Row } from '../row';
import { emptyRawTables } from '../seed/raw-tables';
import type { Tenant } from '../seed/tenants';
import { rawPatch, rawUpsert } from './raw-order-statements';

/** Writing orders: a row, its history, its audit entry and its event, through the product and by a bare statement. */
type Which = 'new' | 'existing';

export const orderWriteRows: Row[] = [
  ...(['new', 'existing'] as const).flatMap((which): Row[] => [
    {
      name: `order upsert ${which}, 64 callers`,
      unit: '/s',
      bar: { of: 'ratio', atLeast: 0.8 },
      against: 'the same rows by one prepared statement',
      run: async (bench) => {
        const { product, raw } = await upsertBlocks(bench, which, 64);
        return bench.alternate('perSecond', product, raw);
      },
    },
    {
      name: `order upsert ${which}, 1 caller, p50`,
      unit: 'ms',
      bar: { of: 'ratio', atMost: 4 },
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

/** Orders that are written again and again; many more than callers, so that no two wait for one row. */
const EXISTING = 2_000;
const ITEMS = [1, 2, 3].map((qty) => ({ name: `Artikel ${qty}`, qty, price: 4.95, p1_id: `P1-1000${qty}` }));
const STORED_ITEMS = JSON.stringify(ITEMS.map(({ qty: quantity, ...item }) => ({ ...item, quantity })));
/** As long as what the product writes into history and outbox. */
const FIELDS = JSON.stringify({ order_number: UNIQUE, customer_name: 'Erika Mustermann', items: ITEMS });
const EVENT = JSON.stringify({ event_type: 'order_updated', title: 'Order changed', rest: 'x'.repeat(400) });

interface Blocks {
  product: Block;
  raw: Block;
}

async function upsertBlocks(bench: Bench, which: Which, callers: number): Promise<Blocks> {
  const { requests, values } = await upserts(bench, which);
  await emptyRawTables(bench.sql);
  if (which === 'existing') await makeExisting(bench, requests, values);
  return { product: bench.gateway(requests, callers), raw: bench.statement(rawUpsert, values, callers) };
}

async function upserts(
  bench: Bench,
  which: Which,
): Promise<{ tenant: Tenant; requests: HttpRequest[]; values: unknown[][] }> {
  const tenant = await bench.tenants.get('writes');
  const shopId = tenant.shops[0]?.shopId;
  const ids = Array.from({ length: EXISTING }, (_, number) => `existing-${number}`);
  const externalIds = which === 'new' ? [`new-${UNIQUE}`] : ids;
  return {
    tenant,
    requests: externalIds.map((external_id) =>
      bench.api(tenant, 'POST', '/orders', {
        ...{ shop_id: shopId, external_id, order_number: `A-${UNIQUE}`, items: ITEMS },
        ...{ customer_name: 'Erika Mustermann', customer_email: 'erika@example.org' },
        ...{ address_street: 'Hauptstraße 1', address_city: 'Köln', address_postal_code: '50667' },
      }),
    ),
    values: externalIds.map((externalId) => {
      const order = [UUID, shopId, externalId, `A-${UNIQUE}`, STORED_ITEMS];
      return [...writtenBeside(tenant), ...order];
    }),
  };
}

/** The first five parameters of each raw write. */
function writtenBeside({ orgId }: Tenant): unknown[] {
  return [orgId, UUID, FIELDS, UUID, EVENT];
}

/** Each of the orders once, at the product and among the raw tables. */
async function makeExisting(bench: Bench, requests: HttpRequest[], values: unknown[][]): Promise<void> {
  await bench.gateway(requests, 64)({ count: requests.length });
  await bench.statement(rawUpsert, values, 64)({ count: values.length });
}

async function patchBlocks(bench: Bench): Promise<Blocks> {
  const { tenant, requests, values } = await upserts(bench, 'existing');
  await emptyRawTables(bench.sql);
  await makeExisting(bench, requests, values);
  const ids = async (schema: 'core' | 'bench_raw'): Promise<string[]> => {
    const found = await bench.rows<{ id: string }>(
      `UPDATE ${schema}.orders SET payment_status = 'pending' WHERE org_id = $1 AND external_id LIKE 'existing-%'
       RETURNING id`,
      tenant.orgId,
    );
    return found.map(({ id }) => id);
  };
  // All become paid, then all pending again: every patch changes its order.
  const moves = (all: string[]) => ['paid', 'pending'].flatMap((to) => all.map((id) => ({ id, to })));
  const patches = moves(await ids('core')).map(({ id, to }) =>
    bench.api(tenant, 'PATCH', `/orders/${id}/status`, { payment_status: to }),
  );
  const rawPatches = moves(await ids('bench_raw')).map(({ id, to }) => [...writtenBeside(tenant), id, to]);
  return { product: bench.gateway(patches, 64), raw: bench.statement(rawPatch, rawPatches, 64) };
}
