import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { addOrderNote } from '@offizin/contracts/orders/order-notes';
import { addParcel } from '@offizin/contracts/orders/parcels';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { approveOrderRequest } from '@offizin/contracts/requests/order-request-review';
import { readExternalOrder } from '@offizin/contracts/requests/order-requests';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { ParcelsHandlers } from '../orders/parcels/parcels.handlers';
import { brokerSpec } from '../spec/core-spec';
import { erasureHandlers, noteHandlers, requestHandlers } from '../spec/request-handlers';
import { ReviewFixture } from '../spec/review-fixture';
import { approvalHandlers, silentChanges, silentRelay } from '../spec/spec-fixture';
import { storedText } from '../spec/stored-text';

const test = brokerSpec();
let fixture: ReviewFixture;
beforeEach(async () => {
  const { database, bus } = test;
  fixture = await ReviewFixture.make(database, bus, (keys) => [
    ...erasureHandlers(database, keys, silentChanges()),
    ...requestHandlers(database, keys),
    ...noteHandlers(database, keys),
    ...handlersIn(approvalHandlers(database, bus, keys), new ParcelsHandlers(database, silentRelay())),
  ]);
});

const ERIKA = { customer_name: 'Erika Canary', customer_email: 'canary@example.org' };
const MAX = { customer_name: 'Max', customer_email: 'max@example.org' };
const erase = async ({ customer_email: email } = ERIKA) =>
  (await fixture.core.call(eraseCustomer, { body: { email } })).body;

describe('the parcel of an earlier customer of an order', () => {
  const add = (orderId: string, tracking_number: string) =>
    fixture.core.call(addParcel, { params: { orderId }, body: { carrier: 'ups', tracking_number } });
  const upserted = (fields: object) => ({ shop_id: fixture.core.shopId, external_id: 'a', ...fields });

  it.each([
    ['PUT', (id: string) => fixture.core.update(id, MAX)],
    ['upsert', () => fixture.core.upsert('a', MAX)],
    ['batch', () => fixture.core.call(upsertOrders, { body: { orders: [upserted(MAX)] } })],
  ])('loses its number after a %s with another one', async (_, handOn) => {
    const { core } = fixture;
    const { id } = (await core.upsert('a', MAX)).body;
    await add(id, 'BEFORE1');
    await core.update(id, ERIKA);
    await add(id, 'CANARY1');
    await handOn(id);
    await add(id, 'AFTER1');
    const before = await core.order(id);
    expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
    const read = await core.order(id);
    const parcels = before.parcels.map((parcel) =>
      parcel.tracking_number === 'CANARY1' ? { ...parcel, tracking_number: null, url: null } : parcel,
    );
    expect(read).toEqual({ ...before, parcels, updated_at: expect.any(String) });
    const events = await core.eventsOf(id);
    expect(events.at(-1)).toMatchObject({
      event_type: 'order_updated',
      sequence: events.length,
      metadata: { changed: ['parcels'] },
    });
    expect(await storedText(test.database, core.orgId)).not.toMatch(/canary/i);
    expect(await erase()).toMatchObject({ orders: 0 });
  });

  it('loses it after an earlier customer was erased, and a later one came', async () => {
    const { core } = fixture;
    const ANNA = { customer_name: 'Anna', customer_email: 'anna@example.org' };
    const { id } = (await core.upsert('a', { ...ANNA, metadata: { erp: 'Anna-1' } })).body;
    await add(id, 'ANNA1');
    await core.upsert('a', { ...ERIKA, metadata: { case: 'Canary-1' } });
    await add(id, 'CANARY1');
    const note = { params: { orderId: id }, body: { text: 'Canary calls' }, caller: core.staff() };
    expect((await core.call(addOrderNote, note)).status).toBe(201);
    expect(await erase(ANNA)).toMatchObject({ status: 'done', orders: 1 });
    expect(await storedText(test.database, core.orgId)).not.toMatch(/anna/i);
    const numbers = async () => (await core.order(id)).parcels.map(({ tracking_number: number }) => number);
    expect([await numbers(), (await core.order(id)).metadata]).toEqual([
      [null, 'CANARY1'],
      { case: 'Canary-1' },
    ]);
    await core.upsert('a', { ...MAX, metadata: { ward: 'Max-1' } });
    await add(id, 'AFTER1');
    expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
    expect([await numbers(), (await core.order(id)).metadata]).toEqual([
      [null, null, 'AFTER1'],
      { ward: 'Max-1' },
    ]);
    expect(await storedText(test.database, core.orgId)).not.toMatch(/anna|canary/i);
    for (const other of [ANNA, ERIKA]) expect(await erase(other)).toMatchObject({ orders: 0 });
    expect(await erase(MAX)).toMatchObject({ orders: 1 });
    expect(await storedText(test.database, core.orgId)).not.toMatch(/max|AFTER1/i);
  });

  it('loses it also in what the sender of its request reads back', async () => {
    const { core } = fixture;
    const caller = await core.integration('Alpha');
    const requestId = await fixture.submit(MAX, { by: caller });
    const { order_id: orderId } = (await core.call(approveOrderRequest, { params: { requestId }, body: {} }))
      .body;
    await core.update(orderId, ERIKA);
    await add(orderId, 'CANARY1');
    await core.update(orderId, MAX);
    const read = async () =>
      (await core.call(readExternalOrder, { params: { requestId }, caller })).body.order?.parcels;
    expect(await read()).toMatchObject([{ tracking_number: 'CANARY1' }]);
    expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
    expect(await read()).toMatchObject([{ carrier: 'ups', tracking_number: null, url: null }]);
  });
});
