import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { ReadAudit } from './read-audit';

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

interface Entry {
  actor: string;
  action: string;
  object: string;
  request_id: string;
}
const entriesOf = statement<Entry, [string]>(
  'spec_read_entries',
  `SELECT actor, action, object, request_id FROM core.audit_log WHERE org_id = $1 ORDER BY object`,
);

it('writes one entry for each of 200 reads at once, each with its own caller', async () => {
  const other = await OrderCoreFixture.make(test.database);
  const audit = new ReadAudit(test.database);
  const callers = Array.from({ length: 200 }, (_, n) => (n % 2 ? core : other).key());
  await Promise.all(callers.map((caller, n) => audit.append(caller, 'thing.read', `thing:${1000 + n}`)));
  for (const owner of [core, other]) {
    const entries = await test.database.rows(entriesOf, owner.orgId);
    expect(entries).toEqual(
      callers.flatMap((caller, n) =>
        caller.orgId === owner.orgId
          ? [
              {
                action: 'thing.read',
                object: `thing:${1000 + n}`,
                request_id: caller.requestId,
                actor: expect.stringContaining(caller.actorId) as string,
              },
            ]
          : [],
      ),
    );
  }
});

it('refuses the wrong entry alone', async () => {
  const audit = new ReadAudit(test.database);
  const right = core.key();
  const wrong = { ...core.key(), orgId: 'no uuid' };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      audit.append(n === 7 ? wrong : right, 'thing.read', `thing:${newId()}`),
    ),
  );
  expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([7]);
  expect(await test.database.rows(entriesOf, core.orgId)).toHaveLength(49);
});
