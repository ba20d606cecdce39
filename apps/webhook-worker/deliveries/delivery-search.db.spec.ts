import { DeliverySearchQuery } from '@offizin/contracts/webhook-health';
import { WebhookDeliveryListQuery } from '@offizin/contracts/webhooks';
import { Database, type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { webhookWorkerSchema } from '../db/schema';
import { listDeliveries } from './deliveries.store';
import { findDeliveries } from './delivery-search.store';

/** Plans of the lists of deliveries, with the settings that the service has. */
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await testDatabase(webhookWorkerSchema);
  database = await Database.connect({
    ...webhookWorkerSchema,
    databaseUrl: test.url,
    poolSize: 1,
    applicationName: 'test',
  });
});
afterAll(async () => {
  await database.close();
  await test.close();
});

/** Plan of the last statement that `read` runs. */
async function planOf(read: (sql: Sql) => Promise<unknown>): Promise<string> {
  let [text, parameters] = ['', 0];
  const asked: Sql = {
    rows: (search, ...values) => {
      [text, parameters] = [search.text, values.length];
      return Promise.resolve([]);
    },
  };
  await read(asked);
  const name = `"${newId()}"`;
  const run = (sql: string) => database.rows(statement<{ 'QUERY PLAN': string }, []>(newId(), sql));
  await run(`PREPARE ${name} AS ${text}`);
  const plan = await run(`EXPLAIN EXECUTE ${name} (${Array(parameters).fill('NULL').join(', ')})`);
  return plan.map((row) => row['QUERY PLAN']).join('\n');
}

/** Of every subscription. */
const planOfSearch = (query: Partial<DeliverySearchQuery>) =>
  planOf((sql) => findDeliveries(sql, newId(), Object.assign(new DeliverySearchQuery(), query)));
/** Of one subscription. */
const planOfList = (query: Partial<WebhookDeliveryListQuery>) =>
  planOf((sql) =>
    listDeliveries(sql, newId(), newId(), Object.assign(new WebhookDeliveryListQuery(), query)),
  );

/** The condition by which the index of a subscription is entered. */
function boundsIn(plan: string): string {
  return plan.split('\n').find((line) => /Index Cond: .*event_id/.test(line)) ?? '';
}

it('walks the index of a subscription between the ends of the period, from the cursor on', async () => {
  const bounds = boundsIn(await planOfSearch({}));
  for (const parameter of ['$4', '$5', '$6']) expect(bounds).toContain(`COALESCE(${parameter}`);
});

it('walks the index of one subscription from the cursor on', async () => {
  expect(boundsIn(await planOfList({}))).toContain('COALESCE($6');
});

it.each(['failed', 'cancelled'] as const)('finds %s deliveries by their own index', async (status) => {
  for (const planOfPage of [planOfSearch, planOfList])
    expect(await planOfPage({ status })).toContain('deliveries_given_up');
});
