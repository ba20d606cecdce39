import { Client } from 'pg';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** The history of orders is divided by months; callers do not see it, and order-core makes the months ahead of time. */
const MONTHS_AHEAD = 3;

let platform: TestPlatform;
let organization: TestOrganization;
let database: Client;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  database = new Client({ connectionString: testEnvironment().databaseUrls['order-core'] });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await platform.close();
});

function inMonths(count: number): string {
  const now = new Date();
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + count));
  return `order_history_${day.toISOString().slice(0, 7).replace('-', '_')}`;
}

it('the running order-core has made the partition of the third month from now', async () => {
  await eventually('the partition is attached', async () => {
    const { rowCount } = await database.query(
      `SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'core.order_history'::regclass AND c.relname = $1`,
      [inMonths(MONTHS_AHEAD)],
    );
    return rowCount === 1;
  });
});

it('a new order has its whole history in one partition, and only its organization reads it', async () => {
  const { id } = await organization.createOrder({ external_id: 'history' });
  const moved = await organization.api('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  expect(moved.status).toBe(200);
  const answer = await organization.api('GET', `/orders/${id}/history`);
  expect(json<{ data: { sequence: number }[] }>(answer).data.map(({ sequence }) => sequence)).toEqual([1, 2]);
  const other = await platform.organization();
  expect((await other.api('GET', `/orders/${id}/history`)).status).toBe(404);

  const { rows } = await database.query<{ place: string }>(
    'SELECT DISTINCT tableoid::regclass::text AS place FROM core.order_history WHERE order_id = $1',
    [id],
  );
  expect(rows).toEqual([{ place: expect.stringMatching(/order_history_(before_)?\d{4}_\d{2}$/) as string }]);
});
