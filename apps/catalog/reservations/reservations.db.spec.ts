import { v7 as uuidv7 } from 'uuid';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { adjustInventory } from '@offizin/contracts/products/inventory';
import { reserveStock, type SettleAttemptResponse } from '@offizin/contracts/products/reservations';
import { statement } from '@offizin/pg/database';
import { race } from '@offizin/testkit/race';
import { CatalogFixture, catalogSpec, orderEvent } from '../spec/spec-fixture';
import { type AskAttempt, OldHolds } from './old-holds';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

const HELD = { held: true, short_p1_ids: [], is_stocked: true };
const short = (...ids: string[]) => ({ held: false, short_p1_ids: ids, is_stocked: false });

describe('reserving', () => {
  it('holds all lines or none, and names those that lack stock', async () => {
    const [a, b, c] = [await shop.stocked(5), await shop.stocked(1), await shop.stocked(0)];
    const refused = await shop.reserve(uuidv7(), 1, { [a]: 2, [b]: 2, [c]: 1 });
    expect(refused).toEqual({ status: 200, body: short(...[b, c].sort()) });
    expect(await shop.stockOf(a)).toMatchObject({ stock: 5, reserved: 0 });
    const outside = await shop.product();
    expect((await shop.reserve(uuidv7(), 1, { [a]: 5, [b]: 1, [outside]: 9, nothing: 9 })).body).toEqual(
      HELD,
    );
    expect(await shop.stockOf(a)).toMatchObject({ stock: 5, reserved: 5, held_by_reservations: 5 });
  });

  it('is idempotent for the same attempt, also when racing', async () => {
    const p1 = await shop.stocked(10);
    const id = uuidv7();
    const answers = await race(100, () => shop.reserve(id, 1, { [p1]: 4 }));
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => HELD));
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 4, held_by_reservations: 4 });
  });

  it('replaces the hold for other lines and for a later attempt, and refuses an earlier one', async () => {
    const [a, b] = [await shop.stocked(10), await shop.stocked(10)];
    const id = uuidv7();
    await shop.reserve(id, 1, { [a]: 10 });
    expect((await shop.reserve(id, 1, { [a]: 6, [b]: 1 })).body).toEqual(HELD);
    expect((await shop.reserve(id, 2, { [a]: 10 })).body).toEqual(HELD);
    expect(await shop.reserve(id, 1, { [a]: 1 })).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await shop.stockOf(a)).toMatchObject({ reserved: 10, held_by_reservations: 10 });
    expect(await shop.stockOf(b)).toMatchObject({ reserved: 0, held_by_reservations: 0 });
    expect((await shop.reserve(id, 3, { [a]: 11 })).body).toEqual(short(a));
    expect(await shop.stockOf(a)).toMatchObject({ reserved: 0, held_by_reservations: 0 });
    expect((await shop.reserve(id, 2, { [a]: 1 })).status).toBe(409);
    expect((await shop.reserve(id, 3, { [a]: 10 })).body).toEqual(HELD);
  });

  it('never deadlocks, whatever the order of lines and of attempts', async () => {
    const p1Ids = await Promise.all(Array.from({ length: 6 }, () => shop.stocked(50)));
    const requests = Array.from({ length: 20 }, () => uuidv7());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const turned = [...p1Ids.slice(n % 6), ...p1Ids.slice(0, n % 6)];
        const requested = Object.fromEntries(
          (n % 2 ? turned : turned.reverse()).map((id) => [id, 1 + (n % 3)]),
        );
        return shop.reserve(requests[n % 20] ?? '', 1 + Math.floor(n / 20), requested);
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual(
      [],
    );
    for (const p1 of p1Ids) {
      const { reserved, held_by_reservations: held, stock } = await shop.stockOf(p1);
      expect(reserved).toBe(held);
      expect(reserved).toBeLessThanOrEqual(stock);
    }
  });

  it('never lets an adjustment take what is reserved, nor a reservation what is gone', async () => {
    const p1_id = await shop.stocked(20);
    const body = { p1_id, delta: -1, reason: 'damaged' };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        n % 2 === 0 ? shop.reserve(uuidv7(), 1, { [p1_id]: 1 }) : shop.call(adjustInventory, { body }),
      ),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const sums = await shop.stockOf(p1_id);
    expect(sums.stock).toBe(sums.reserved);
    expect(sums.log_sum).toBe(sums.stock);
  });

  it('takes only calls of our own processes, and only UUIDs', async () => {
    expect((await shop.reserve('nothing', 1, {})).status).toBe(400);
    expect((await shop.reserve(uuidv7(), 1, {})).body).toEqual({ ...HELD, is_stocked: false });
  });
});

const expire = statement<never, [string]>(
  'spec_expire_hold',
  `UPDATE catalog.reservations SET expires_at = now() - interval '1 s' WHERE order_request_id = $1`,
);
const read = statement<{ state: string; order_id: string | null }, [string]>(
  'spec_read_reservation',
  'SELECT state, order_id FROM catalog.reservations WHERE order_request_id = $1',
);

describe('old holds', () => {
  const reply = (outcome: SettleAttemptResponse['outcome'], order_id: string | null = null) => ({
    outcome,
    status: null,
    order_id,
  });
  /** A hold whose time is over, of attempt 2. */
  async function oldHold() {
    const [p1, id] = [await shop.stocked(3), uuidv7()];
    await shop.reserve(id, 2, { [p1]: 3 });
    await test.database.rows(expire, id);
    return { p1, id };
  }

  it('are asked about once, and released when the attempt is void', async () => {
    const { p1, id } = await oldHold();
    const requested: [string, number][] = [];
    const ask: AskAttempt = (requestId, attempt) => {
      requested.push([requestId, attempt]);
      return Promise.resolve(reply('void'));
    };
    await Promise.all([new OldHolds(test.database, ask).sweep(), new OldHolds(test.database, ask).sweep()]);
    expect(requested).toEqual([[id, 2]]);
    expect(await test.database.rows(read, id)).toEqual([{ state: 'released', order_id: null }]);
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 3, reserved: 0 });
  });

  it('are confirmed with their order when the attempt committed', async () => {
    const { p1, id } = await oldHold();
    const orderId = uuidv7();
    expect(await new OldHolds(test.database, () => Promise.resolve(reply('approved', orderId))).sweep()).toBe(
      1,
    );
    expect(await test.database.rows(read, id)).toEqual([{ state: 'confirmed', order_id: orderId }]);
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 3 });
    expect((await shop.reserve(id, 1, { [p1]: 3 })).body).toEqual(HELD);
  });

  it('stay while order-core is unavailable, and are asked about again', async () => {
    const { p1, id } = await oldHold();
    const away = new OldHolds(test.database, () =>
      Promise.reject(new Unreachable('service_unavailable', 'away')),
    );
    expect(await away.sweep()).toBe(0);
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 3 });
    await test.database.rows(expire, id);
    expect(await new OldHolds(test.database, () => Promise.resolve(reply('void'))).sweep()).toBe(1);
  });

  it('are left alone when a later attempt has taken over while order-core was asked', async () => {
    const { p1, id } = await oldHold();
    const takeOver: AskAttempt = async () => {
      await shop.reserve(id, 3, { [p1]: 2 });
      return reply('void');
    };
    expect(await new OldHolds(test.database, takeOver).sweep()).toBe(0);
    expect(await test.database.rows(read, id)).toEqual([{ state: 'held', order_id: null }]);
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 2, held_by_reservations: 2 });
  });
});

/** Racing holds of an organization share transactions: each caller still has its own answer. */
describe('racing holds', () => {
  beforeAll(() => {
    shop = new CatalogFixture(test.database);
  });
  const CALLERS = 200;

  const transactions = statement<{ transactions: number; reservations: number; confirmed: number }, [string]>(
    'spec_hold_transactions',
    `SELECT count(DISTINCT r.xmin::text)::int AS transactions, count(*)::int AS reservations,
     count(*) FILTER (WHERE state = 'confirmed')::int AS confirmed
   FROM catalog.reservations r WHERE EXISTS (
     SELECT FROM catalog.reservation_lines l WHERE l.order_request_id = r.order_request_id AND l.p1_id = $1)`,
  );
  const refuseQuantity = statement<never, []>(
    'spec_refuse_quantity',
    `CREATE FUNCTION catalog.refuse_quantity() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END $$`,
  );
  const refuseQuantityOn = statement<never, []>(
    'spec_refuse_quantity_on',
    `CREATE TRIGGER refuse_quantity BEFORE INSERT ON catalog.reservation_lines FOR EACH ROW
   WHEN (new.quantity = 13) EXECUTE FUNCTION catalog.refuse_quantity()`,
  );

  it('makes 200 racing holds of a product in a few transactions, and confirms them in a few', async () => {
    const p1 = await shop.stocked(3 * CALLERS);
    const requests = Array.from({ length: CALLERS }, () => uuidv7());
    const answers = await Promise.all(requests.map((id) => shop.reserve(id, 1, { [p1]: 2 })));
    expect(answers.map(({ body }) => body)).toEqual(requests.map(() => HELD));
    const sums = { stock: 3 * CALLERS, reserved: 2 * CALLERS, held_by_reservations: 2 * CALLERS };
    expect(await shop.stockOf(p1)).toMatchObject(sums);
    const [made] = await test.database.rows(transactions, p1);
    expect(made).toMatchObject({ reservations: CALLERS, confirmed: 0 });
    expect(made?.transactions).toBeLessThan(20);

    const events = requests.map((order_request_id) =>
      orderEvent('order_created', 1, { order_id: uuidv7(), order_request_id }),
    );
    const half = CALLERS / 2;
    await shop.orderEvents.take(events.slice(0, half));
    await Promise.all([shop.orderEvents.take(events), shop.orderEvents.take(events.slice(half).reverse())]);
    const [confirmed] = await test.database.rows(transactions, p1);
    expect(confirmed).toMatchObject({ reservations: CALLERS, confirmed: CALLERS });
    expect(confirmed?.transactions).toBeLessThan(5);
    expect(await shop.stockOf(p1)).toMatchObject(sums);
  });

  it('gives the last pieces to those who came first, and each of the others its own answer', async () => {
    const [scarce, plenty] = [await shop.stocked(3), await shop.stocked(100)];
    const foreign = new CatalogFixture(test.database);
    const [theirs, stolen, repeated, former] = [await foreign.stocked(1), uuidv7(), uuidv7(), uuidv7()];
    await foreign.reserve(stolen, 1, { [theirs]: 1 });
    await shop.reserve(former, 2, { [scarce]: 1, [plenty]: 5 });
    const answers = await Promise.all([
      shop.reserve(uuidv7(), 1, { [scarce]: 2, [plenty]: 10 }),
      shop.reserve(uuidv7(), 1, { [scarce]: 1, [plenty]: 1 }),
      shop.reserve(stolen, 1, { [plenty]: 1 }),
      shop.reserve(former, 1, { [plenty]: 1 }),
      shop.reserve(repeated, 1, { [plenty]: 7 }),
      shop.reserve(former, 3, { [plenty]: 6 }),
      shop.reserve(uuidv7(), 1, { [scarce]: 1, nothing: 4 }),
      shop.reserve(repeated, 1, { [plenty]: 7 }),
      shop.reserve(repeated, 2, { [plenty]: 9 }),
      foreign.reserve(uuidv7(), 1, { [theirs]: 1 }),
    ]);
    const refused = expect.objectContaining({ error: 'conflict' });
    expect(answers.map(({ body }) => body)).toEqual([
      HELD,
      short(scarce),
      refused,
      refused,
      HELD,
      HELD,
      short(scarce),
      HELD,
      HELD,
      short(theirs),
    ]);
    expect(await shop.stockOf(scarce)).toMatchObject({ reserved: 2, held_by_reservations: 2 });
    expect(await shop.stockOf(plenty)).toMatchObject({
      reserved: 10 + 6 + 9,
      held_by_reservations: 10 + 6 + 9,
    });
  });

  it('fails only the hold that the database refuses', async () => {
    await test.database.rows(refuseQuantity);
    await test.database.rows(refuseQuantityOn);
    const p1 = await shop.stocked(1_000);
    const requested = Array.from({ length: 12 }, (_, n) => (n % 4 === 1 ? 13 : 2));
    const settled = await Promise.allSettled(
      requested.map((quantity) =>
        shop.call(reserveStock, {
          body: {
            org_id: shop.orgId,
            order_request_id: uuidv7(),
            attempt: 1,
            lines: [{ p1_id: p1, quantity }],
          },
        }),
      ),
    );
    const held = settled.map((each) => each.status === 'fulfilled' && each.value.status === 200);
    expect(held).toEqual(requested.map((quantity) => quantity === 2));
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 18, held_by_reservations: 18 });
  });
});
