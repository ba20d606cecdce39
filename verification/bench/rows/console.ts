import { type ClientRequest, get } from 'node:http';
import { MAX_SESSION_STREAMS } from '@offizin/contracts/console/live';
import { MAX_SESSIONS } from '@offizin/contracts/people/sessions';
import { TestPerson } from '@offizin/testkit/person';
import { accessTo, TestPlatform } from '@offizin/testkit/platform';
import type { Bench, Block } from '../bench';
import { residentMb } from '../cpu-time';
import type { HttpRequest } from '../load/job';
import { alternating, type Row } from '../row';
import { tenantWithRequests } from '../seed/requests';
import type { Tenant } from '../seed/tenants';

/** What the server answers to the console's screens, and what open consoles cost. */
const PAGE = '/review/requests?limit=200';
const MAX_DETAILS = 500;
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
const RAW_REQUEST = {
  name: 'raw_request',
  text: 'SELECT * FROM core.order_requests WHERE org_id = $1 AND id = $2',
};

export const consoleRows: Row[] = [
  alternating(
    'console: page of 200 requests, 1 caller, p50',
    'p50Ms',
    { against: 'statement', bar: { of: 'value', atMost: 10 } },
    async (bench) => {
      const tenant = await tenantWithRequests(bench);
      const raw = bench.statement(RAW_PAGE, [[tenant.orgId]], 1, true);
      return { product: await calls(bench, tenant, [PAGE]), raw };
    },
  ),
  alternating(
    'console: review of one request, 1 caller, p50',
    'p50Ms',
    { against: 'statement', bar: { of: 'nothing' } },
    async (bench) => {
      const tenant = await tenantWithRequests(bench);
      const found = await bench.rows<{ id: string }>(
        'SELECT id FROM core.order_requests WHERE org_id = $1 ORDER BY id LIMIT $2',
        ...[tenant.orgId, MAX_DETAILS],
      );
      const paths = found.map(({ id }) => `/review/requests/${id}`);
      const values = found.map(({ id }) => [tenant.orgId, id]);
      const raw = bench.statement(RAW_REQUEST, values, 1, true);
      return { product: await calls(bench, tenant, paths), raw };
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
async function calls(bench: Bench, tenant: Tenant, paths: readonly string[]): Promise<Block> {
  const sessions = await signedIn(bench, tenant, SESSIONS_OF_CALLER);
  const requests = Array.from({ length: Math.max(paths.length, sessions.length) }, (_, index) => {
    const [session, path] = [sessions[index % sessions.length], paths[index % paths.length]];
    if (!session || path === undefined) throw new Error('a caller without session or path');
    return consoleCall(session, path);
  });
  return bench.gateway(requests, 1);
}

/** A call of the console's page, below the organization. */
function consoleCall({ cookie, orgId, pageHeaders }: TestPerson, path: string): HttpRequest {
  const headers = { ...pageHeaders, cookie, accept: 'application/json' };
  return { method: 'GET', path: `/console/api/v2/public/orgs/${orgId}${path}`, headers };
}

/**
 * Sessions of pharmacists, invited and signed in as people are, and as few people as can have that many. They are made anew
 * at each run.
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
