import { v7 as uuidv7 } from 'uuid';
import { unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { inventoryLog } from '@offizin/contracts/products/inventory';
import { statement } from '@offizin/pg/database';
import { setMessagesAside } from '@offizin/events/set-aside';
import { CatalogFixture, catalogSpec, orderEvent } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

const read = statement<{ state: string; order_id: string | null }, [string]>(
  'spec_read_reservation',
  'SELECT state, order_id FROM catalog.reservations WHERE order_request_id = $1',
);
const stateOf = async (id: string) => (await test.database.rows(read, id))[0]?.state;

/** Three of five pieces held for a request, and the ids that its order's events carry. */
async function held() {
  const [p1, order_request_id, order_id] = [await shop.stocked(5), uuidv7(), uuidv7()];
  await shop.reserve(order_request_id, 1, { [p1]: 3 });
  return { p1, order_request_id, order_id };
}
type Held = Awaited<ReturnType<typeof held>>;

/** Events by name; those that end in a question mark do not name the order's request. */
function eventOf(name: string, { order_request_id, order_id }: Held): OutboxEvent {
  const sequence = 1 + ['created', 'shipped', 'completed', 'cancelled'].indexOf(name.replace('?', ''));
  const ids = name.endsWith('?') ? { order_id } : { order_id, order_request_id };
  if (name === 'created') return orderEvent('order_created', sequence, ids);
  const status = { old_status: 'pending', new_status: name.replace('?', '') };
  return orderEvent('order_status_updated', sequence, { ...ids, ...status });
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [first, ...rest]),
  );
}

const OUTCOMES: [string[], string][] = [
  [['created'], 'confirmed'],
  [['created', 'cancelled'], 'released'],
  [['created', 'shipped'], 'sold'],
  [['created', 'shipped', 'completed?'], 'sold'],
];
const STOCK_AFTER: Record<string, { stock: number; reserved: number }> = {
  confirmed: { stock: 5, reserved: 3 },
  released: { stock: 5, reserved: 0 },
  sold: { stock: 2, reserved: 0 },
};

describe.each(OUTCOMES)('the events %j', (names, outcome) => {
  it.each(permutations(names).map((order) => [order.join(', ')]))(`as ${outcome}: %s`, async (order) => {
    const reservation = await held();
    const events = order.split(', ').map((name) => eventOf(name, reservation));
    // Each comes twice, once alone and once in a batch of all.
    for (const event of events) await shop.orderEvents.take([event]);
    await shop.orderEvents.take([...events, ...events]);
    expect(await stateOf(reservation.order_request_id)).toBe(outcome);
    const sums = await shop.stockOf(reservation.p1);
    expect(sums).toMatchObject(STOCK_AFTER[outcome] ?? {});
    expect(sums.log_sum).toBe(sums.stock);
    expect(sums.log_entries).toBe(outcome === 'sold' ? 2 : 1);
  });

  it(`as ${outcome} when replicas take them all concurrently`, async () => {
    const reservation = await held();
    const events = names.map((name) => eventOf(name, reservation));
    await Promise.all([...events, ...events, ...events].map((event) => shop.orderEvents.take([event])));
    expect(await stateOf(reservation.order_request_id)).toBe(outcome);
    expect(await shop.stockOf(reservation.p1)).toMatchObject(STOCK_AFTER[outcome] ?? {});
  });
});

it('logs the sale under the order and publishes it', async () => {
  const reservation = await held();
  const { order_id } = reservation;
  const pickedUp = orderEvent('order_status_updated', 2, { order_id, new_status: 'picked_up' });
  await shop.orderEvents.take([eventOf('created', reservation), pickedUp]);
  const { body } = await shop.call(inventoryLog, { params: { p1Id: reservation.p1 } });
  expect(body.data[0]).toMatchObject({
    delta: -3,
    stock_after: 2,
    reason: 'sold',
    reference: reservation.order_id,
    actor: 'order-core',
  });
  const events = await shop.eventsOf(reservation.p1);
  expect(events.map(({ event_type }) => event_type)).toEqual(['inventory_adjusted', 'inventory_adjusted']);
});

it('sells the lines of many concurrent orders without a deadlock, and the log adds up', async () => {
  const p1Ids = await Promise.all(Array.from({ length: 4 }, () => shop.stocked(100)));
  const reservations = Array.from({ length: 50 }, () => ({ order_request_id: uuidv7(), order_id: uuidv7() }));
  await Promise.all(
    reservations.map(({ order_request_id }, n) => {
      const turned = n % 2 ? p1Ids : [...p1Ids].reverse();
      return shop.reserve(order_request_id, 1, Object.fromEntries(turned.map((id) => [id, 2])));
    }),
  );
  const ends = reservations.map((ids, n) =>
    orderEvent('order_status_updated', 2, { ...ids, new_status: n % 5 === 0 ? 'cancelled' : 'shipped' }),
  );
  await Promise.all(ends.map((event) => shop.orderEvents.take([event])));
  for (const p1 of p1Ids) {
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 20, reserved: 0, log_sum: 20, log_entries: 41 });
  }
});

it('knows exactly the events it received', async () => {
  const reservation = await held();
  const concerned = eventOf('created', reservation);
  const unconcerned = orderEvent('order_created', 1, { order_id: uuidv7() });
  await shop.orderEvents.take([concerned, unconcerned]);
  const missed = uuidv7();
  const op = unknownEvents('catalog');
  const { body } = await shop.call(op, { body: { ids: [concerned.id, missed, unconcerned.id] } });
  expect(body).toEqual({ ids: [missed] });
  expect((await shop.call(op, { body: { ids: ['nothing'] } })).status).toBe(400);
});

it('accepts events of orders without reserved stock', async () => {
  const [order_id, order_request_id] = [uuidv7(), uuidv7()];
  const created = orderEvent('order_created', 1, { order_id, order_request_id });
  const cancelled = orderEvent('order_status_updated', 2, { order_id, new_status: 'cancelled' });
  await expect(shop.orderEvents.take([created, cancelled])).resolves.toEqual([]);
});

it('returns an event that the database refuses, with the reason, and takes the others', async () => {
  const [reservation, other] = [await held(), await held()];
  const refused = { ...eventOf('cancelled', reservation), id: uuidv7() };
  await test.database.rows(spoil, reservation.p1);
  const answer = await shop.orderEvents.take([
    eventOf('created', other),
    refused,
    eventOf('cancelled', other),
  ]);
  expect(answer).toEqual([{ place: 1, reason: expect.stringMatching(/inventory_stock/) }]);
  expect(await stateOf(other.order_request_id)).toBe('released');
});

it('counts an event that was set aside as known', async () => {
  const event = orderEvent('order_created', 1, { order_id: uuidv7() });
  const letter = {
    id: uuidv7(),
    subject: 'events.stock.order-core',
    content: Buffer.from('x'),
    reason: 'r\0',
  };
  expect(await setMessagesAside(test.database, 'catalog', [{ ...letter, eventId: event.id }])).toBe(1);
  expect(await setMessagesAside(test.database, 'catalog', [{ ...letter, eventId: event.id }])).toBe(0);
  expect((await shop.call(unknownEvents('catalog'), { body: { ids: [event.id] } })).body).toEqual({
    ids: [],
  });
});

/** Corrupts the reserved part below the held lines, so that the database refuses the release. */
const spoil = statement<never, [string]>(
  'spec_spoil_reserved',
  'UPDATE catalog.inventory SET reserved_quantity = 0 WHERE p1_id = $1',
);

const age = statement<never, [string]>(
  'spec_age_inbox',
  `UPDATE catalog.inbox SET received_at = now() - interval '8 days' WHERE event_id = $1`,
);

it('deletes inbox entries older than a week', async () => {
  const [old, recent] = [1, 2].map((n) => orderEvent('order_created', n, { order_id: uuidv7() }));
  if (!old || !recent) throw new Error('two events were made');
  await shop.orderEvents.take([old, recent]);
  await test.database.rows(age, old.id);
  await shop.orderEvents.forgetOld();
  const { body } = await shop.call(unknownEvents('catalog'), { body: { ids: [old.id, recent.id] } });
  expect(body.ids).toEqual([old.id]);
});
