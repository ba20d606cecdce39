import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { Database } from './database';
import { migrate, schemaDrift } from './migrate';

@Entity('things')
class Thing {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'things_pkey' }) id!: string;
  @Column('text') name!: string;
}

class MakeThings1700000000000 implements MigrationInterface {
  name = 'MakeThings1700000000000';

  async up(runner: QueryRunner): Promise<void> {
    // Long enough for a second migration to come in between, if nothing keeps it out.
    await runner.query('SELECT pg_sleep(0.2)');
    await runner.query(
      'CREATE TABLE core.things (id uuid CONSTRAINT things_pkey PRIMARY KEY, name text NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE core.things');
  }
}

class TakeLong1700000000001 implements MigrationInterface {
  name = 'TakeLong1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_sleep(6)');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class Fail1700000000002 implements MigrationInterface {
  name = 'Fail1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE core.half (id int)');
    await runner.query('SELECT * FROM core.no_such_table');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class IndexBesideWriters1700000000003 implements MigrationInterface {
  name = 'IndexBesideWriters1700000000003';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Long enough for the others to be waiting for their turn.
    await runner.query('SELECT pg_sleep(0.5)');
    await runner.query('CREATE INDEX CONCURRENTLY things_name ON core.things (name)');
  }

  down(): Promise<void> {
    return Promise.resolve();
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

it('runs each migration once, when several processes start at once', async () => {
  const url = await freshUrl();
  const replicas = await Promise.all(Array.from({ length: 4 }, () => open(url, [MakeThings1700000000000])));
  await Promise.all(replicas.map((replica) => migrate(replica.dataSource, url)));
  for (const replica of replicas) {
    expect(await migrationsDone(replica)).toEqual(['MakeThings1700000000000']);
    expect(await schemaDrift(replica.dataSource)).toEqual([]);
  }
});

it('makes an index beside running writers, while other processes wait for their turn', async () => {
  const url = await freshUrl();
  const wanted = [MakeThings1700000000000, IndexBesideWriters1700000000003];
  const replicas = await Promise.all(Array.from({ length: 4 }, () => open(url, wanted)));
  await Promise.all(replicas.map((replica) => migrate(replica.dataSource, url)));
  for (const replica of replicas) {
    expect(await migrationsDone(replica)).toEqual(wanted.map(({ name }) => name));
  }
});

it('does nothing the second time, and only what is new after an update', async () => {
  const url = await freshUrl();
  const before = await open(url, [MakeThings1700000000000]);
  await migrate(before.dataSource, url);
  await migrate(before.dataSource, url);
  expect(await migrationsDone(before)).toEqual(['MakeThings1700000000000']);
});

it('lets a migration take longer than a statement of the service may', async () => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings1700000000000, TakeLong1700000000001]);
  await migrate(database.dataSource, url);
  expect(await migrationsDone(database)).toEqual(['MakeThings1700000000000', 'TakeLong1700000000001']);
});

it('leaves nothing of a migration that fails, keeps those before it, and gives the lock back', async () => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings1700000000000, Fail1700000000002]);
  await expect(migrate(database.dataSource, url)).rejects.toThrow('core.no_such_table');
  expect(await migrationsDone(database)).toEqual(['MakeThings1700000000000']);
  const half: unknown[] = await database.dataSource.query(`SELECT to_regclass('core.half') AS half`);
  expect(half).toEqual([{ half: null }]);
  const mended = await open(url, [MakeThings1700000000000]);
  await migrate(mended.dataSource, url);
});

it('tells what entities and database do not agree on', async () => {
  const url = await freshUrl();
  const database = await open(url, [MakeThings1700000000000]);
  await migrate(database.dataSource, url);
  await database.dataSource.query('ALTER TABLE core.things ALTER COLUMN name DROP NOT NULL');
  expect((await schemaDrift(database.dataSource)).join()).toContain('"name" SET NOT NULL');
});
