import * as api from '@offizin/contracts/orders';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { revokeKey } from '../directory/directory.store';
import { credentialOf } from '../directory/live-caller.store';
import { OrderCoreFixture } from '../spec-fixture';
import { patchStatuses, type StatusPatch } from './order-status.store';

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});

beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
});

afterAll(() => test.close());

async function makeOrder(of: OrderCoreFixture, externalId: string): Promise<string> {
  const { body } = await of.call(api.upsertOrder, { body: { shop_id: of.shopId, external_id: externalId } });
  return body.id;
}

function member(orderId: string, further: Partial<StatusPatch> = {}): StatusPatch {
  return {
    orgId: core.orgId,
    orderId,
    patch: { status: 'shipped' },
    actor: core.keyId,
    credential: credentialOf(core.key()),
    ifSequences: null,
    reopen: false,
    eventId: newId(),
    traceparent: null,
    audit: { actor: core.keyId, requestId: 'spec' },
    ...further,
  };
}

it('decides each separately: moved, refused, unchanged, another version, foreign, unknown, revoked key', async () => {
  const other = await OrderCoreFixture.make(test.database);
  const foreign = await makeOrder(other, 'foreign');
  const revoked = await OrderCoreFixture.make(test.database);
  const lost = await makeOrder(revoked, 'lost');
  await revokeKey(test.database, revoked.orgId, revoked.keyId);
  const [moved, refused, same, stale] = await Promise.all(
    ['moved', 'refused', 'same', 'stale'].map((name) => makeOrder(core, name)),
  );
  await patchStatuses(test.database, [member(refused ?? '', { patch: { status: 'cancelled' } })]);
  const outcomes = await patchStatuses(test.database, [
    member(moved ?? '', { patch: { status: 'awaiting_packing', payment_status: 'paid' } }),
    member(refused ?? '', { patch: { status: 'completed' } }),
    member(same ?? '', { patch: { status: 'pending' } }),
    member(stale ?? '', { patch: { status: 'awaiting_packing' }, ifSequences: [7] }),
    member(foreign),
    member(newId()),
    member(lost, { orgId: revoked.orgId, credential: credentialOf(revoked.key()) }),
  ]);
  expect(outcomes).toMatchObject([
    { allowed: true, old_status: 'pending', status: 'awaiting_packing', updated_at: expect.any(Date) },
    { allowed: false, old_status: 'cancelled', status: null },
    { allowed: true, status: null, updated_at: null },
    { old_sequence: 1, status: null },
    null,
    null,
    null,
  ]);
  expect(await core.eventsOf(moved ?? '')).toMatchObject([
    { event_type: 'order_created' },
    { event_type: 'order_status_updated', sequence: 2, metadata: { changed: ['status', 'payment_status'] } },
  ]);
  for (const id of [same, stale]) expect(await core.eventsOf(id ?? '')).toHaveLength(1);
  expect(await other.eventsOf(foreign)).toHaveLength(1);
});

it('treats an id in capitals as the same order, also concurrently', async () => {
  const id = await makeOrder(core, 'capitals');
  const patch = (orderId: string, body: object) =>
    core.call(api.patchOrderStatus, { params: { orderId }, body });
  await Promise.all([
    patch(id, { status: 'awaiting_packing' }),
    patch(id.toUpperCase(), { payment_status: 'paid' }),
  ]);
  expect(await core.eventsOf(id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
});

it('never deadlocks with upserts of the same orders, in any order', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `cross-${index}`);
  const ids = await Promise.all(names.map((name) => makeOrder(core, name)));
  const rounds = Array.from({ length: 10 }, (_, round) => {
    const payment_status = round % 2 ? 'paid' : 'pending';
    const patches = ids.map((id) => member(id, { patch: { payment_status } }));
    const upserts = names.map((external_id) =>
      core.call(api.upsertOrder, {
        body: { shop_id: core.shopId, external_id, customer_name: `Runde ${round}` },
      }),
    );
    return Promise.all([patchStatuses(test.database, round % 2 ? patches.reverse() : patches), ...upserts]);
  });
  const outcomes = (await Promise.all(rounds)).flatMap(([patches]) => patches);
  expect(outcomes.every((outcome) => outcome?.allowed)).toBe(true);
});
