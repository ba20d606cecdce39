import { schemaDrift } from '@offizin/pg/migrate';
import { statement } from '@offizin/pg/database';
import { specDatabase } from '@offizin/testkit/database';
import { webhookWorkerSchema } from './schema';

const test = specDatabase(webhookWorkerSchema);

it('has no drift between entities and migrations', async () => {
  expect(await schemaDrift(test.database.dataSource)).toEqual([]);
});

it('makes delivery ids of UUID version 7 that rise with time', async () => {
  const made = statement<{ id: string }, []>(
    'spec_uuid_v7',
    'SELECT webhooks.uuid_v7() AS id FROM generate_series(1, 200)',
  );
  const before = Date.now();
  const ids = (await test.database.rows(made)).map(({ id }) => id);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const madeAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    expect(Math.abs(madeAtMs - before)).toBeLessThan(10_000);
  }
  expect(new Set(ids).size).toBe(200);
});
