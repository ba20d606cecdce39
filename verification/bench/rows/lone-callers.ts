import { UNIQUE } from '@offizin/testkit/load/job';
import type { Bench } from '../bench';
import { BareChain } from '../load/bare-chain';
import type { SqlJob } from '../load/raw-jobs';
import { alternating, atMost, type Blocks, type Row } from '../row';
import { tenantWithOrders } from '../seed/orders';
import { listBlock, upsertRequests } from './order-bodies';
import { orderDetails, orderIds, SMALL } from './order-reads';
import { rawUpserts } from './order-writes';
import { emptyRawTables, rawDetail, rawList, rawUpsert } from './raw-orders';

/** What one caller waits for, beside the same hops without the product. */
export const loneCallerRows: Row[] = [
  loneRow('order upsert new', rawUpsert, async (bench) => {
    const tenant = await bench.tenants.get('writes');
    const externalIds = [`new-${UNIQUE}`];
    await emptyRawTables(bench.sql);
    const product = bench.gateway(upsertRequests(bench, tenant, externalIds), 1);
    return { product, values: rawUpserts(tenant, externalIds) };
  }),
  loneRow('order list', rawList, async (bench) => {
    const tenant = await tenantWithOrders(bench, SMALL);
    return { product: listBlock(bench, tenant, { callers: 1 }), values: [[tenant.orgId]] };
  }),
  loneRow('order detail', rawDetail, async (bench) => {
    const { orgId } = await tenantWithOrders(bench, SMALL);
    return {
      product: await orderDetails(bench, 1),
      values: (await orderIds(bench)).map((id) => [orgId, id]),
    };
  }),
];

type Compared = Pick<Blocks, 'product'> & { values: unknown[][] };

function loneRow(
  name: string,
  statement: SqlJob['statement'],
  compared: (bench: Bench) => Promise<Compared>,
): Row {
  const held = { against: 'bare chain', bar: atMost(1.5) };
  return alternating(`${name}, 1 caller, p50`, 'p50Ms', held, async (bench) => {
    const { product, values } = await compared(bench);
    const chain = await BareChain.start(bench.stack, statement);
    const headers = { 'content-type': 'application/json' };
    const requests = values.map((row) => ({
      origin: chain.origin,
      method: 'POST',
      path: '/',
      headers,
      body: JSON.stringify(row),
    }));
    return {
      product,
      raw: async (extent) => bench.load.http({ callers: 1, requests, ...extent }),
      clean: () => Promise.resolve(chain.stop()),
    };
  });
}
