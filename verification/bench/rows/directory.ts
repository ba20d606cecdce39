import { connectBus } from '@offizin/bus/connection';
import { openBucket } from '@offizin/bus/key-value';
import type { ApiKeyRow } from '@offizin/contracts/people/directory';
import { DIRECTORY_BUCKET } from '@offizin/directory/records';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import type { Bench } from '../bench';
import { median, once } from '../rounds';
import { atMost, type Measured, type Row } from '../row';
import { inFolder, inStack } from './whole-stack';

/** A platform of this size: each organization with two shops and seven keys. */
const ORGANIZATIONS = 10_000;
const QUICK_ORGANIZATIONS = 200;
const RECORDS = 10 * ORGANIZATIONS;
const NEW_KEYS = 40;
const KEY_LIMIT_MS = 10_000;
/** The next comparison, then the writing. */
const PROJECTED_LIMIT_MS = 180_000;

const sizes = once(async (bench: Bench) =>
  inFolder(bench, 'directory', async (dataDir) =>
    inStack(dataDir, bench, async (started) => {
      const small = await figures(started);
      await fill(started);
      return { small, large: await figures(started) };
    }),
  ),
);

export const directoryRows: Row[] = [
  {
    name: `directory of ${RECORDS} records: a new key until its first token, p50`,
    unit: 'ms',
    bar: atMost(1.5),
    against: 'of 10',
    run: async (bench) => compared(await sizes(bench), 'keyMs'),
  },
  {
    name: `directory of ${RECORDS} records: start of a gateway`,
    unit: 's',
    bar: { of: 'value', atMost: 10 },
    against: 'of 10',
    run: async (bench) => compared(await sizes(bench), 'startS'),
  },
];

interface Figures {
  keyMs: number;
  startS: number;
}

function compared({ small, large }: { small: Figures; large: Figures }, figure: keyof Figures): Measured {
  const [product, raw] = [large[figure], small[figure]];
  return { product, raw, ratio: product / raw };
}

async function figures(bench: Bench): Promise<Figures> {
  const keyMs = await newKeyMs(bench);
  const startedAtMs = performance.now();
  await bench.stack.addReplica('gateway');
  return { keyMs, startS: (performance.now() - startedAtMs) / 1000 };
}

async function newKeyMs(bench: Bench): Promise<number> {
  const tenant = await bench.tenants.get('directory');
  const { path, headers } = bench.api(tenant, 'POST', '/api-keys', {});
  const { gateway } = bench.stack.urls;
  const times: number[] = [];
  for (let number = 0; number < NEW_KEYS; number++) {
    const startedAtMs = performance.now();
    const body = { name: `key ${number}`, kind: 'org', scopes: [] };
    const made = json<ApiKeyRow & { api_key: string }>(
      await http(`${gateway}${path}`, { method: 'POST', headers, body }),
    );
    const exchange = { method: 'POST', body: { api_key: made.api_key } };
    while ((await http(`${gateway}/auth/token`, exchange)).status !== 200)
      if (performance.now() - startedAtMs > KEY_LIMIT_MS) throw new Error('a new key gets no token');
    times.push(performance.now() - startedAtMs);
    await http(`${gateway}${path}/${made.id}`, { method: 'DELETE', headers });
  }
  return median(times);
}

async function fill({ stack, quick, sql }: Bench): Promise<void> {
  const organizations = quick ? QUICK_ORGANIZATIONS : ORGANIZATIONS;
  await sql.query(
    `WITH made AS (
       INSERT INTO core.organizations (id, name) SELECT gen_random_uuid(), 'Pharmacy ' || n FROM generate_series(1, $1::int) n
       RETURNING id
     ), shops AS (
       INSERT INTO core.shops (id, org_id, name, domain)
       SELECT gen_random_uuid(), id, 'Shop ' || n, n || '.' || id || '.example' FROM made, generate_series(1, 2) n
     )
     INSERT INTO core.api_keys (id, org_id, name, kind, hash, scopes)
     SELECT gen_random_uuid(), id, 'Key ' || n, 'org', encode(sha256((n || id::text)::bytea), 'hex'),
            '{orders.read,orders.write}' FROM made, generate_series(1, 7) n`,
    [organizations],
  );
  const { url, user = '', password = '' } = stack.natsOperator;
  const connection = await connectBus({
    natsUrl: url,
    natsUser: user,
    natsPassword: password,
    name: 'operator',
  });
  try {
    const bucket = await openBucket(connection, DIRECTORY_BUCKET);
    const isProjected = async (): Promise<boolean> => (await bucket.status()).values > 10 * organizations;
    await eventually('all records in the bucket', isProjected, PROJECTED_LIMIT_MS);
  } finally {
    await connection.close();
  }
}
