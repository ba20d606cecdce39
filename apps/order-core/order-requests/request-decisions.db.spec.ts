import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { markAsked, markWithdrawn } from './clarification.store';
import { markRejected } from './decision.store';
import { placeInPast } from './history-import.store';

/** What a report knows about decisions; triggers write it (0012-request-outcomes.ts). */
let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

const insertRequest = statement<never, [string, string, string, string]>(
  'spec_submitted_request',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, total_amount, payload_ciphertext, payload_digest, created_at)
   VALUES ($3, $1, $2, 'spec', 0, '', '', $4)`,
);

async function change(text: string): Promise<void> {
  await test.database.dataSource.query(text, [core.orgId]);
}

interface Kept {
  seconds: number;
  reason: string | null;
}

async function decisions(): Promise<Kept[]> {
  return test.database.dataSource.query(
    'SELECT seconds, reason FROM core.request_decisions WHERE org_id = $1 ORDER BY seconds',
    [core.orgId],
  );
}

async function submit(at: string): Promise<string> {
  const id = newId();
  await test.database.rows(insertRequest, core.orgId, core.shopId, id, at);
  return id;
}

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const REJECTION = { reason: 'other', note: null, message: null, decidedBy: 'spec' };

it('take the whole time to the decision, also of a request that was asked about, and none of an open one', async () => {
  const { database } = test;
  const [asked, open, expired] = [await submit(ago(7_200)), await submit(ago(60)), await submit(ago(60))];
  await markAsked(database, core.orgId, asked, 'Welche Stärke?');
  await markAsked(database, core.orgId, open, 'Welche Stärke?');
  await change(`UPDATE core.order_requests SET status = 'expired', updated_at = now() WHERE id = '${expired}'
    AND org_id = $1`);
  expect(await decisions()).toEqual([]);
  await markWithdrawn(database, core.orgId, asked);
  await markRejected(database, core.orgId, { requestId: asked, ...REJECTION });
  const [decision, ...others] = await decisions();
  expect(others).toEqual([]);
  expect(decision?.reason).toBe('other');
  expect(Math.abs((decision?.seconds ?? 0) - 7_200)).toBeLessThan(60);
});

it('take imported decisions with their time in the past', async () => {
  const { orgId } = core;
  const at = { submitted_at: '2026-01-05T09:00:00.000Z', decided: '2026-01-05T10:30:00.000Z' };
  const past = { status: 'rejected', reason: 'out_of_stock', at: at.decided } as const;
  const id = await submit(ago(5));
  await test.database.transaction((tx) =>
    placeInPast(tx, orgId, id, { ...at, decision: past }, { orderId: null, actorId: 'operator' }),
  );
  expect(await decisions()).toEqual([{ seconds: 5_400, reason: 'out_of_stock' }]);
});
