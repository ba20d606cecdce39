import type { ApiKeyRow } from '@offizin/contracts/people/directory';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import type { Bench } from '../bench';
import type { Measured } from '../measured';
import { atMost, type Row } from '../row';
import { median, once } from '../rounds';
import { inFolder, inStack } from './whole-stack';

/** A directory of this size against one of a few records: what every edge and order-core hold in memory. */
const ORGANIZATIONS = 10_000;
const QUICK_ORGANIZATIONS = 200;
/** Each organization has two shops and seven keys. */
const RECORDS_EACH = 10;
const NEW_KEYS = 40;
/** The next comparison of the directory, then the writing. */
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
    name: 'directory of 100,000 records: a new key until its first token, 1',
    unit: 'ms',
    bar: atMost(1.5),
    against: 'small',
    run: async (bench) => compared(await sizes(bench), 'keyMs'),
  },
  {
    name: 'directory of 100,000 records: start of a gateway',
    unit: 's',
    bar: { of: 'value', atMost: 10 },
    against: 'small',
    run: async (bench) => compared(await sizes(bench), 'startS'),
  },
];

type Figures = Record<'keyMs' | 'startS', number>;

function compared({ small, large }: Record<'small' | 'large', Figures>, figure: keyof Figures): Measured {
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
  const { path, headers } = bench.api(await bench.tenants.get('directory'), 'POST', '/api-keys', {});
  const { gateway } = bench.stack.urls;
  const times: number[] = [];
  for (let number = 0; number < NEW_KEYS; number++) {
    const startedAtMs = performance.now();
    const body = { name: `key ${number}`, kind: 'org', scopes: [] };
    const made = json<ApiKeyRow & { api_key: string }>(
      await http(`${gateway}${path}`, { method: 'POST', headers, body }),
    );
    const exchange = { method: 'POST', body: { api_key: made.api_key } };
    const hasToken = async (): Promise<boolean> =>
      (await http(`${gateway}/auth/token`, exchange)).status === 200;
    while (!(await hasToken()));
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
  const held = async (): Promise<number> => {
    const { body } = await http(`${stack.apps.gateway.managementUrl}/metrics`);
    return Number(/^offizin_directory_records\S* (\d+)$/m.exec(body.toString())?.[1]);
  };
  const isHeld = async (): Promise<boolean> => (await held()) > RECORDS_EACH * organizations;
  await eventually('all records in the gateway', isHeld, PROJECTED_LIMIT_MS);
}
