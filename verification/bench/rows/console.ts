import { MAX_SESSION_STREAMS } from '@offizin/contracts/console/live';
import { MAX_SESSIONS } from '@offizin/contracts/people/sessions';
import { LiveStream } from '@offizin/testkit/live-stream';
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
      const streams: LiveStream[] = [];
      try {
        for (const person of people) streams.push(...(await streamsOf(person, streams.length)));
        await bench.settle();
        const product = residentMb(gateway);
        return { product, raw, ratio: product / raw, note: `${streams.length}` };
      } finally {
        for (const stream of streams) stream.close();
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

/** As many as a session may have. `opened` streams are open before. */
async function streamsOf(person: TestPerson, opened: number): Promise<LiveStream[]> {
  const places = Array.from({ length: MAX_SESSION_STREAMS }, (_, n) => opened + n);
  const open = (place: number): Promise<LiveStream> =>
    LiveStream.open(person, person.baseUrl, `127.0.0.${1 + Math.floor(place / STREAMS_PER_ADDRESS)}`);
  return Promise.all(places.map(open));
}
