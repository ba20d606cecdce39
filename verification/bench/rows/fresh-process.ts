import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack, type Stack } from '@offizin/local-stack/stack';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import type { Bench } from '../bench';
import { type HttpRequest, UNIQUE } from '../load/job';
import type { Row } from '../row';
import { type Tenant, Tenants } from '../seed/tenants';
import { upsertRequests } from './order-bodies';
import { edgeRequest, requestBody } from './order-request-bodies';

/** The first calls of a stack that has just become ready, held against the same calls once it is warm. */
const FIRST_CALLS = 200;

type Port = 'gateway' | 'connector-edge';
type RequestOf = (bench: Bench, tenant: Tenant) => HttpRequest;

export const freshProcessRows: Row[] = [
  freshRow('order upsert new', 'gateway', (bench, tenant) => {
    const [request] = upsertRequests(bench, tenant, [`fresh-${UNIQUE}`]);
    if (!request) throw new Error('no request');
    return request;
  }),
  freshRow('order list', 'gateway', (bench, tenant) => bench.api(tenant, 'GET', '/orders?limit=50')),
  freshRow('external order 1 KB', 'connector-edge', (_bench, tenant) =>
    edgeRequest(tenant, requestBody(UNIQUE, { note: 'x'.repeat(700) })),
  ),
];

function freshRow(call: string, port: Port, requestOf: RequestOf): Row {
  return {
    name: `fresh process: ${call}, 1 caller, p50 of the first ${FIRST_CALLS} calls`,
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1.5 },
    against: 'the same, warm',
    run: async (bench) => {
      const dataDir = join(bench.stack.dataDir, 'fresh-process');
      const options = { dataDir, ports: 'free', extraEnv: withGenerousLimits() } as const;
      const load = async (stack: Stack, tenant: Tenant, extent: { count: number } | { durationMs: number }) =>
        bench.load.http({
          ports: [stack.ports[port]],
          callers: 1,
          requests: [requestOf(bench, tenant)],
          ...extent,
        });
      const pairs: { product: number; raw: number }[] = [];
      try {
        await withStack({ ...options, fresh: true }, async (stack, tenant) => {
          // The load process must be warm itself.
          await bench.warmUp((extent) => load(stack, tenant, extent));
        });
        for (let round = 0; round < bench.pace.rounds; round++)
          await withStack(options, async (stack, tenant) => {
            const { p50Ms: product } = await load(stack, tenant, { count: FIRST_CALLS });
            await bench.warmUp((extent) => load(stack, tenant, extent));
            pairs.push({ product, raw: (await load(stack, tenant, { count: FIRST_CALLS })).p50Ms });
          });
        return bench.summary(pairs);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

async function withStack(
  options: Parameters<typeof startStack>[0],
  work: (stack: Stack, tenant: Tenant) => Promise<void>,
): Promise<void> {
  const stack = await startStack(options);
  try {
    await work(stack, await new Tenants(stack).get('fresh'));
  } finally {
    await stack.stop();
  }
}
