import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportStatsResponse } from '@offizin/contracts/reports/reports';
import { queryAt } from '@offizin/local-stack/database-client';
import { databaseRoles, databaseUrl } from '@offizin/local-stack/database-roles';
import { freePort } from '@offizin/local-stack/ports';
import { type PostgresServer, startPostgres } from '@offizin/local-stack/postgres';
import { processesIn, signalPid } from '@offizin/local-stack/process-identity';
import { readOrCreateSecrets, type Secrets } from '@offizin/local-stack/secrets';
import { type Stack, startStack } from '@offizin/local-stack/stack';
import { Database, statement } from '@offizin/pg/database';
import { standbyReads, StandbyReads } from '@offizin/pg/standby-reads';
import { eventually } from '@offizin/testkit/eventually';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { http, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { accessTo, TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { checkStandby } from '../doctor/database-check';
import { backUp } from './backup';

/**
 * Lists, reports and files from a real standby (DATABASE_READ_URL), also when it lags, hangs, dies or is the wrong
 * server. Tests follow one another.
 */
interface OrderPage {
  data: { id: string; external_id: string; updated_at: string }[];
  pagination: { total: number; next_cursor: string | null };
}

const folder = mkdtempSync(join(tmpdir(), 'offizin-standby-'));
const dataDir = join(folder, 'data');
const copy = join(folder, 'copy');
let secrets: Secrets;
let stack: Stack;
let platform: TestPlatform;
let organization: TestOrganization;
let other: TestOrganization;
let port: number;
let standby: PostgresServer | undefined;
/** What the service reads with: the role of order-core, at the standby. */
let readUrl: string;

beforeAll(async () => {
  secrets = readOrCreateSecrets(dataDir);
  port = await freePort();
  const login = { user: databaseRoles['order-core'], password: secrets.databasePasswords['order-core'] };
  readUrl = databaseUrl(`postgres://127.0.0.1:${port}`, 'offizin', login);
  const extraEnv = withGenerousLimits({ 'order-core': { DATABASE_READ_URL: readUrl } });
  stack = await startStack({ dataDir, ports: 'free', extraEnv });
  platform = await TestPlatform.connect(accessTo(stack));
  [organization, other] = [await platform.organization(), await platform.organization()];
}, 120_000);
afterAll(async () => {
  await platform.close();
  await stack.stop();
  await standby?.process.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function startStandby(): Promise<void> {
  standby = await startPostgres({ dataDir: copy, adminPassword: secrets.postgresAdminPassword, port });
}

function standbyUrl(): string {
  return databaseUrl(standby?.adminUrl ?? '', 'offizin');
}

/** The replay may cancel the question. */
async function onStandby<T extends object>(text: string): Promise<T> {
  return eventually('the standby to be asked', async () => (await queryAt<T>(standbyUrl(), text))[0]);
}

/** How many reads of order-core ended so, by its metric. */
async function reads(...outcomes: string[]): Promise<number> {
  const text = (await http(`${stack.apps['order-core'].managementUrl}/metrics`)).body.toString();
  const counts = [...text.matchAll(/^offizin_standby_reads_total\{.*outcome="(\w+)".*\} (\d+)/gm)];
  const wanted = counts.filter(([, outcome = '']) => outcomes.includes(outcome));
  return wanted.reduce((sum, [, , count]) => sum + Number(count), 0);
}

async function page(query: Record<string, string>, of = organization): Promise<OrderPage> {
  const answer = await of.api('GET', `/orders?${new URLSearchParams(query).toString()}`);
  expect(answer.status).toBe(200);
  return json<OrderPage>(answer);
}

async function requestsOf(of: TestOrganization): Promise<OrderPage> {
  return json(await of.api('GET', '/order-requests'));
}

async function revenue(of = organization): Promise<number> {
  const answer = await of.api('GET', '/reports/stats');
  expect(answer.status).toBe(200);
  return json<ReportStatsResponse>(answer).data.orders.revenue;
}

async function untilTheStandbyAnswers(): Promise<void> {
  await eventually('the standby to answer', async () => {
    const before = await reads('standby');
    await page({});
    return (await reads('standby')) > before;
  });
}

/** Each order, created one after another, is in the list that is asked for next. */
async function expectNoOrderMissed(count: number): Promise<void> {
  let { total } = (await page({})).pagination;
  for (let made = 0; made < count; made++) {
    const { id, updated_at } = await organization.createOrder();
    const since = await page({ updated_since: updated_at, sort: 'updated_at' });
    expect(since.data.map((order) => order.id)).toContain(id);
    expect((await page({})).pagination.total).toBe(++total);
  }
}

async function degradedStandby(): Promise<string | undefined> {
  const { body } = await http(`${stack.apps['order-core'].managementUrl}/readyz`);
  return (JSON.parse(body.toString()) as { degraded?: { standby?: string } }).degraded?.standby;
}

it('without its standby the service starts and reads from the primary, and reports it', async () => {
  await organization.createOrder({ items: [{ name: 'Salbe', qty: 2, price: 4.5 }] });
  await other.createOrder({ items: [{ name: 'Tee', qty: 1, price: 3 }] });
  expect([await revenue(), await revenue(other)]).toEqual([9, 3]);
  expect(await reads('standby')).toBe(0);
  expect(await degradedStandby()).toMatch(/^lists and reports come from the primary: .*ECONNREFUSED/);
});

it('lists, reports and files come from the standby, to each organization its own', async () => {
  await backUp(stack, copy);
  const { port: primaryPort = 0, adminUrl = '' } = stack.postgres ?? {};
  const { password } = new URL(adminUrl);
  const conninfo = `host=127.0.0.1 port=${primaryPort} user=postgres password=${password}`;
  const settings = { primary_conninfo: conninfo, max_standby_streaming_delay: '100ms' };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(copy, 'postgres', 'postgresql.auto.conf'), lines.join(''));
  writeFileSync(join(copy, 'postgres', 'standby.signal'), '');
  await startStandby();
  await untilTheStandbyAnswers();
  expect(await degradedStandby()).toBeUndefined();
  const url = stack.databaseUrls['order-core'];
  const [, standby] = await checkStandby({ service: 'order-core', url, readUrl });
  expect(standby).toMatchObject({ outcome: 'ok', found: 'repeats the log of its primary' });

  await other.submit(orderRequest({}, { external_reference: 'of the other' }));
  // On a busy disk the standby may now and then need longer than a read waits.
  await eventually('a round without the primary', async () => {
    const before = await reads('standby');
    const [own, others] = [await page({}), await page({}, other)];
    expect([own.pagination.total, others.pagination.total]).toEqual([1, 1]);
    expect(own.data[0]?.id).not.toBe(others.data[0]?.id);
    expect([await revenue(), await revenue(other)]).toEqual([9, 3]);
    const requests = [await requestsOf(organization), await requestsOf(other)];
    expect(requests.map(({ pagination }) => pagination.total)).toEqual([0, 1]);
    const file = await organization.api('GET', '/orders', undefined, { accept: 'text/csv' });
    expect(file.body.toString().split('\n')[1]).toContain(own.data[0]?.external_id);
    return (await reads('standby')) === before + 7;
  });
  const { users } = await onStandby<{ users: string[] }>(
    `SELECT array_agg(DISTINCT usename::text) AS users FROM pg_stat_activity
     WHERE application_name = 'order-core reads'`,
  );
  expect(users).toEqual([databaseRoles['order-core']]);
});

it('an order is in the list that is asked for after it', async () => {
  const before = await reads('standby');
  await expectNoOrderMissed(20);
  expect(await reads('standby')).toBeGreaterThan(before);
});

it('nothing can be written there', async () => {
  await expect(queryAt(readUrl, `UPDATE core.orders SET order_number = 'x'`)).rejects.toThrow(/read-only/);
});

it('while the replay stands still, nothing is missed, and the primary answers', async () => {
  await onStandby('SELECT pg_wal_replay_pause()');
  const before = await reads('behind');
  await expectNoOrderMissed(10);
  expect(await reads('behind')).toBeGreaterThan(before);
  expect(await degradedStandby()).toMatch(/the standby is behind/);
  await onStandby('SELECT pg_wal_replay_resume()');
  await untilTheStandbyAnswers();
  await expectNoOrderMissed(5);
});

it('a standby that hangs is left alone until it answers again', async () => {
  const processes = processesIn(join(copy, 'postgres'));
  for (const pid of processes) signalPid(pid, 'SIGSTOP');
  try {
    await expectNoOrderMissed(5);
    expect(await degradedStandby()).toMatch(/come from the primary/);
  } finally {
    for (const pid of processes) signalPid(pid, 'SIGCONT');
  }
  await untilTheStandbyAnswers();
});

it('no read fails when the standby is killed, and it is used again afterwards', async () => {
  let stopped = false;
  const walk = async (): Promise<void> => {
    while (!stopped)
      await Promise.all([page({}), revenue(), page({ updated_since: '2020-01-01T00:00:00Z' }, other)]);
  };
  const load = Promise.all([walk(), walk(), walk(), walk()]);
  const before = { standby: await reads('standby'), resting: await reads('resting') };
  await eventually('reads under way', async () => (await reads('standby')) > before.standby + 20);
  for (const pid of processesIn(join(copy, 'postgres'))) signalPid(pid, 'SIGKILL');
  await eventually('reads that go on', async () => (await reads('resting')) > before.resting + 20);
  stopped = true;
  await load;
  expect(await reads('away', 'failed')).toBeGreaterThan(0);
  await expectNoOrderMissed(3);
  await startStandby();
  await untilTheStandbyAnswers();
}, 60_000);

describe('as the library reads', () => {
  const count = statement<{ found: number }, []>(
    'spec_count',
    'SELECT (SELECT count(*) FROM core.spec_rows)::int AS found FROM (SELECT pg_sleep(1)) waited',
  );
  const mark = uniqueTag();
  let primary: Database;

  async function connect(url: string): Promise<Database> {
    const schema = { schema: 'core', entities: [], migrations: [] };
    return Database.connect({ ...schema, databaseUrl: url, poolSize: 4, applicationName: mark });
  }

  /** The answer of one read, and how it ended. */
  async function readOnce(database: Database, url: string): Promise<[found: number | undefined, string[]]> {
    standbyReads.reset();
    const standbyOf = new StandbyReads(database, { url, poolSize: 2, applicationName: mark });
    try {
      const [row] = await standbyOf.rows(count);
      const { values } = await standbyReads.get();
      return [row?.found, values.flatMap(({ value, labels }) => (value > 0 ? [String(labels.outcome)] : []))];
    } finally {
      await standbyOf.close();
    }
  }

  beforeAll(async () => {
    primary = await connect(stack.databaseUrls['order-core']);
    await primary.dataSource.query('CREATE TABLE core.spec_rows AS SELECT generate_series(1, 7)');
  });
  afterAll(async () => {
    await primary.close();
  });

  it('a read that the replay cancels is answered by the primary', async () => {
    await eventually('the standby to have the rows', async () => {
      const [found, outcomes] = await readOnce(primary, readUrl);
      expect(found).toBe(7);
      return outcomes.includes('standby');
    });
    const reading = readOnce(primary, readUrl);
    await eventually('the standby to read', async () => {
      const found = await onStandby<{ running: number }>(
        `SELECT count(*)::int AS running FROM pg_stat_activity
         WHERE application_name = '${mark} reads' AND wait_event = 'PgSleep'`,
      );
      return found.running === 1;
    });
    await primary.dataSource.query('TRUNCATE core.spec_rows');
    expect(await reading).toEqual([0, ['failed']]);
    await primary.dataSource.query('INSERT INTO core.spec_rows SELECT generate_series(1, 5)');
  });

  it('a server that is not a standby, or one of another database, is not read', async () => {
    expect(await readOnce(primary, stack.databaseUrls['order-core'])).toEqual([5, ['unfit']]);
    expect(await readOnce(primary, databaseUrl(readUrl, 'postgres'))).toEqual([5, ['unfit']]);
  });

  it('a role that may not ask where the log is reads from the primary', async () => {
    const right = 'EXECUTE ON FUNCTION pg_control_system()';
    await queryAt(stack.adminDatabaseUrl, `REVOKE ${right} FROM PUBLIC`);
    try {
      expect(await readOnce(primary, readUrl)).toEqual([5, ['failed']]);
    } finally {
      await queryAt(stack.adminDatabaseUrl, `GRANT ${right} TO PUBLIC`);
    }
  });

  it('after a failover, the server that was left behind is not read, however long its log is', async () => {
    await queryAt(standbyUrl(), 'SELECT pg_promote()');
    const promoted = await connect(readUrl);
    await promoted.dataSource.query('DELETE FROM core.spec_rows');
    // The old primary writes a longer log than the new one, and then becomes a standby without a primary.
    await queryAt(
      stack.adminDatabaseUrl,
      'SELECT pg_switch_wal()',
      'INSERT INTO core.spec_rows VALUES (8)',
      'SELECT pg_switch_wal()',
    );
    await stack.postgres?.process.stop();
    writeFileSync(join(dataDir, 'postgres', 'standby.signal'), '');
    await stack.postgres?.process.start();
    await stack.postgres?.process.ready();
    expect(await readOnce(promoted, stack.databaseUrls['order-core'])).toEqual([0, ['unfit']]);
    await promoted.close();
  }, 60_000);
});
