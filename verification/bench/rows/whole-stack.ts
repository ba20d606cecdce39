import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { startStack } from '@offizin/local-stack/stack';
import { UNIQUE } from '@offizin/testkit/load/job';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { Bench, type Block } from '../bench';
import { residentMb } from '../cpu-time';
import { once } from '../rounds';
import type { Measured } from '../measured';
import { atLeast, atMost, type Row } from '../row';
import { Tenants } from '../seed/tenants';
import { upsertBlock, upsertRequests } from './order-bodies';

/** The stack as a whole: too many callers, memory, starting. Memory is read after all other load. */
const CALLERS = 64;
const TOO_MANY = 3 * CALLERS;
const FIRST_CALLS = 200;

const overload = once(async (bench: Bench) =>
  bench.rounds(await upserts(bench, TOO_MANY), await upserts(bench, CALLERS)),
);

export const wholeStackRows: Row[] = [
  {
    name: `overload: order upsert new, ${TOO_MANY} callers`,
    unit: '/s',
    bar: atLeast(0.9),
    against: `by ${CALLERS}`,
    run: async (bench) => bench.compared('perSecond', await overload(bench)),
  },
  {
    name: `overload: longest wait, ${TOO_MANY} callers`,
    unit: 'ms',
    bar: { of: 'value', atMost: 1_000 },
    against: `by ${CALLERS}`,
    run: async (bench) => bench.compared('maxMs', await overload(bench)),
  },
  {
    name: 'largest growth of memory',
    unit: 'MB',
    bar: atMost(1.3),
    against: 'at start',
    run: (bench) => Promise.resolve(memoryAfterLoad(bench)),
  },
  {
    name: 'second start of the stack',
    unit: 's',
    bar: { of: 'value', atMost: 6 },
    against: 'first',
    run: async (bench) =>
      inFolder(bench, 'second-start', async (dataDir) => {
        const start = async (fresh: boolean): Promise<number> => {
          const startedAtMs = performance.now();
          const stack = await startStack({ dataDir, ports: 'free', fresh });
          const seconds = (performance.now() - startedAtMs) / 1000;
          await stack.stop();
          return seconds;
        };
        const raw = await start(true);
        const product = await start(false);
        return { product, raw, ratio: product / raw };
      }),
  },
  {
    name: `first ${FIRST_CALLS} upserts of a started stack, 1 caller, p50`,
    unit: 'ms',
    bar: atMost(1.5),
    against: 'warm',
    run: async (bench) =>
      inFolder(bench, 'first-calls', async (dataDir) => {
        // The organization is made before: a stack that is restarted has only to serve it.
        if (!bench.quick) await inStack(dataDir, bench, (started) => started.tenants.get('writes'));
        const pairs: { product: number; raw: number }[] = [];
        for (let round = 0; round < bench.pace.rounds; round++)
          pairs.push(await inStack(dataDir, bench, firstAndWarm));
        return bench.summary(pairs);
      }),
  },
];

/** An overloaded service should refuse with Retry-After: that is neither a failure nor a success. */
const DONE_OR_REFUSED = /^(2\d\d|429|503)$/;

async function upserts(bench: Bench, callers: number): Promise<Block> {
  const tenant = await bench.tenants.get('writes');
  const requests = upsertRequests(bench, tenant, [`new-${UNIQUE}`]);
  return async (extent) => bench.load.http({ callers, requests, ...extent }, DONE_OR_REFUSED);
}

function memoryAfterLoad({ stack, idleMemoryMb }: Bench): Measured {
  const grown = appNames.map((app) => {
    const raw = idleMemoryMb[app] ?? Number.NaN;
    const product = residentMb(stack.apps[app].pid ?? 0);
    return { product, raw, ratio: product / raw, note: app };
  });
  return grown.reduce((most, one) => (one.ratio > most.ratio ? one : most));
}

async function firstAndWarm(started: Bench): Promise<{ product: number; raw: number }> {
  await started.tenants.get('writes');
  const block = await upsertBlock(started, 1);
  const first = await block({ count: FIRST_CALLS });
  await started.warmUp(block);
  const warm = await block({ count: FIRST_CALLS });
  return { product: first.p50Ms, raw: warm.p50Ms };
}

/** With an empty data folder, which is removed afterwards. */
export async function inFolder<T>(
  { stack }: Bench,
  name: string,
  work: (dataDir: string) => Promise<T>,
): Promise<T> {
  const dataDir = join(stack.dataDir, name);
  rmSync(dataDir, { recursive: true, force: true });
  try {
    return await work(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** With a separate stack, which is started for the work. */
export async function inStack<T>(
  dataDir: string,
  { quick, pace }: Bench,
  work: (started: Bench) => Promise<T>,
): Promise<T> {
  const stack = await startStack({ dataDir, ports: 'free', extraEnv: withGenerousLimits() });
  const started = new Bench(stack, new Tenants(stack), pace, quick);
  try {
    return await work(started);
  } finally {
    await started.close();
    await stack.stop();
  }
}
