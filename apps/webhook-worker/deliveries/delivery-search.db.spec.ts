import { DeliverySearchQuery } from '@offizin/contracts/webhook-health';
import { Database, type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { withQueuePlans } from '../db/queue-plans';
import { webhookWorkerSchema } from '../db/schema';
import { findDeliveries } from './delivery-search.store';

/** Plans of the search, with the settings that the service has. */
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await testDatabase(webhookWorkerSchema);
  database = await Database.connect({
    ...webhookWorkerSchema,
    ...{ databaseUrl: withQueuePlans(test.url), poolSize: 1, applicationName: 'test' },
  });
});
afterAll(async () => {
  await database.close();
  await test.close();
});

async function planOf(query: Partial<DeliverySearchQuery>): Promise<string> {
  let text = '';
  const asked: Sql = {
    rows: (search, ..._values) => {
      ({ text } = search);
      return Promise.resolve([]);
    },
  };
  await findDeliveries(asked, newId(), Object.assign(new DeliverySearchQuery(), { limit: 10 }, query));
  const name = `"${newId()}"`;
  const run = (sql: string) => database.rows(statement<{ 'QUERY PLAN': string }, []>(newId(), sql));
  await run(`PREPARE ${name} AS ${text}`);
  const plan = await run(`EXPLAIN EXECUTE ${name} (NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10)`);
  return plan.map((row) => row['QUERY PLAN']).join('\n');
}

it('walks the index of a subscription between the ends of the period, from the cursor on', async () => {
  const [condition = ''] = (await planOf({}))
    .split('\n')
    .filter((line) => /Index Cond: .*event_id/.test(line));
  for (const parameter of ['$4', '$5', '$6']) expect(condition).toContain(`COALESCE(${parameter}`);
});

it.each(['failed', 'cancelled'] as const)('finds %s deliveries by their own index', async (status) => {
  expect(await planOf({ status })).toContain('deliveries_given_up');
});
