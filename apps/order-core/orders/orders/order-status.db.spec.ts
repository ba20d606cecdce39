import * as api from '@offizin/contracts/orders/orders';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { databaseSpec } from '../../spec/core-spec';

const test = databaseSpec();
let core: OrderCoreFixture;
let orderId: string;

beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
  orderId = (await core.upsert('a', { items: [{ qty: 1, price: 2 }] })).body.id;
});

const patch = (body: object, ifMatch?: string) => core.patch(orderId, body, { ifMatch });
const order = () => core.order(orderId);

it('moves the order, with one history entry and one event that names old and new', async () => {
  const { status, body } = await patch({ status: 'awaiting_packing' });
  expect(status).toBe(200);
  const now = await order();
  expect(body).toEqual({ order_id: orderId, status: 'awaiting_packing', updated_at: now.updated_at });
  expect((await core.eventsOf(orderId)).at(-1)).toEqual({
    event_type: 'order_status_updated',
    sequence: 2,
    topic: 'plain',
    metadata: {
      order_id: orderId,
      old_status: 'pending',
      new_status: 'awaiting_packing',
      changed: ['status'],
      old: { status: 'pending' },
      new: { status: 'awaiting_packing' },
      shop_id: core.shopId,
      stock_claim_id: null,
      order_request_id: null,
      sequence: 2,
    },
  });
});

it('sets the flag of the status, unless the body sets it; a flag moves no status', async () => {
  await patch({ status: 'shipped' });
  expect(await order()).toMatchObject({ status: 'shipped', shipped: true, picked_up: false });
  await patch({ status: 'picked_up', picked_up: false });
  expect(await order()).toMatchObject({ status: 'picked_up', shipped: true, picked_up: false });
  await patch({ shipped: false, payment_status: 'refunded' });
  expect(await order()).toMatchObject({ status: 'picked_up', shipped: false, payment_status: 'refunded' });
  expect((await core.eventsOf(orderId)).at(-1)?.metadata).toMatchObject({
    old_status: 'picked_up',
    new_status: 'picked_up',
    changed: ['payment_status', 'shipped'],
  });
});

it('keeps its time and sends no event when nothing changes', async () => {
  await patch({ status: 'shipped' });
  const before = await order();
  const { status, body } = await patch({ status: 'shipped', payment_status: 'pending' });
  expect([status, body.updated_at]).toEqual([200, before.updated_at]);
  expect(await order()).toEqual(before);
  expect(await core.eventsOf(orderId)).toHaveLength(2);
  expect(await core.historyOf(orderId)).toHaveLength(2);
});

it.each(api.ORDER_STATUSES.map((status, place) => [status, place] as const))(
  'moves from %s to any later status, and refuses an earlier one as a whole with the allowed ones',
  async (from, place) => {
    const later = api.ORDER_STATUSES.slice(place + 1);
    const allowed = later.length > 0 ? `Allowed are: ${later.join(', ')}.` : 'It is final.';
    await patch({ status: from });
    expect((await order()).next_statuses).toEqual(later);
    for (const to of api.ORDER_STATUSES.slice(0, place)) {
      const { status, body } = await patch({ status: to, payment_status: 'failed' });
      expect([to, status, body.error]).toEqual([to, 409, 'invalid_transition']);
      expect(body.message).toContain(allowed);
    }
    expect(await order()).toMatchObject({ status: from, payment_status: 'pending' });
    expect((await patch({ payment_status: 'refunded' })).status).toBe(200);
    for (const to of later) {
      const { body } = await core.upsert(to);
      await core.patch(body.id, { status: from });
      expect((await core.patch(body.id, { status: to })).body.status).toBe(to);
    }
  },
);

it('checks If-Match before the move', async () => {
  expect((await patch({ status: 'shipped' }, '"1"')).status).toBe(200);
  expect((await patch({ status: 'pending' }, '"1"')).status).toBe(412);
  expect((await patch({ status: 'completed' }, '"1"')).status).toBe(412);
  expect((await order()).status).toBe('shipped');
});

it('makes one unbroken chain of 100 concurrent patches, none lost and none illegal', async () => {
  const wanted = Array.from({ length: 100 }, (_, index) => api.ORDER_STATUSES[1 + (index % 6)] ?? 'pending');
  const answers = await Promise.all(wanted.map((status) => patch({ status })));
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  const moves = (await core.eventsOf(orderId)).slice(1);
  let present = 'pending';
  for (const [index, { sequence, metadata }] of moves.entries()) {
    expect(sequence).toBe(index + 2);
    expect(metadata['old_status']).toBe(present);
    const [from, to] = [present, String(metadata['new_status'])].map((status) =>
      api.ORDER_STATUSES.findIndex((known) => known === status),
    );
    expect(to).toBeGreaterThan(from ?? 0);
    present = String(metadata['new_status']);
  }
  expect((await order()).status).toBe(present);
  expect(present).toBe('completed');
});

it('loses no flag that is patched concurrently', async () => {
  const bodies = [
    { shipped: true },
    { picked_up: true },
    { payment_status: 'paid' },
    { status: 'ready_pickup' },
  ];
  const answers = await Promise.all(bodies.map((body) => patch(body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await order()).toMatchObject({
    shipped: true,
    picked_up: true,
    payment_status: 'paid',
    status: 'ready_pickup',
  });
});

it('lets one of 20 with the same If-Match win', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => patch({ payment_status: index % 2 ? 'paid' : 'failed' }, '"1"')),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
});

it('records in the history what each change changed, with old and new value', async () => {
  await core.update(orderId, { customer_name: 'A', total_amount: 9.5 });
  // The given total stays, so no change of it may appear.
  await core.update(orderId, { customer_name: 'B', items: [{ qty: 3, price: 1 }] });
  await patch({ status: 'shipped' });
  const entries = await core.historyOf(orderId);
  expect(entries.map(({ sequence, action, actor }) => [sequence, action, actor])).toEqual([
    [1, 'created', core.keyId],
    [2, 'updated', core.keyId],
    [3, 'updated', core.keyId],
    [4, 'status_changed', core.keyId],
  ]);
  const changes = entries.map((entry) =>
    Object.fromEntries(entry.changes.map((c) => [c.field, [c.old, c.new]])),
  );
  expect(changes[0]).toMatchObject({ status: [null, 'pending'], total_amount: [null, '2'] });
  expect(changes[1]).toEqual({ customer_name: [null, 'A'], total_amount: ['2', '9.5'] });
  expect(Object.keys(changes[2] ?? {}).sort()).toEqual(['customer_name', 'items']);
  expect(changes[2]?.['customer_name']).toEqual(['A', 'B']);
  expect(changes[3]).toEqual({ status: ['pending', 'shipped'], shipped: ['false', 'true'] });
});

it('has neither flag after it was reopened to a status before shipped, unless the body gives them', async () => {
  const caller = core.staff();
  const reopen = (body: object) => core.patch(orderId, { force: true, ...body }, { caller });
  await patch({ status: 'picked_up', shipped: true });
  expect((await reopen({ status: 'pending' })).status).toBe(200);
  expect(await order()).toMatchObject({ status: 'pending', shipped: false, picked_up: false });
  await patch({ status: 'picked_up' });
  await reopen({ status: 'ready_pickup', picked_up: true });
  expect(await order()).toMatchObject({ status: 'ready_pickup', shipped: false, picked_up: true });
});
