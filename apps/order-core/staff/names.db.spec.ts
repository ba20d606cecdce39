import { findNames } from '@offizin/contracts/staff';
import { newId } from '@offizin/pg/ids';
import { TestBroker } from '@offizin/testkit/broker';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { staffHandlers } from '../staff-fixture';

let test: TestDatabase;
let broker: TestBroker;
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeAll(async () => {
  [test, broker] = await Promise.all([testDatabase(orderCoreSchema), TestBroker.start()]);
  const handlers = staffHandlers(test.database, await broker.connect('order-core'));
  core = await OrderCoreFixture.make(test.database, handlers);
  other = await OrderCoreFixture.make(test.database, handlers);
});
afterAll(() => Promise.all([test.close(), broker.stop()]));

async function names(ids: readonly string[], { orgId } = core) {
  const caller = { ...core.staff('clerk'), orgId };
  return core.call(findNames, { caller, query: `ids=${ids.join(',')}` });
}

it('names people and API keys of the own organization; what is no id of one is left out', async () => {
  const pharmacist = core.staff('pharmacist');
  const { actorId } = pharmacist;
  const ids = [actorId, core.keyId, newId(), 'order-core'];
  // A person of the fixture is stored by the first call.
  await core.call(findNames, { caller: pharmacist, query: `ids=${actorId}` });
  const { status, body } = await names(ids);
  expect(status).toBe(200);
  expect(body.data).toHaveLength(2);
  expect(body.data).toEqual(
    expect.arrayContaining([
      { id: actorId, name: 'pharmacist' },
      { id: core.keyId, name: 'ERP' },
    ]),
  );
  expect((await names(ids, other)).body.data).toEqual([]);
});

it('takes at most 50 ids', async () => {
  const ids = Array.from({ length: 51 }, () => newId());
  expect((await names(ids)).status).toBe(400);
  expect((await names(ids.slice(1))).body.data).toEqual([]);
});
