import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '@offizin/local-stack/stack';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { Bench } from '../bench';
import type { Row } from '../row';
import { type Size, SIZES, tenantWithOrders } from '../seed/orders';
import { Tenants } from '../seed/tenants';
import { costRow, upsertBlock } from './cost-row';

/** Reports over a year, and a process that has just started. */
const REPORT_CALLERS = 4;
const REPORT_DAYS = 366;
const DAY_MS = 86_400_000;
const FIRST_CALLS = 200;

export const mainJobServiceRows: Row[] = [
  ...(Object.keys(SIZES) as Size[]).map((size) =>
    costRow(
      `report stats over a year at ${size} orders, ${REPORT_CALLERS} callers`,
      { against: 'a page of the order list', atMost: 4 },
      async (bench) => {
        const tenant = await tenantWithOrders(bench, size);
        const to = new Date();
        const from = new Date(to.getTime() - (REPORT_DAYS - 1) * DAY_MS);
        const days = `from=${from.toISOString().slice(0, 10)}&to=${to.toISOString().slice(0, 10)}`;
        const block = (path: string) => bench.gateway([bench.api(tenant, 'GET', path)], REPORT_CALLERS);
        return { product: block(`/reports/stats?${days}`), raw: block('/orders?limit=50') };
      },
    ),
  ),
  {
    name: `the first ${FIRST_CALLS} calls of a started stack, order upsert new, 1 caller, p50`,
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1.5 },
    against: 'the same when warm',
    run: async (bench) => {
      const dataDir = join(bench.stack.dataDir, 'first-calls');
      try {
        // The organization is made before: a stack that is started anew has only to serve it.
        if (!bench.quick)
          await inStack(dataDir, bench, async (tenants) => {
            await tenants.get('writes');
          });
        const pairs: { product: number; raw: number }[] = [];
        for (let round = 0; round < bench.pace.rounds; round++)
          await inStack(dataDir, bench, async (tenants, started) => {
            pairs.push(await firstAndWarm(tenants, started));
          });
        return bench.summary(pairs);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  },
];

async function firstAndWarm(tenants: Tenants, started: Bench): Promise<{ product: number; raw: number }> {
  await tenants.get('writes');
  const block = await upsertBlock(started, 1);
  const first = await block({ count: FIRST_CALLS });
  await started.warmUp(block);
  const warm = await block({ count: FIRST_CALLS });
  return { product: first.p50Ms, raw: warm.p50Ms };
}

/** A stack of its own, started anew. */
async function inStack(
  dataDir: string,
  { quick, seedLimitMs, pace }: Bench,
  work: (tenants: Tenants, started: Bench) => Promise<void>,
): Promise<void> {
  const stack = await startStack({ dataDir, ports: 'free', extraEnv: withGenerousLimits() });
  const tenants = new Tenants(stack);
  const started = new Bench(stack, tenants, pace, { quick, seedLimitMs });
  try {
    await work(tenants, started);
  } finally {
    await started.close();
    await stack.stop();
  }
}
