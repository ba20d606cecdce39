import * as api from '@offizin/contracts/orders';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';

/** Each committed change is one event: a payment event when only the payment changed, else an order event. */
let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

type Fields = Record<string, unknown>;

let made = 0;

async function order(fields: Fields = {}) {
  const key = { shop_id: core.shopId, external_id: `payment ${++made}` };
  const upsert = (more: Fields) => core.call(api.upsertOrder, { body: { ...key, ...more } });
  const { id } = (await upsert({ customer_name: 'A', ...fields })).body;
  return {
    id,
    upsert,
    update: (more: Fields) => core.call(api.updateOrder, { params: { orderId: id }, body: more }),
    patch: (more: Fields) => core.call(api.patchOrderStatus, { params: { orderId: id }, body: more }),
    /** Those after the creation. */
    events: async () => (await core.eventsOf(id)).slice(1),
  };
}

describe.each(['upsert', 'update'] as const)('by %s', (way) => {
  it('a change of the payment alone is a payment event with old, new and changed fields', async () => {
    const one = await order();
    await one[way]({ payment_status: 'paid', payment_reference: 'PAY-1' });
    await one[way]({ payment_reference: 'PAY-2', customer_name: 'A' });
    const about = { order_id: one.id, shop_id: core.shopId, order_request_id: null };
    expect(await one.events()).toMatchObject([
      {
        event_type: 'order_payment_updated',
        sequence: 2,
        topic: 'plain',
        metadata: {
          ...about,
          old_payment_status: 'pending',
          new_payment_status: 'paid',
          sequence: 2,
          changed: ['payment_status', 'payment_reference'],
        },
      },
      {
        event_type: 'order_payment_updated',
        sequence: 3,
        metadata: {
          ...about,
          old_payment_status: 'paid',
          new_payment_status: 'paid',
          sequence: 3,
          changed: ['payment_reference'],
        },
      },
    ]);
  });

  it('any further change makes it an order event', async () => {
    const one = await order();
    await one[way]({ payment_status: 'paid', customer_name: 'B' });
    await one[way]({ payment_status: 'refunded', total_amount: 3 });
    await one[way]({ customer_name: 'C' });
    expect((await one.events()).map(({ event_type }) => event_type)).toEqual([
      'order_updated',
      'order_updated',
      'order_updated',
    ]);
    expect((await one.events())[0]?.metadata).not.toHaveProperty('old_payment_status');
  });

  it('a patch that changes nothing sends no event', async () => {
    const one = await order({ payment_status: 'paid' });
    await one[way]({ payment_status: 'paid', payment_reference: null });
    expect(await one.events()).toEqual([]);
  });
});

it('a status patch reports its payment in a status event, also after a payment event', async () => {
  const one = await order();
  await one.update({ payment_status: 'paid' });
  await one.patch({ payment_status: 'refunded' });
  expect(await one.events()).toMatchObject([
    { event_type: 'order_payment_updated' },
    { event_type: 'order_status_updated', metadata: { changed: ['payment_status'] } },
  ]);
});

it('of 100 concurrent changes each event holds the step of its commit', async () => {
  const one = await order();
  const statuses = ['paid', 'pending', 'refunded', 'failed'];
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => one.upsert({ payment_status: statuses[index % 4] })),
  );
  const events = await one.events();
  let before: unknown = 'pending';
  for (const { event_type, metadata } of events) {
    expect([event_type, metadata['old_payment_status']]).toEqual(['order_payment_updated', before]);
    expect(metadata['new_payment_status']).not.toBe(before);
    before = metadata['new_payment_status'];
  }
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 2));
});
