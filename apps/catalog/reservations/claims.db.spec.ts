import { v7 as uuidv7 } from 'uuid';
import { statement } from '@offizin/pg/database';
import { CatalogFixture, catalogSpec, orderEvent } from '../spec/spec-fixture';
import { moveReservation } from './move.store';
import { OldHolds } from './old-holds';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

/** Orders whose stock follows their lines: each change of the lines is a claim that replaces the previous one. */

type Lines = Record<string, number>;

/** An order as order-core keeps it: its present claim, and the number of its events. */
class Order {
  readonly id = uuidv7();
  claim: string | null = null;
  private sequence = 0;

  /** Asks for a hold that replaces the present claim; it is not committed yet. */
  async ask(
    lines: Lines,
    ended_as?: 'sold' | 'released',
  ): Promise<{ claim: string; held: boolean; stocked?: boolean; status: number }> {
    const claim = uuidv7();
    const replaced = this.claim === null ? {} : { order_id: this.id, replaces: this.claim, ended_as };
    const { status, body } = await shop.reserve(claim, 0, lines, replaced);
    return { claim, held: body.held, stocked: body.is_stocked, status };
  }

  /** Commits a claim, and resolves with its event, which the catalog has not seen yet. */
  commit(claim: string) {
    this.claim = claim;
    const type = this.sequence === 0 ? 'order_created' : 'order_updated';
    return orderEvent(type, ++this.sequence, { order_id: this.id, stock_claim_id: claim });
  }

  async change(lines: Lines): Promise<void> {
    const { claim, held } = await this.ask(lines);
    expect(held).toBe(true);
    await shop.orderEvents.take([this.commit(claim)]);
  }

  ended(new_status: string) {
    const metadata = { order_id: this.id, stock_claim_id: this.claim, new_status };
    return orderEvent('order_status_updated', ++this.sequence, metadata);
  }

  async end(status: string): Promise<void> {
    await shop.orderEvents.take([this.ended(status)]);
  }

  /** Commits a claim that reopens the order to a status. */
  reopened(claim: string, old_status: string, new_status = 'pending') {
    const metadata = { order_id: this.id, stock_claim_id: (this.claim = claim), old_status, new_status };
    return orderEvent('order_status_updated', ++this.sequence, metadata);
  }
}

async function expectStock(p1: string, stock: number, reserved: number): Promise<void> {
  const sums = await shop.stockOf(p1);
  expect(sums).toMatchObject({ stock, reserved, held_by_reservations: reserved, log_sum: stock });
}

it('a change holds only the difference until it commits, then all of its lines', async () => {
  const [a, b, c] = [await shop.stocked(5), await shop.stocked(5), await shop.stocked(5)];
  const order = new Order();
  await order.change({ [a]: 3, [b]: 2 });
  const { claim } = await order.ask({ [a]: 5, [b]: 1, [c]: 1 });
  await expectStock(a, 5, 5);
  await expectStock(b, 5, 2);
  await expectStock(c, 5, 1);
  const event = order.commit(claim);
  await shop.orderEvents.take([event]);
  await shop.orderEvents.take([event]);
  await expectStock(a, 5, 5);
  await expectStock(b, 5, 1);
  await expectStock(c, 5, 1);
  await order.end('shipped');
  await expectStock(a, 0, 0);
  await expectStock(b, 4, 0);
  await expectStock(c, 4, 0);
});

it('a claim states whether a line of the order is of the inventory', async () => {
  const [a, outside] = [await shop.stocked(5), await shop.product()];
  const order = new Order();
  const asked: (boolean | undefined)[] = [];
  for (const lines of [
    { [outside]: 1 },
    { [a]: 3, [outside]: 1 },
    { [a]: 1 },
    { [a]: 1 },
    { [outside]: 2 },
    {},
  ]) {
    const { claim, stocked } = await order.ask(lines);
    asked.push(stocked);
    await shop.orderEvents.take([order.commit(claim)]);
  }
  expect(asked).toEqual([false, true, true, true, false, false]);
  await order.change({ [a]: 3 });
  await order.end('shipped');
  expect(await order.ask({ [a]: 3 }, 'sold')).toMatchObject({ held: true, stocked: true });
  expect(await order.ask({ [outside]: 3 }, 'sold')).toMatchObject({ held: true, stocked: false });
  expect(await order.ask({ [a]: 6 }, 'sold')).toMatchObject({ held: false, stocked: false });
});

it('a change that lacks stock holds nothing, and the order keeps its reservation', async () => {
  const [a, b] = [await shop.stocked(5), await shop.stocked(1)];
  const order = new Order();
  await order.change({ [a]: 3 });
  expect(await order.ask({ [a]: 5, [b]: 2 })).toMatchObject({ held: false });
  await expectStock(a, 5, 3);
  await expectStock(b, 1, 0);
});

const transactionsOf = statement<{ count: number }, [string[]]>(
  'spec_claim_transactions',
  `SELECT count(DISTINCT xmin::text)::int FROM catalog.reservations WHERE order_request_id = ANY ($1::uuid[])`,
);
const expire = statement<never, [string]>(
  'spec_expire_claim',
  `UPDATE catalog.reservations SET expires_at = now() - interval '1 s' WHERE order_request_id = $1`,
);

it.each(['void', 'approved'] as const)(
  'a claim that nobody confirmed is asked about: %s',
  async (outcome) => {
    const a = await shop.stocked(9);
    const order = new Order();
    await order.change({ [a]: 3 });
    const { claim } = await order.ask({ [a]: 7 });
    await test.database.rows(expire, claim);
    const order_id = outcome === 'void' ? null : order.id;
    await new OldHolds(test.database, () => Promise.resolve({ outcome, order_id })).sweep();
    await expectStock(a, 9, outcome === 'void' ? 3 : 7);
  },
);

it('a released claim leaves the previous reservation unchanged', async () => {
  const a = await shop.stocked(9);
  const order = new Order();
  await order.change({ [a]: 3 });
  const { claim } = await order.ask({ [a]: 7 });
  await test.database.transaction((tx) =>
    moveReservation(tx, { move: 'release', orderRequestId: claim, orderId: null, heldByAttempt: 0 }),
  );
  await expectStock(a, 9, 3);
  await order.end('cancelled');
  await expectStock(a, 9, 0);
});

it('the next change waits for no event: it proves that the replaced claim has committed', async () => {
  const a = await shop.stocked(6);
  const order = new Order();
  await order.change({ [a]: 4 });
  const late = order.commit((await order.ask({ [a]: 1 })).claim);
  const other = new Order();
  expect(await other.ask({ [a]: 4 })).toMatchObject({ held: false });
  // With the change from 4 to 1 in place there is room for 6 in all.
  await order.change({ [a]: 6 });
  await expectStock(a, 6, 6);
  await shop.orderEvents.take([late]);
  await expectStock(a, 6, 6);
  await order.end('picked_up');
  await expectStock(a, 0, 0);
});

it('ends the same in whatever order its events come', async () => {
  for (const status of ['cancelled', 'completed']) {
    const a = await shop.stocked(9);
    const order = new Order();
    const created = order.commit((await order.ask({ [a]: 2 })).claim);
    const changed = order.commit((await order.ask({ [a]: 5 })).claim);
    const ended = order.ended(status);
    for (const event of [ended, changed, created, ended]) await shop.orderEvents.take([event]);
    await expectStock(a, status === 'cancelled' ? 9 : 4, 0);
  }
});

const ENDS = [
  ['cancelled', 'released'],
  ['shipped', 'sold'],
] as const;

describe.each(ENDS)('an order that was %s and is reopened', (status, ended) => {
  const endedWith = async (lines: Lines) => {
    const order = new Order();
    await order.change(lines);
    return { order, end: order.ended(status) };
  };

  it.each([true, false])(
    'holds all lines again, with the event of its end before the claim: %s',
    async (isEarly) => {
      const [a, b] = [await shop.stocked(9), await shop.stocked(3)];
      const { order, end } = await endedWith({ [a]: 4 });
      if (isEarly) await shop.orderEvents.take([end]);
      const { claim, held } = await order.ask({ [a]: 6, [b]: 1 }, ended);
      expect(held).toBe(true);
      await expectStock(a, ended === 'sold' ? 5 : 9, ended === 'sold' ? 2 : 6);
      const event = order.reopened(claim, status);
      // Late and repeated events of before move nothing.
      await shop.orderEvents.take([event, end, event]);
      await expectStock(a, 9, 6);
      await expectStock(b, 3, 1);
      await order.change({ [a]: 8 });
      await shop.orderEvents.take([end]);
      await expectStock(a, 9, 8);
      await order.end('shipped');
      await expectStock(a, 1, 0);
      expect((await shop.stockOf(a)).log_entries).toBe(ended === 'sold' ? 4 : 2);
    },
  );

  it('holds nothing where one line lacks stock, and a claim that became void changes nothing', async () => {
    const [a, b] = [await shop.stocked(5), await shop.stocked(1)];
    const { order } = await endedWith({ [a]: 4 });
    const left = ended === 'sold' ? 1 : 5;
    expect((await order.ask({ [a]: 4, [b]: 2 }, ended)).held).toBe(false);
    await expectStock(a, left, 0);
    const { claim } = await order.ask({ [a]: 5 }, ended);
    await test.database.rows(expire, claim);
    await new OldHolds(test.database, () => Promise.resolve({ outcome: 'void', order_id: null })).sweep();
    await expectStock(a, left, 0);
    // The process died after its commit, and the event is not here yet.
    const again = await order.ask({ [a]: 5 }, ended);
    await test.database.rows(expire, again.claim);
    await new OldHolds(test.database, () =>
      Promise.resolve({ outcome: 'approved', order_id: order.id }),
    ).sweep();
    await shop.orderEvents.take([order.reopened(again.claim, status)]);
    await expectStock(a, 5, 5);
  });

  it('of several times books back each sale once', async () => {
    const a = await shop.stocked(5);
    const { order, end } = await endedWith({ [a]: 2 });
    await shop.orderEvents.take([end]);
    for (const pieces of [3, 4, 5]) {
      const { claim } = await order.ask({ [a]: pieces }, ended);
      await shop.orderEvents.take([order.reopened(claim, status), order.ended(status)]);
      await expectStock(a, ended === 'sold' ? 5 - pieces : 5, 0);
    }
  });
});

it('sells a cancelled order that goes out after all', async () => {
  const a = await shop.stocked(5);
  const order = new Order();
  await order.change({ [a]: 2 });
  await order.end('cancelled');
  const { claim } = await order.ask({ [a]: 2 }, 'released');
  await shop.orderEvents.take([order.reopened(claim, 'cancelled', 'shipped')]);
  await expectStock(a, 3, 0);
});

it('a claim is refused if another one has already replaced the same reservation', async () => {
  const a = await shop.stocked(9);
  const order = new Order();
  await order.change({ [a]: 2 });
  const stale = { order_id: order.id, replaces: order.claim };
  await order.change({ [a]: 3 });
  const { status } = await shop.reserve(uuidv7(), 0, { [a]: 4 }, stale);
  expect(status).toBe(409);
  await expectStock(a, 9, 3);
});

it('a claim takes the place of an approval’s hold, and holds no lines that are not stock-managed', async () => {
  const [a, outside] = [await shop.stocked(5), await shop.product()];
  const [request, orderId] = [uuidv7(), uuidv7()];
  await shop.reserve(request, 0, { [a]: 2 });
  const order = { order_id: orderId, order_request_id: request };
  await shop.orderEvents.take([orderEvent('order_created', 1, order)]);
  const claim = uuidv7();
  const replaced = { order_id: orderId, replaces: request };
  expect((await shop.reserve(claim, 0, { [a]: 4, [outside]: 3 }, replaced)).body.held).toBe(true);
  const changed = { ...order, stock_claim_id: claim };
  await shop.orderEvents.take([orderEvent('order_updated', 2, changed)]);
  await expectStock(a, 5, 4);
  // A repeated event from before the change applies to the current reservation.
  const ended = { ...order, new_status: 'cancelled' };
  await shop.orderEvents.take([orderEvent('order_status_updated', 3, ended)]);
  await expectStock(a, 5, 0);
});

it('claims of 40 orders share a few transactions, and the last pieces go to some of them', async () => {
  const a = await shop.stocked(60);
  const orders = Array.from({ length: 40 }, () => new Order());
  await Promise.all(orders.map((order) => order.change({ [a]: 1 })));
  const answers = await Promise.all(orders.map((order) => order.ask({ [a]: 2 })));
  expect(answers.filter(({ held }) => held)).toHaveLength(20);
  await expectStock(a, 60, 60);
  const claims = answers.map(({ claim }) => claim);
  const [made] = await test.database.rows(transactionsOf, claims);
  expect(made?.count).toBeLessThan(20);
  const events = orders.flatMap((order, n) => {
    const { claim, held } = answers[n] ?? { claim: '', held: false };
    return held ? [order.commit(claim)] : [];
  });
  await shop.orderEvents.take(events);
  await expectStock(a, 60, 60);
  await Promise.all(orders.map((order) => order.end('shipped')));
  await expectStock(a, 0, 0);
});

it('never promises a piece twice: a hundred orders that change concurrently', async () => {
  const [a, b] = [await shop.stocked(30), await shop.stocked(30)];
  const orders = Array.from({ length: 20 }, () => new Order());
  await Promise.all(orders.map((order) => order.change({ [a]: 1, [b]: 1 })));
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const order = orders[n % 20];
      const lines = { [n % 2 ? a : b]: (n % 5) + 1, [n % 2 ? b : a]: (n % 3) + 1 };
      return { order, ...(await order?.ask(lines)) };
    }),
  );
  expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  for (const p1 of [a, b]) {
    const { stock, reserved, held_by_reservations: held } = await shop.stockOf(p1);
    expect(reserved).toBe(held);
    expect(reserved).toBeLessThanOrEqual(stock);
  }
});
