import { Client } from 'pg';
import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { Database, statement } from './database';
import {
  createIndexConcurrently,
  migrate,
  newerMigrations,
  requireMigrations,
  schemaDrift,
  untilMigrated,
} from './migrate';

@Entity('things')
class Thing {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'things_pkey' }) id!: string;
  @Column('text') name!: string;
}

/** A migration of these statements. */
function migration(name: string, ...statements: string[]): new () => MigrationInterface {
  return class implements MigrationInterface {
    name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const text of statements) await runner.query(text);
    }

    down(): Promise<void> {
      return Promise.resolve();
    }
  };
}

const MakeThings0001 = migration(
  '0001-things',
  'SELECT pg_sleep(0.2)',
  'CREATE TABLE core.things (id uuid CONSTRAINT things_pkey PRIMARY KEY, name text NOT NULL)',
);
const MakeOthers0002 = migration('0002-others', 'CREATE TABLE core.others (id int)');
const TakeLong0002 = migration('0002-long', 'SELECT pg_sleep(6)');
const Fail0003 = migration(
  '0003-fail',
  'CREATE TABLE core.half (id int)',
  'SELECT * FROM core.no_such_table',
);
const AddNote0005 = migration('0005-note', 'ALTER TABLE core.things ADD COLUMN note text');
const Unnumbered = migration('AddColumn1700000000000');

class IndexBesideWriters0004 extends migration('0004-index', 'SELECT pg_sleep(0.5)') {
  override transaction = false;

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await createIndexConcurrently(runner, { schema: 'core', name: 'things_name', on: 'things (name)' });
  }
}

const tests: TestDatabase[] = [];
const opened: Database[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await Promise.all(tests.splice(0).map((test) => test.close()));
});

async function freshUrl(): Promise<string> {
  const test = await testDatabase({ schema: 'core', entities: [], migrations: [] });
  tests.push(test);
  return test.url;
}

async function open(databaseUrl: string, migrations: (new () => MigrationInterface)[]): Promise<Database> {
  const options = { databaseUrl, poolSize: 2, schema: 'core', applicationName: 'spec' };
  const database = await Database.connect({ ...options, entities: [Thing], migrations });
  opened.push(database);
  return database;
}

async function migrationsDone(database: Database): Promise<string[]> {
  const rows: { name: string }[] = await database.dataSource.query(
    'SELECT name FROM core.migrations ORDER BY id',
  );
  return rows.map(({ name }) => name);
}

it('runs each migration once, when several processes start concurrently', async () => {
  const url = await freshUrl();
  const replicas = await Promise.all(Array.from({ length: 4 }, () => open(url, [MakeThings0001])));
  await Promise.all(replicas.map((replica) => migrate(replica.dataSource, url)));
  for (const replica of replicas) {
    expect(await migrationsDone(replica)).toEqual(['0001-things']);
    expect(await schemaDrift(replica.dataSource)).toEqual([]);
  }
});

it('makes an index beside running writers, while other processes wait for their turn', async () => {
  const url = await freshUrl();
  const wanted = [MakeThings0001, IndexBesideWriters0004];
  const replicas = await Promise.all(Array.from({ length: 4 }, () => open(url, wanted)));
  await Promise.all(replicas.map((replica) => migrate(replica.dataSource, url)));
  for (const replica of replicas) {
    expect(await migrationsDone(replica)).toEqual(['0001-things', '0004-index']);
  }
});

describe('beside another process', () => {
  let url: string;
  let database: Database;
  let holder: Client;

  beforeEach(async () => {
    url = await freshUrl();
    database = await open(url, [MakeThings0001]);
    holder = new Client({ connectionString: url });
    await holder.connect();
    await hold('lock', 'core');
  });
  afterEach(() => holder.end());

  async function hold(verb: 'lock' | 'unlock', schema: string): Promise<void> {
    await holder.query(`SELECT pg_advisory_${verb}(7301967, hashtext($1))`, [schema]);
  }

  /** That it asks for the lock after the call. */
  async function untilItAsks(): Promise<void> {
    const requested = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                   AND query LIKE '%pg_try_advisory_lock%' AND query_start > $1`;
    const { rows } = await holder.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await eventually('the wait', async () => (await holder.query(requested, [rows[0]?.now])).rowCount === 1);
  }

  it('waits for one that migrates the same schema, not for one that migrates another', async () => {
    let isDone = false;
    const migrating = migrate(database.dataSource, url).finally(() => (isDone = true));
    await untilItAsks();
    expect(isDone).toBe(false);
    await hold('lock', 'catalog');
    await hold('unlock', 'core');
    await migrating;
    expect(await migrationsDone(database)).toEqual(['0001-things']);
  });

  describe('for a long time', () => {
    afterEach(() => jest.restoreAllMocks());

    function letPass(minutes: number): void {
      const startedAtMs = performance.now();
      const fromMs = Date.now() + minutes * 60_000;
      jest.spyOn(Date, 'now').mockImplementation(() => fromMs + performance.now() - startedAtMs);
    }

    it('waits as long as it may build two indexes', async () => {
      const migrating = migrate(database.dataSource, url);
      await untilItAsks();
      letPass(59);
      await untilItAsks();
      await hold('unlock', 'core');
      await migrating;
      expect(await migrationsDone(database)).toEqual(['0001-things']);
    });

    it('fails after an hour', async () => {
      const migrating = migrate(database.dataSource, url);
      await untilItAsks();
      letPass(61);
      await expect(migrating).rejects.toThrow(
        'Another process has been migrating the schema core for an hour.',
      );
    });
  });
});

it('does nothing the second time, and only what is new after an update', async () => {
  const url = await freshUrl();
  const before = await open(url, [MakeThings0001]);
  await migrate(before.dataSource, url);
  await migrate(before.dataSource, url);
  expect(await migrationsDone(before)).toEqual(['0001-things']);
});

it('lets a migration take longer than a statement of the service may', async () => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings0001, TakeLong0002]);
  await migrate(database.dataSource, url);
  expect(await migrationsDone(database)).toEqual(['0001-things', '0002-long']);
});

it('leaves nothing of a migration that fails, keeps those before it, and gives the lock back', async () => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings0001, Fail0003]);
  await expect(migrate(database.dataSource, url)).rejects.toThrow('core.no_such_table');
  expect(await migrationsDone(database)).toEqual(['0001-things']);
  const half: unknown[] = await database.dataSource.query(`SELECT to_regclass('core.half') AS half`);
  expect(half).toEqual([{ half: null }]);
  const mended = await open(url, [MakeThings0001]);
  await migrate(mended.dataSource, url);
});

it('tells what entities and database do not agree on', async () => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings0001]);
  await migrate(database.dataSource, url);
  await database.dataSource.query('ALTER TABLE core.things ALTER COLUMN name DROP NOT NULL');
  expect((await schemaDrift(database.dataSource)).join()).toContain('"name" SET NOT NULL');
});

it('runs no migration without a number', async () => {
  const url = await freshUrl();
  const database = await open(url, [Unnumbered]);
  await expect(migrate(database.dataSource, url)).rejects.toThrow(
    'The name of migration "AddColumn1700000000000" is not four digits, a hyphen and 1 to 8 letters.',
  );
});

/** All that a migration could change; rows with their system columns. */
async function contents(database: Database): Promise<unknown> {
  const { dataSource } = database;
  return [
    await dataSource.query(`SELECT oid, relname, relkind, relfilenode, reloptions FROM pg_class
      WHERE relnamespace = 'core'::regnamespace ORDER BY oid`),
    await dataSource.query(`SELECT attrelid, attnum, attname, atttypid FROM pg_attribute
      WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'core'::regnamespace) ORDER BY 1, 2`),
    await dataSource.query('SELECT ctid, xmin, * FROM core.migrations'),
    await dataSource.query('SELECT ctid, xmin, * FROM core.orders'),
  ];
}

it.each([
  ['one migration', ['Foundation1763720000000']],
  ['several migrations', ['Foundation1763720000000', 'Workflow1763722000000', 'ErasedById1763850000000']],
  ['migrations of numbers only', ['0001', '0002']],
  ['0001-things beside them', ['0002', '0001-things']],
])('refuses a development database that has %s, and changes nothing in it', async (_, names) => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings0001]);
  await database.dataSource.query('DROP TABLE IF EXISTS core.migrations');
  await database.dataSource.query(
    'CREATE TABLE core.migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL)',
  );
  await database.dataSource.query(
    'INSERT INTO core.migrations (timestamp, name) SELECT 1763720000000, unnest($1::text[])',
    [names],
  );
  await database.dataSource.query(`CREATE TABLE core.orders AS SELECT 1 AS id, 'kept' AS name`);
  const before = await contents(database);
  await expect(migrate(database.dataSource, url)).rejects.toThrow(
    'schema core: this database was created by an earlier development version and cannot be upgraded. ' +
      'Start with an empty database ("npm start -- --fresh" deletes the data in the local data folder).',
  );
  expect(await contents(database)).toEqual(before);
});

describe('in a database that a newer version migrated', () => {
  let url: string;
  let newer: Database;

  beforeEach(async () => {
    url = await freshUrl();
    newer = await open(url, [MakeThings0001, AddNote0005]);
    await migrate(newer.dataSource, url);
  });
  afterEach(async () => expect(await newerMigrations(newer.dataSource)).toEqual([]));

  it('changes nothing, and names the newer', async () => {
    const older = await open(url, [MakeThings0001]);
    await migrate(older.dataSource, url);
    await requireMigrations(older.dataSource);
    expect(await migrationsDone(older)).toEqual(['0001-things', '0005-note']);
    expect(await newerMigrations(older.dataSource)).toEqual(['0005-note']);
  });

  it('fails when an own migration is missing, changes nothing, and names what helps', async () => {
    const beside = await open(url, [MakeThings0001, MakeOthers0002]);
    const lacks =
      'schema core lacks the migration 0002-others, which cannot follow 0005-note of a newer version: ' +
      'run "migrate" of a version that has both';
    await expect(migrate(beside.dataSource, url)).rejects.toThrow(lacks);
    await expect(requireMigrations(beside.dataSource)).rejects.toThrow(lacks);
    expect(await migrationsDone(beside)).toEqual(['0001-things', '0005-note']);
    const both = await open(url, [MakeThings0001, MakeOthers0002, AddNote0005]);
    await migrate(both.dataSource, url);
    await requireMigrations(beside.dataSource);
    await migrate(beside.dataSource, url);
  });
});

it('names the migrations that a schema lacks, and waits until they have run', async () => {
  const url = await freshUrl();
  const waiting = await open(url, [MakeThings0001, AddNote0005]);
  let isDone = false;
  const migrated = untilMigrated(waiting.dataSource).then(() => (isDone = true));
  const lacks = (names: string): string => `schema core lacks the migration ${names}: run "migrate"`;
  await expect(requireMigrations(waiting.dataSource)).rejects.toThrow(lacks('0001-things, 0005-note'));
  await migrate((await open(url, [MakeThings0001])).dataSource, url);
  await expect(requireMigrations(waiting.dataSource)).rejects.toThrow(lacks('0005-note'));
  expect(isDone).toBe(false);
  await migrate(waiting.dataSource, url);
  await migrated;
  await requireMigrations(waiting.dataSource);
});

it('lets callers through while it waits for the lock of a long transaction, and then migrates', async () => {
  const url = await freshUrl();
  const first = await open(url, [MakeThings0001]);
  await migrate(first.dataSource, url);
  const holder = first.dataSource.createQueryRunner();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM core.things');
  const next = await open(url, [MakeThings0001, AddNote0005]);
  let isRunning = true;
  const migrating = migrate(next.dataSource, url).finally(() => (isRunning = false));
  const insert = statement<never, []>(
    'spec_insert',
    `INSERT INTO core.things (id, name) VALUES (gen_random_uuid(), 'a')`,
  );
  for (const endsAtMs = Date.now() + 5_000; Date.now() < endsAtMs;) {
    expect(isRunning).toBe(true);
    await next.rows(insert);
  }
  await holder.query('COMMIT');
  await holder.release();
  await migrating;
  expect(await migrationsDone(next)).toEqual(['0001-things', '0005-note']);
}, 20_000);
