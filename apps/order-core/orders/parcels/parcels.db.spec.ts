import type { Caller } from '@offizin/contracts/calls/caller';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { getOrder } from '@offizin/contracts/orders/orders';
import {
  addParcel,
  MAX_PARCEL_URL_LENGTH,
  MAX_PARCELS,
  removeParcel,
} from '@offizin/contracts/orders/parcels';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { revokeKey } from '../../people/directory/keys.store';
import { databaseSpec } from '../../spec/core-spec';
import { erasureHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture, silentRelay } from '../../spec/spec-fixture';
import { storedText } from '../../spec/stored-text';
import { ParcelsHandlers } from './parcels.handlers';

const NUMBER = '00340434161094042557';
const LINK = `https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html?piececode=${NUMBER}`;
const DHL = { carrier: 'dhl', tracking_number: '0034 0434 1610 9404 2557' };

const test = databaseSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  const { database } = test;
  const further = [
    ...handlersIn(new ParcelsHandlers(database, silentRelay())),
    ...erasureHandlers(database, specKeys(database)),
  ];
  core = await OrderCoreFixture.make(database, further);
  other = await OrderCoreFixture.make(database, further);
});

async function order(fields: object = {}): Promise<string> {
  return (await core.upsert(newId(), { customer_email: 'erika@example.org', ...fields })).body.id;
}

interface By {
  of?: OrderCoreFixture;
  caller?: Caller;
}

function add(orderId: string, body: object = DHL, { of = core, caller = of.key() }: By = {}) {
  return of.call(addParcel, { params: { orderId }, body, caller });
}

function remove(orderId: string, parcelId: string, of = core) {
  return of.call(removeParcel, { params: { orderId, parcelId } });
}

const numbered = (n: number) => ({ carrier: 'gls', tracking_number: `5034600${n}` });
const numbersOf = async (orderId: string) =>
  (await core.order(orderId)).parcels.map(({ tracking_number }) => tracking_number);
const count = (statuses: readonly number[], status: number) =>
  statuses.filter((one) => one === status).length;

it('a parcel is part of the order, and makes its next version with history, audit entry and event', async () => {
  const id = await order({ items: [{ name: 'Salbe', qty: 1, price: 2 }] });
  const before = await core.order(id);
  const { status, body: parcel } = await add(id);
  expect([status, parcel]).toEqual([
    201,
    {
      id: expect.any(String),
      carrier: 'dhl',
      tracking_number: NUMBER,
      url: LINK,
      created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
    },
  ]);
  const read = await core.order(id);
  expect(read).toEqual({ ...before, parcels: [parcel], updated_at: expect.any(String) });
  expect(Date.parse(read.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  expect((await core.historyOf(id)).at(-1)).toMatchObject({
    sequence: 2,
    actor: core.keyId,
    action: 'updated',
    changes: [{ field: 'parcels', old: null, new: `dhl ${NUMBER}` }],
  });
  expect(await core.actionsOn(`order:${id}`)).toEqual(['order.create', 'order.add-parcel']);
  expect((await core.eventsOf(id)).at(-1)).toEqual({
    event_type: 'order_updated',
    sequence: 2,
    topic: 'plain',
    metadata: {
      order_id: id,
      shop_id: core.shopId,
      order_request_id: null,
      stock_claim_id: null,
      status: 'pending',
      changed: ['parcels'],
      sequence: 2,
    },
  });
  const events = JSON.stringify([await core.eventsOf(id), await core.auditOf(`order:${id}`)]);
  expect(events).not.toContain(NUMBER);
});

it('the same parcel again, however its number is written, is a 200 that changes nothing', async () => {
  const id = await order();
  const { body: parcel } = await add(id, { carrier: 'ups', tracking_number: '1Z 999 AA1 01 2345 6784' });
  const before = await core.order(id);
  for (const tracking_number of ['1Z999AA10123456784', ' 1z999aa10123456784\n']) {
    const again = await add(id, { carrier: 'ups', tracking_number, url: null });
    expect([again.status, again.body]).toEqual([200, parcel]);
  }
  expect(await core.order(id)).toEqual(before);
  expect(await core.eventsOf(id)).toHaveLength(2);
  expect(await core.actionsOn(`order:${id}`)).toHaveLength(2);
});

it('a number is once in an order: with another carrier or URL it is a 409, in another order a parcel', async () => {
  const [id, second] = [await order(), await order()];
  await add(id);
  for (const change of [{ carrier: 'other' }, { url: 'https://track.example.com/' }]) {
    const refused = await add(id, { ...DHL, ...change });
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
  }
  expect((await add(second)).status).toBe(201);
});

it('a given URL is the link of any carrier', async () => {
  const id = await order();
  const url = 'https://Track.example.com/größe';
  for (const carrier of ['dhl', 'courier'])
    expect((await add(id, { carrier, tracking_number: `${carrier}-1`, url })).body.url).toBe(
      'https://track.example.com/gr%C3%B6%C3%9Fe',
    );
  expect((await add(id, { carrier: 'courier', tracking_number: 'BOTE-7' })).body.url).toBeNull();
});

it('of 20 equal parcels at the same time one is added', async () => {
  const id = await order();
  const answers = await Promise.all(Array.from({ length: 20 }, () => add(id)));
  const statuses = answers.map(({ status }) => status);
  expect([count(statuses, 201), count(statuses, 200)]).toEqual([1, 19]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(await core.eventsOf(id)).toHaveLength(2);
});

it('an order has at most 20, also of 40 at the same time, and takes one again for each that is removed', async () => {
  const id = await order();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => add(id, numbered(n))));
  const statuses = answers.map(({ status }) => status);
  expect([count(statuses, 201), count(statuses, 409)]).toEqual([MAX_PARCELS, 40 - MAX_PARCELS]);
  const { parcels } = await core.order(id);
  expect(parcels).toHaveLength(MAX_PARCELS);
  const sequences = (await core.eventsOf(id)).map(({ sequence }) => sequence);
  expect(sequences).toEqual(Array.from({ length: MAX_PARCELS + 1 }, (_, n) => n + 1));
  expect((await remove(id, parcels[0]?.id ?? '')).status).toBe(204);
  const last = await Promise.all([add(id, numbered(98)), add(id, numbered(99))]);
  expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
});

it('parcels that are added beside other changes of the order are all there, and so are these', async () => {
  const id = await order();
  const { external_id } = await core.order(id);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => [
      add(id, numbered(n)),
      core.update(id, { order_number: `B-${n}` }),
      core.upsert(external_id, { payment_reference: `P-${n}` }),
    ]).flat(),
  );
  expect(answers.filter(({ status }) => status > 201)).toEqual([]);
  const events = await core.eventsOf(id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
  expect([...(await numbersOf(id))].sort()).toEqual(Array.from({ length: 10 }, (_, n) => `5034600${n}`));
});

it('upsert, PUT, batch and status leave the parcels, and answer them', async () => {
  const id = await order();
  const { external_id } = await core.order(id);
  const { body: parcel } = await add(id);
  expect((await core.call(getOrder, { params: { orderId: id } })).etag).toBe('"2"');
  expect((await core.upsert(external_id, { customer_name: 'Anna' })).body.parcels).toEqual([parcel]);
  expect((await core.upsert(external_id, { customer_name: 'Anna' })).body.parcels).toEqual([parcel]);
  expect((await core.update(id, { items: [] })).body.parcels).toEqual([parcel]);
  expect((await core.update(id, { items: [{ name: 'Tee', qty: 1, price: 1 }] })).body.parcels).toEqual([
    parcel,
  ]);
  const orders = [{ shop_id: core.shopId, external_id, order_number: 'B-1' }];
  await core.call(upsertOrders, { body: { orders } });
  await core.patch(id, { status: 'shipped' });
  expect(await core.order(id)).toMatchObject({ status: 'shipped', order_number: 'B-1', parcels: [parcel] });
  const unknown = await core.update(id, { parcels: [] });
  expect([unknown.status, unknown.body.details?.[0]?.field]).toEqual([400, 'parcels']);
  expect((await core.upsert(newId())).body.parcels).toEqual([]);
  expect(await core.falseSummaries()).toEqual([]);
});

it('closed orders take parcels and give them, cancelled ones only give them; none moves the status', async () => {
  for (const status of ['shipped', 'picked_up', 'completed'] as const) {
    const id = await order();
    await core.patch(id, { status });
    const { body } = await add(id);
    expect(await core.order(id)).toMatchObject({ status, parcels: [body] });
    expect((await remove(id, body.id)).status).toBe(204);
  }
  const id = await order();
  const { body } = await add(id);
  await core.patch(id, { status: 'cancelled' });
  const refused = await add(id, numbered(1));
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('cancelled')]);
  expect((await remove(id, body.id)).status).toBe(204);
  expect(await core.order(id)).toMatchObject({ status: 'cancelled', shipped: false, parcels: [] });
});

it('removing is a change of its own, and a parcel is found in its order only', async () => {
  const [id, second] = [await order(), await order()];
  const [{ body: first }, { body: kept }] = [await add(id), await add(id, numbered(1))];
  for (const [orderId, parcelId] of [
    [second, first.id],
    [id, newId()],
    [id, 'no-id'],
    [newId(), first.id],
    ['no-id', first.id],
  ] as const)
    expect((await remove(orderId, parcelId)).status).toBe(404);
  expect((await remove(id, first.id, other)).status).toBe(404);
  expect((await remove(id, first.id.toUpperCase())).status).toBe(204);
  expect((await remove(id, first.id)).status).toBe(404);
  expect((await core.order(id)).parcels).toEqual([kept]);
  expect((await core.historyOf(id)).at(-1)).toMatchObject({
    sequence: 4,
    changes: [{ field: 'parcels', old: `dhl ${NUMBER}, gls 50346001`, new: 'gls 50346001' }],
  });
  expect(await core.actionsOn(`order:${id}`)).toEqual([
    'order.create',
    'order.add-parcel',
    'order.add-parcel',
    'order.remove-parcel',
  ]);
  expect((await core.eventsOf(id)).at(-1)).toMatchObject({ sequence: 4, metadata: { changed: ['parcels'] } });
});

it('is for orders.write, of the own organization, with a live key', async () => {
  const id = await order();
  const reader = { ...core.key(), scopes: ['orders.read' as const] };
  expect((await add(id, DHL, { caller: reader })).status).toBe(403);
  expect((await add(id, DHL, { of: other })).status).toBe(404);
  expect((await add(id, DHL, { caller: core.staff('clerk') })).status).toBe(201);
  await revokeKey(test.database, core.orgId, core.keyId);
  expect((await add(id, numbered(1))).status).toBe(401);
  expect((await remove(id, newId())).status).toBe(401);
});

it('an erasure empties numbers and URLs everywhere, and the order takes no number afterwards', async () => {
  const id = await order();
  const canary = 'CANARY-7';
  await add(id, { carrier: 'other', tracking_number: canary, url: `https://track.example.com/${canary}` });
  await add(id, { carrier: 'ups', tracking_number: 'CANARY-8' });
  const before = await core.order(id);
  expect(await storedText(test.database, core.orgId)).toContain(canary);
  expect((await core.call(eraseCustomer, { body: { email: 'erika@example.org' } })).body.orders).toBe(1);
  const erased = await core.order(id);
  expect(erased.parcels).toEqual(
    before.parcels.map((parcel) => ({ ...parcel, tracking_number: null, url: null })),
  );
  expect(await storedText(test.database, core.orgId)).not.toMatch(/canary/i);
  expect(JSON.stringify(await core.historyOf(id))).not.toMatch(/canary/i);
  for (const body of [numbered(1), { carrier: 'ups', tracking_number: 'CANARY-8' }]) {
    const refused = await add(id, body);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('erased')]);
  }
  expect((await remove(id, erased.parcels[0]?.id ?? '')).status).toBe(204);
  expect((await core.order(id)).parcels).toHaveLength(1);
});

it('a parcel beside an erasure is emptied or refused', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => order()));
  const erasing = core.call(eraseCustomer, { body: { email: 'erika@example.org' } });
  const answers = await Promise.all(
    ids.map((id) => add(id, { carrier: 'ups', tracking_number: 'CANARY-9' })),
  );
  await erasing;
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  for (const id of ids) expect(await numbersOf(id)).not.toContain('CANARY-9');
  expect(await storedText(test.database, core.orgId)).not.toMatch(/canary/i);
});

it('the largest parcels leave space for all other fields of an answer', async () => {
  const id = await order();
  const url = 'https://track.example.com/?a='.padEnd(MAX_PARCEL_URL_LENGTH, 'x');
  for (let n = 10; n < 10 + MAX_PARCELS; n++)
    await add(id, { carrier: 'courier', tracking_number: `${n}`.padEnd(40, '7'), url });
  const { parcels } = await core.order(id);
  expect(parcels).toHaveLength(MAX_PARCELS);
  expect(Buffer.byteLength(JSON.stringify(parcels))).toBeLessThan(32 * 1024);
});
