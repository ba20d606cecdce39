import { v7 as uuidv7 } from 'uuid';
import { Unreachable } from '@offizin/contracts/errors';
import { adjustInventory } from '@offizin/contracts/inventory';
import type { SettleAttemptResponse } from '@offizin/contracts/reservations';
import { type Database, statement } from '@offizin/pg/database';
import { testDatabase } from '@offizin/testkit/database';
import { race } from '@offizin/testkit/race';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';
import { type AskAttempt, OldHolds } from './old-holds';

let database: Database;
let shop: CatalogFixture;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await testDatabase(catalogSchema));
  shop = new CatalogFixture(database);
});
afterAll(() => close());

const HELD = { held: true, short_p1_ids: [] };

describe('reserving', () => {
  it('holds all lines or none, and names those that lack stock', async () => {
    const [a, b, c] = [await shop.stocked(5), await shop.stocked(1), await shop.stocked(0)];
    const refused = await shop.reserve(uuidv7(), 1, { [a]: 2, [b]: 2, [c]: 1 });
    expect(refused).toEqual({ status: 200, body: { held: false, short_p1_ids: [b, c].sort() } });
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
    expect(answers.every(({ body }) => body.held)).toBe(true);
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
    expect((await shop.reserve(id, 3, { [a]: 11 })).body).toEqual({ held: false, short_p1_ids: [a] });
    expect(await shop.stockOf(a)).toMatchObject({ reserved: 0, held_by_reservations: 0 });
    expect((await shop.reserve(id, 2, { [a]: 1 })).status).toBe(409);
    expect((await shop.reserve(id, 3, { [a]: 10 })).body).toEqual(HELD);
  });

  it('gives the last ten pieces to ten of a hundred racing requests', async () => {
    const p1 = await shop.stocked(10);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => shop.reserve(uuidv7(), 1, { [p1]: 1 })),
    );
    expect(answers.filter(({ body }) => body.held)).toHaveLength(10);
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 10, reserved: 10, held_by_reservations: 10 });
  });

  it('never deadlocks, whatever the order of lines and of attempts', async () => {
    const p1Ids = await Promise.all(Array.from({ length: 6 }, () => shop.stocked(50)));
    const requests = Array.from({ length: 20 }, () => uuidv7());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const turned = [...p1Ids.slice(n % 6), ...p1Ids.slice(0, n % 6)];
        const asked = Object.fromEntries((n % 2 ? turned : turned.reverse()).map((id) => [id, 1 + (n % 3)]));
        return shop.reserve(requests[n % 20] ?? '', 1 + Math.floor(n / 20), asked);
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
    expect((await shop.reserve(uuidv7(), 1, {})).body).toEqual(HELD);
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
    await database.rows(expire, id);
    return { p1, id };
  }

  it('are asked about once, and released when the attempt is void', async () => {
    const { p1, id } = await oldHold();
    const asked: [string, number][] = [];
    const ask: AskAttempt = (requestId, attempt) => {
      asked.push([requestId, attempt]);
      return Promise.resolve(reply('void'));
    };
    await Promise.all([new OldHolds(database, ask).sweep(), new OldHolds(database, ask).sweep()]);
    expect(asked).toEqual([[id, 2]]);
    expect(await database.rows(read, id)).toEqual([{ state: 'released', order_id: null }]);
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 3, reserved: 0 });
  });

  it('are confirmed with their order when the attempt committed', async () => {
    const { p1, id } = await oldHold();
    const orderId = uuidv7();
    expect(await new OldHolds(database, () => Promise.resolve(reply('approved', orderId))).sweep()).toBe(1);
    expect(await database.rows(read, id)).toEqual([{ state: 'confirmed', order_id: orderId }]);
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 3 });
    expect((await shop.reserve(id, 1, { [p1]: 3 })).body).toEqual(HELD);
  });

  it('stay while order-core is unavailable, and are asked about again', async () => {
    const { p1, id } = await oldHold();
    const away = new OldHolds(database, () => Promise.reject(new Unreachable('service_unavailable', 'away')));
    expect(await away.sweep()).toBe(0);
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 3 });
    await database.rows(expire, id);
    expect(await new OldHolds(database, () => Promise.resolve(reply('void'))).sweep()).toBe(1);
  });

  it('are left alone when a later attempt has taken over while order-core was asked', async () => {
    const { p1, id } = await oldHold();
    const takeOver: AskAttempt = async () => {
      await shop.reserve(id, 3, { [p1]: 2 });
      return reply('void');
    };
    expect(await new OldHolds(database, takeOver).sweep()).toBe(0);
    expect(await database.rows(read, id)).toEqual([{ state: 'held', order_id: null }]);
    expect(await shop.stockOf(p1)).toMatchObject({ reserved: 2, held_by_reservations: 2 });
  });
});
