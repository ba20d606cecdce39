import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { startStack } from '@offizin/local-stack/stack';
import type { Bench, Block } from '../bench';
import { residentMb } from '../cpu-time';
import { UNIQUE } from '../load/job';
import type { Row } from '../row';
import { upsertRequests } from './order-bodies';

/** The stack as a whole: too many callers, memory, starting, replicas. They stand last. */
const CALLERS = 64;
const TOO_MANY = 3 * CALLERS;
/** Of two new processes that share them; see warm-up.ts. */
const REQUESTS_UNTIL_COMPILED = 30_000;

export const wholeStackRows: Row[] = [
  {
    name: `overload: order upsert new with ${TOO_MANY} callers`,
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.9 },
    against: `${CALLERS} callers`,
    run: async (bench) =>
      bench.alternate('perSecond', await upserts(bench, TOO_MANY), await upserts(bench, CALLERS)),
  },
  {
    name: `overload: longest wait with ${TOO_MANY} callers`,
    unit: 'ms',
    bar: { of: 'value', atMost: 1_000 },
    against: `${CALLERS} callers`,
    run: async (bench) =>
      bench.alternate('maxMs', await upserts(bench, TOO_MANY), await upserts(bench, CALLERS)),
  },
  ...appNames.map((app): Row => ({
    name: `memory of ${app} after the load`,
    unit: 'MB',
    bar: { of: 'value', atMost: app === 'webhook-worker' ? 160 : 150 },
    against: 'when it had just started',
    run: async (bench) => {
      const raw = bench.idleMemoryMb[app] ?? Number.NaN;
      const product = residentMb(bench.stack.apps[app].pid ?? 0);
      return { product, raw, ratio: product / raw };
    },
  })),
  {
    name: 'second start of the whole stack',
    unit: 's',
    bar: { of: 'value', atMost: 6 },
    against: 'the first start, on an empty folder',
    run: async (bench) => {
      const dataDir = join(bench.stack.dataDir, 'second-start');
      const start = async (fresh: boolean): Promise<number> => {
        const startedAtMs = performance.now();
        const stack = await startStack({ dataDir, ports: 'free', fresh });
        const seconds = (performance.now() - startedAtMs) / 1000;
        await stack.stop();
        return seconds;
      };
      try {
        const raw = await start(true);
        const product = await start(false);
        return { product, raw, ratio: product / raw };
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  },
  {
    name: `two replicas of gateway and order-core: order upsert new, ${CALLERS} callers`,
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.9 },
    against: 'one replica',
    run: async (bench) =>
      bench.alternate('perSecond', await withReplicas(bench), await upserts(bench, CALLERS)),
  },
];

/** Refusals are what an overloaded service should answer: they are no failure, and no success. */
async function upserts(bench: Bench, callers: number): Promise<Block> {
  const tenant = await bench.tenants.get('writes');
  const requests = upsertRequests(bench, tenant, [`new-${UNIQUE}`]);
  const ports = [bench.stack.ports.gateway];
  return async (extent) => bench.load.http({ ports, callers, requests, ...extent }, true);
}

/** The second processes run only while they are measured: one that stays takes its share of the other half's calls. */
async function withReplicas(bench: Bench): Promise<Block> {
  const tenant = await bench.tenants.get('writes');
  const requests = upsertRequests(bench, tenant, [`replicas-${UNIQUE}`]);
  return async (extent) => {
    const gateway = await bench.stack.addReplica('gateway');
    const core = await bench.stack.addReplica('order-core');
    const ports = [bench.stack.ports.gateway, gateway.port];
    try {
      await bench.load.http({ ports, callers: CALLERS, requests, count: REQUESTS_UNTIL_COMPILED });
      const cpuBefore = bench.cpuTimes();
      const result = await bench.load.http({ ports, callers: CALLERS, requests, ...extent });
      return { ...result, cpuBefore };
    } finally {
      await Promise.all([gateway.process.stop(), core.process.stop()]);
    }
  };
}
