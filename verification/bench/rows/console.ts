import { gzipSync } from 'node:zlib';
import { hashPassword } from '../../../apps/order-core/people/staff/password';
import type { Bench, Block } from '../bench';
import { median } from '../median';
import type { Measured, Row } from '../row';
import { consoleCall, peopleOf, sessionsOf } from '../seed/people';
import { tenantWithRequests } from '../seed/requests';

/** What the server answers to the console's screens. A row names its bar. */
const PAGE = '/review/requests?limit=200';
const SIGN_INS = 10;
const MAX_DETAILS = 500;

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
  {
    name: 'console: sign-in, p50',
    unit: 'ms',
    bar: { of: 'value', atMost: 250 },
    against: 'one hash of a password at the same cost',
    run: measureSignIn,
  },
  {
    name: 'console: list page of 200 of 10,000 requests, 1 caller, p50',
    unit: 'ms',
    bar: { of: 'value', atMost: 10 },
    against: 'the rows alone by one prepared statement, as JSON text',
    run: async (bench) => {
      const tenant = await tenantWithRequests(bench);
      const raw = bench.statement(RAW_PAGE, [[tenant.orgId]], 1, true);
      return bench.alternate('p50Ms', await calls(bench, [PAGE]), raw);
    },
  },
  {
    name: 'console: list page of 200 of 10,000 requests, gzip',
    unit: 'KB',
    bar: { of: 'value', atMost: 25 },
    against: 'the same without gzip',
    run: async (bench) => {
      const [person] = await sessionsOf(bench, await tenantWithRequests(bench));
      const answer = await person?.org('GET', PAGE);
      if (answer?.status !== 200) throw new Error(`the list answered ${answer?.status ?? 'nothing'}`);
      const [product, raw] = [gzipSync(answer.body).length / 1024, answer.body.length / 1024];
      return { product, raw, ratio: product / raw };
    },
  },
  {
    name: 'console: review of one request, 1 caller, p50',
    unit: 'ms',
    bar: { of: 'nothing' },
    against: 'the row of the request by its id',
    run: async (bench) => {
      const { orgId } = await tenantWithRequests(bench);
      const found = await bench.rows<{ id: string }>(
        'SELECT id FROM core.order_requests WHERE org_id = $1 ORDER BY id LIMIT $2',
        ...[orgId, MAX_DETAILS],
      );
      const paths = found.map(({ id }) => `/review/requests/${id}`);
      const values = found.map(({ id }) => [orgId, id]);
      return bench.alternate(
        'p50Ms',
        await calls(bench, paths),
        bench.statement(RAW_REQUEST, values, 1, true),
      );
    },
  },
];

/** One caller at a time; its calls take turns with the sessions of one person. */
async function calls(bench: Bench, paths: readonly string[]): Promise<Block> {
  const sessions = await sessionsOf(bench, await tenantWithRequests(bench));
  const requests = Array.from({ length: Math.max(paths.length, sessions.length) }, (_, index) => {
    const [session, path] = [sessions[index % sessions.length], paths[index % paths.length]];
    if (!session || path === undefined) throw new Error('a caller without session or path');
    return consoleCall(session, path);
  });
  return bench.gateway(requests, 1);
}

async function measureSignIn(bench: Bench): Promise<Measured> {
  const [person] = await peopleOf(bench, await tenantWithRequests(bench), 'pharmacist', 1);
  if (!person) throw new Error('nobody was invited');
  await person.signIn();
  const pairs: { product: number; raw: number }[] = [];
  for (let round = 0; round < bench.pace.rounds; round++) {
    await bench.settle();
    const product = await medianOf(() => person.signIn());
    pairs.push({ product, raw: await medianOf(() => hashPassword('a password')) });
  }
  return bench.summary(pairs);
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  while (times.length < SIGN_INS) {
    const startedAtMs = performance.now();
    await work();
    times.push(performance.now() - startedAtMs);
  }
  return median(times);
}
