import { testDatabase } from '@offizin/testkit/database';
import { schemaDrift } from '@offizin/pg/migrate';
import { type Database, statement } from '@offizin/pg/database';
import { webhookWorkerSchema } from './schema';

describe('the schema of the webhook worker', () => {
  let database: Database;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ database, close } = await testDatabase(webhookWorkerSchema));
  });
  afterAll(() => close());

  it('has no drift between entities and migrations', async () => {
    expect(await schemaDrift(database.dataSource)).toEqual([]);
  });

  it('reserves free space for leases in each page of deliveries', async () => {
    const options = statement<{ reloptions: string[] }, []>(
      'spec_reloptions',
      `SELECT reloptions FROM pg_class WHERE oid = 'webhooks.deliveries'::regclass`,
    );
    expect((await database.rows(options))[0]?.reloptions).toContain('fillfactor=50');
  });

  it('connects with planner settings that prevent full scans of queues', async () => {
    const setting = statement<{ enable_seqscan: string }, []>('spec_setting', 'SHOW enable_seqscan');
    expect(await database.rows(setting)).toEqual([{ enable_seqscan: 'off' }]);
  });

  it('makes delivery ids of UUID version 7 that rise with time', async () => {
    const made = statement<{ id: string }, []>(
      'spec_uuid_v7',
      'SELECT webhooks.uuid_v7() AS id FROM generate_series(1, 200)',
    );
    const before = Date.now();
    const ids = (await database.rows(made)).map(({ id }) => id);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const madeAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
      expect(Math.abs(madeAtMs - before)).toBeLessThan(10_000);
    }
    expect(new Set(ids).size).toBe(200);
  });
});
