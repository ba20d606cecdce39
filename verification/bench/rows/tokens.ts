import { http, json } from '@offizin/testkit/http';
import type { Bench } from '../bench';
import type { HttpRequest } from '../load/job';
import type { Row } from '../row';
import type { Tenant } from '../seed/tenants';

/** Tokens: making them, and what it costs to check one that was seen before. */
const TOKENS = 300;

export const tokenRows: Row[] = [
  {
    name: 'token exchange, 16 callers',
    unit: '/s',
    bar: { of: 'nothing' },
    against: 'ES256 signatures of one core',
    run: async (bench) => {
      const tenant = await bench.tenants.get('writes');
      const requests = [{ method: 'POST', path: '/auth/token', headers: { 'x-api-key': tenant.apiKey } }];
      return bench.alternate('perSecond', bench.gateway(requests, 16), async (extent) =>
        bench.load.sign({ callers: 1, ...extent }),
      );
    },
  },
  {
    name: 'token verified again, p50 of a call without database',
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1 },
    against: 'the same with a token that was never seen',
    run: async (bench) => {
      const tenant = await bench.tenants.get('writes');
      const pairs: { again: number; first: number }[] = [];
      for (let round = 0; round < bench.pace.rounds; round++) {
        const block = bench.gateway(await requestsWithNewTokens(bench, tenant), 1);
        await bench.settle();
        const first = await block({ count: TOKENS });
        const again = await block({ count: TOKENS });
        pairs.push({ first: first.p50Ms, again: again.p50Ms });
      }
      return bench.summary(pairs.map(({ again, first }) => ({ product: again, raw: first })));
    },
  },
  {
    name: 'call without database, 64 callers',
    unit: '/s',
    bar: { of: 'nothing' },
    against: 'nothing: gateway, broker and service alone',
    run: async (bench) => {
      const tenant = await bench.tenants.get('writes');
      const block = bench.gateway([callWithoutDatabase(bench, tenant)], 64);
      await bench.warmUp(block);
      const before = bench.cpuTimes();
      const { perSecond: product, successes } = await block({ durationMs: bench.pace.blockMs });
      return { product, raw: null, ratio: null, cpu: bench.cpuPerRequest(before, successes) };
    },
  },
];

/** The kinds of events: a constant of the webhook-worker. */
function callWithoutDatabase(bench: Bench, tenant: Tenant): HttpRequest {
  return bench.api(tenant, 'GET', '/webhook-event-types');
}

async function requestsWithNewTokens(bench: Bench, tenant: Tenant): Promise<HttpRequest[]> {
  const tokens: string[] = [];
  while (tokens.length < TOKENS) {
    const answer = await http(`${bench.stack.urls.gateway}/auth/token`, {
      method: 'POST',
      body: { api_key: tenant.apiKey },
    });
    tokens.push(json<{ access_token: string }>(answer).access_token);
  }
  return tokens.map((token) => callWithoutDatabase(bench, { ...tenant, token }));
}
