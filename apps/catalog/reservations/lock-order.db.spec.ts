import { v7 as uuidv7 } from 'uuid';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { CatalogFixture, catalogSpec, orderEvent } from '../spec/spec-fixture';
import { holdTogether } from './hold.store';
import { moveReservation } from './move.store';
import { lockOrder } from './reservations.store';

/** Transactions that need the same reservations. */
let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

const lockOne = statement<never, [string]>(
  'spec_lock_reservation',
  'SELECT FROM catalog.reservations WHERE order_request_id = $1 FOR NO KEY UPDATE',
);
const waiting = statement<{ count: number }, []>(
  'spec_waiting_for_locks',
  `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);
const held = (id: string, p1_id: string, quantity: number) => ({
  org_id: shop.orgId,
  order_request_id: id,
  attempt: 0,
  lines: [{ p1_id, quantity }],
});
const hold = (...members: Parameters<typeof holdTogether>[1]) =>
  test.database.transaction((tx) => holdTogether(tx, members));

/** They begin in this order while the reservation is locked; it is unlocked when all of them wait. */
async function runBehind(locked: string, works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const { begun } = await test.database.transaction(async (blocker) => {
    await blocker.rows(lockOne, locked);
    const running: Promise<unknown>[] = [];
    for (const work of works) {
      running.push(work());
      await eventually(`${running.length} to wait`, async () => {
        const [row] = await test.database.rows(waiting);
        return row?.count === running.length;
      });
    }
    return { begun: running };
  });
  await Promise.all(begun);
}

const orders = ['the claim', 'the replaced one'].flatMap((locked) =>
  ['hold', 'event'].flatMap((first) => [true, false].map((isYounger) => [locked, first, isYounger] as const)),
);
it.each(orders)(
  'a repeated hold and the event of a claim end, behind a lock of %s, the %s first, the claim with the higher id: %s',
  async (locked, first, isYounger) => {
    const [a, order_id] = [await shop.stocked(5), uuidv7()];
    const [low, high] = [uuidv7(), uuidv7()];
    const [replaces, claim] = isYounger ? [low, high] : [high, low];
    await shop.reserve(replaces, 0, { [a]: 1 });
    await shop.orderEvents.take([orderEvent('order_created', 1, { order_id, stock_claim_id: replaces })]);
    await shop.reserve(claim, 0, { [a]: 2 }, { order_id, replaces });
    const repeated = () => hold({ ...held(claim, a, 2), order_id, replaces });
    const event = () =>
      test.database.transaction(async (tx) => {
        await lockOrder(tx, order_id);
        await moveReservation(tx, { move: 'confirm', orderRequestId: claim, orderId: order_id });
      });
    const works = first === 'hold' ? [repeated, event] : [event, repeated];
    await runBehind(locked === 'the claim' ? claim : replaces, works);
    expect(await shop.stockOf(a)).toMatchObject({ stock: 5, reserved: 2, held_by_reservations: 2 });
  },
);

it('a new hold beside a claim ends although another replica makes the same hold', async () => {
  const a = await shop.stocked(9);
  const [made, replaces] = [uuidv7(), uuidv7()];
  await shop.reserve(replaces, 0, { [a]: 1 });
  const claim = { ...held(uuidv7(), a, 2), order_id: uuidv7(), replaces };
  await runBehind(replaces, [
    () => hold(held(made, a, 4), claim),
    () => hold(held(made, a, 4), held(replaces, a, 1)),
  ]);
  expect(await shop.stockOf(a)).toMatchObject({ stock: 9, reserved: 6, held_by_reservations: 6 });
});
