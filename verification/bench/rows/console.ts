import { type ClientRequest, get } from 'node:http';
import { MAX_SESSION_STREAMS } from '@offizin/contracts/console/live';
import { MAX_SESSIONS } from '@offizin/contracts/people/sessions';
import { TestPerson } from '@offizin/testkit/person';
import { accessTo, TestPlatform } from '@offizin/testkit/platform';
import type { Bench, Block } from '../bench';
import { residentMb } from '../cpu-time';
import { alternating, type Row } from '../row';
import { tenantWithRequests } from '../seed/requests';
import type { Tenant } from '../seed/tenants';

/** What the server answers to the console's screens, and what open consoles cost. */
const PAGE = '/review/requests?limit=200';
/** One caller would soon reach the rate limit of one session, which no bench setting lifts. */
const SESSIONS_OF_CALLER = 12;
/** Each organization may hold a quarter of a gateway's streams: together all of them. */
const ORGANIZATIONS = 4;
const SESSIONS = 62;
/** As from several pharmacies: the gateway limits the connections of one address. */
const STREAMS_PER_ADDRESS = 200;

/** The columns that the list shows of a request, without flags, total and names of its lines. */
const RAW_PAGE = {
  name: 'raw_requests',
  text: `SELECT id, status, shop_id, source, external_reference, customer_name, total_amount::float8 AS total_amount,
      order_id, created_at, updated_at, line_count, shipping_option, version
    FROM core.order_requests WHERE org_id = $1 AND status IN ('pending') ORDER BY created_at, id LIMIT 200`,
};
export const consoleRows: Row[] = [
  alternating(
    'console: page of 200 requests, 1 caller, p50',
    'p50Ms',
    { against: 'statement', bar: { of: 'value', atMost: 10 } },
    async (bench) => {
      const tenant = await tenantWithRequests(bench);
      const raw = bench.statement(RAW_PAGE, [[tenant.orgId]], 1, true);
      return { product: await pages(bench, tenant), raw };
    },
  ),
  {
    name: 'console: gateway memory with 1,000 streams',
    unit: 'MB',
    bar: { of: 'value', atMost: 150 },
    against: 'without',
    run: async (bench) => {
      const people: TestPerson[] = [];
      for (let number = 1; number <= (bench.quick ? 2 : ORGANIZATIONS); number++)
        people.push(
          ...(await signedIn(bench, await bench.tenants.get(`live ${number}`), bench.quick ? 2 : SESSIONS)),
        );
      const gateway = bench.stack.apps.gateway.pid ?? 0;
      await bench.settle();
      const raw = residentMb(gateway);
      const streams: ClientRequest[] = [];
      try {
        for (const person of people)
          for (let number = 0; number < MAX_SESSION_STREAMS; number++)
            streams.push(await openStream(bench.stack.urls.gateway, person, streams.length));
        await bench.settle();
        const product = residentMb(gateway);
        return { product, raw, ratio: product / raw, note: `${streams.length}` };
      } finally {
        for (const stream of streams) stream.destroy();
      }
    },
  },
];

/** One caller at a time; its calls take turns with a few sessions. */
async function pages(bench: Bench, tenant: Tenant): Promise<Block> {
  const sessions = await signedIn(bench, tenant, SESSIONS_OF_CALLER);
  const path = `/console/api/v2/public/orgs/${tenant.orgId}${PAGE}`;
  const requests = sessions.map(({ cookie, pageHeaders }) => {
    const headers = { ...pageHeaders, cookie, accept: 'application/json' };
    return { origin: bench.stack.urls.gateway, method: 'GET', path, headers };
  });
  return bench.gateway(requests, 1);
}

/**
 * Sessions of pharmacists, invited and signed in as people are, and as few people as can have that many. Each run
 * creates them again.
 */
async function signedIn(bench: Bench, { orgId }: Tenant, count: number): Promise<TestPerson[]> {
  const platform = await TestPlatform.connect(accessTo(bench.stack));
  const sessions: TestPerson[] = [];
  try {
    while (sessions.length * MAX_SESSIONS < count) sessions.push(await platform.person(orgId, 'pharmacist'));
  } finally {
    await platform.close();
  }
  for (const { id, email, password } of sessions) {
    if (sessions.length >= count) break;
    const again = new TestPerson(bench.stack.urls.gateway, { id, orgId, email, password });
    await again.signIn();
    sessions.push(again);
  }
  return sessions;
}

/** A console's stream as a browser holds it open. Resolves with its first bytes; what follows is read and dropped. */
async function openStream(
  baseUrl: string,
  { cookie, pageHeaders }: TestPerson,
  opened: number,
): Promise<ClientRequest> {
  const headers = { ...pageHeaders, cookie };
  const localAddress = `127.0.0.${1 + Math.floor(opened / STREAMS_PER_ADDRESS)}`;
  const request = get(`${baseUrl}/console/api/live`, { headers, agent: false, localAddress });
  await new Promise<void>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`a stream was answered ${response.statusCode}`));
      // The gateway ends the stream, or we do.
      response.on('error', () => undefined);
      response.on('data', () => resolve());
    });
  });
  request.on('error', () => undefined);
  return request;
}
