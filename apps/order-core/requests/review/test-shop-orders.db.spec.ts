import { listOrders } from '@offizin/contracts/orders/orders';
import { approveOrderRequest } from '@offizin/contracts/requests/order-request-review';
import { readExternalOrder, submitExternalOrder } from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { catalogSpec } from '../../spec/fake-catalog';
import type { OrderCoreFixture } from '../../spec/spec-fixture';
import { testShop } from '../../spec/test-shop';
import { decideDue, type Deciders } from './test-decisions';

const test = catalogSpec();
let core: OrderCoreFixture;
let deciders: Deciders;
let testShopId: string;

const setWorkflow = statement<never, [string, string]>(
  'spec_set_workflow',
  'UPDATE core.organizations SET workflow = $2::jsonb WHERE id = $1',
);

const ageOrders = statement<never, [orgId: string, minutes: number]>(
  'spec_age_orders',
  'UPDATE core.orders SET created_at = now() - make_interval(mins => $2) WHERE org_id = $1',
);

beforeEach(async () => {
  ({ core, deciders, testShopId } = await testShop(test.database, test.bus));
});

const decide = (waitSeconds = 0): Promise<void> => decideDue(test.database, deciders, waitSeconds);

async function progress(requestId: string, shopId = testShopId) {
  const caller = core.partner(shopId);
  return (await core.call(readExternalOrder, { params: { requestId }, caller })).body;
}

const shippedBy = async (shipping_option?: string, reference = 'ship-1', shopId = testShopId) => {
  const items = [{ p1_id: 'p1', quantity: 2, price: 10 }];
  const payload = { customer_email: 'a@example.org', items, payment_status: 'pending', shipping_option };
  const body = { external_reference: reference, payload };
  const caller = core.partner(shopId);
  const { id } = (await core.call(submitExternalOrder, { body, caller })).body;
  return id;
};
/** Status, payment and number of parcels after each run. */
const steps = async (requestId: string, runs: number, run: () => Promise<unknown> = decide) => {
  const seen: unknown[] = [];
  for (let count = 0; count < runs; count += 1) {
    await run();
    const { order } = await progress(requestId);
    seen.push(order && `${order.status} ${order.payment_status} ${order.parcels.length}`);
  }
  return seen;
};

describe('an order of a test shop whose reference begins with ship-', () => {
  it('is paid, ready and complete for a pickup', async () => {
    for (const option of ['Abholung', undefined]) {
      const id = await shippedBy(option, `ship-${option}`);
      expect(await steps(id, 5)).toEqual([
        'awaiting_packing paid 0',
        'ready_pickup paid 0',
        'completed paid 0',
        'completed paid 0',
        'completed paid 0',
      ]);
    }
  });

  it('is paid, gets one parcel, is shipped and complete for another option', async () => {
    for (const [option, carrier] of [
      ['Versand', 'dhl'],
      ['Express', 'dhl'],
      ['Uber Eats', 'courier'],
    ] as const) {
      const id = await shippedBy(option, `ship-${carrier}-${option}`);
      expect(await steps(id, 4)).toEqual([
        'awaiting_packing paid 0',
        'shipped paid 1',
        'completed paid 1',
        'completed paid 1',
      ]);
      const { order } = await progress(id);
      expect(order).toMatchObject({ shipped: true, parcels: [{ carrier }] });
      expect(order?.parcels[0]?.tracking_number).toMatch(/^TEST-[0-9A-F]{12}$/);
    }
  });

  it('moves once with two deciders, and one step after each wait', async () => {
    const id = await shippedBy('Versand');
    await decide();
    const both = () => Promise.all([decide(), decide(), decide()]);
    expect(await steps(id, 2, both)).toEqual(['shipped paid 1', 'completed paid 1']);
    const { order } = await progress(id);
    const orderId = (await core.call(listOrders, {})).body.data.find(
      ({ external_id }) => external_id === order?.external_id,
    )?.id;
    const kinds = (await core.eventsOf(orderId ?? '')).map(({ event_type }) => event_type);
    expect(kinds).toEqual([
      'order_created',
      'order_status_updated',
      'order_updated',
      'order_status_updated',
      'order_status_updated',
    ]);
    expect(await core.historyOf(orderId ?? '')).toHaveLength(5);
  });

  it('waits before each step', async () => {
    const id = await shippedBy('Versand');
    await decide();
    const patient = () => decide(60);
    expect(await steps(id, 2, patient)).toEqual(['awaiting_packing paid 0', 'awaiting_packing paid 0']);
  });

  it('stops an hour after the approval', async () => {
    const id = await shippedBy('Versand');
    await decide();
    await test.database.rows(ageOrders, core.orgId, 59);
    expect(await steps(id, 1)).toEqual(['shipped paid 1']);
    await test.database.rows(ageOrders, core.orgId, 61);
    expect(await steps(id, 2)).toEqual(['shipped paid 1', 'shipped paid 1']);
  });

  it('stops where the workflow refuses, and goes on in no other way', async () => {
    const workflow = { awaiting_payment: ['awaiting_packing'], awaiting_packing: ['ready_pickup'] };
    await test.database.rows(setWorkflow, core.orgId, JSON.stringify(workflow));
    const id = await shippedBy('Versand');
    expect(await steps(id, 3)).toEqual(Array.from({ length: 3 }, () => 'awaiting_packing paid 0'));
  });

  it('leaves an order alone that a person closed, and one of a real shop', async () => {
    const id = await shippedBy('Versand');
    await decide(0);
    const [order] = (await core.call(listOrders, {})).body.data;
    await core.patch(order?.id ?? '', { status: 'cancelled' });
    expect(await steps(id, 2)).toEqual(['cancelled paid 0', 'cancelled paid 0']);
    const requestId = await shippedBy('Versand', 'ship-9', core.shopId);
    await core.call(approveOrderRequest, { params: { requestId }, body: {} });
    await decide();
    expect((await progress(requestId, core.shopId)).order).toMatchObject({
      payment_status: 'pending',
      parcels: [],
    });
  });
});
