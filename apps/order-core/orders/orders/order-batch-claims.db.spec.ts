import { patchOrderStatuses, upsertOrders } from '@offizin/contracts/orders/order-batches';
import { databaseSpec } from '../../spec/core-spec';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { saveFollowsOrders } from '../stock/stock-claims.store';

/** Batches whose members claim stock, and the time that they have. */
const test = databaseSpec();
let core: OrderCoreFixture;
/** The catalog's side of a claim. */
let hold: () => Promise<number>;

beforeEach(async () => {
  hold = () => Promise.resolve(0);
  core = await OrderCoreFixture.make(test.database, [], {
    hold: async () => {
      await hold();
      return 'reserved';
    },
    release: () => Promise.resolve(),
  });
  await saveFollowsOrders(test.database, core.orgId, true);
});

describe('a batch of 120 claims, each of 100 ms in the catalog, one after the other', () => {
  const sent = (qty: (n: number) => number) =>
    Array.from({ length: 120 }, (_, n) => ({
      shop_id: core.shopId,
      external_id: `many ${n}`,
      items: [{ p1_id: 'p', qty: qty(n), price: 1 }],
    }));
  const upsertAll = async (qty: (n: number) => number, answerWithinMs?: number) => {
    const body = { orders: sent(qty) };
    return core.call(upsertOrders, { body, ...(answerWithinMs !== undefined && { answerWithinMs }) });
  };
  /** The clock passes by the claims alone. The call has 10 s. */
  const timed = async <T>(call: (answerWithinMs: number) => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    let passedMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => startedAt + passedMs);
    hold = () => Promise.resolve((passedMs += 100));
    const answer = await call(10_000).finally(() => clock.mockRestore());
    expect(passedMs).toBeLessThan(10_000);
    hold = () => Promise.resolve(0);
    return answer;
  };

  /** Which members of a window come to their claim first is not said: they run together. */
  const countOf = (flags: readonly boolean[]) => flags.filter(Boolean).length;

  it('begins a reopening only while there is time for it, and refuses the others by name', async () => {
    const ids = (await upsertAll(() => 1)).body.results.map((one) => one.order_id);
    const close = ids.map((order_id) => ({ order_id, status: 'shipped' }));
    await core.call(patchOrderStatuses, { body: { patches: close } });
    const body = { patches: ids.map((order_id) => ({ order_id, status: 'pending', force: true })) };
    const first = await timed((answerWithinMs) => core.call(patchOrderStatuses, { body, answerWithinMs }));
    expect(first.status).toBe(200);
    const { results } = first.body;
    const isLate = results.map(({ status }) => status === 'error');
    expect(countOf(isLate)).toBeGreaterThan(20);
    expect(countOf(isLate)).toBeLessThan(40);
    const late = { status: 'error', error: 'service_unavailable', order_id: null };
    expect(results).toMatchObject(isLate.map((one) => (one ? late : { status: 'updated' })));
    const again = (await core.call(patchOrderStatuses, { body })).body.results;
    expect(again.map(({ status }) => status)).toEqual(isLate.map((one) => (one ? 'updated' : 'unchanged')));
  });

  it('does not let an order that stays as it is wait for the claims of others', async () => {
    await upsertAll(() => 1);
    const { status, body } = await timed((ms) => upsertAll((n) => (n === 119 ? 1 : 2), ms));
    expect([status, body.results.at(-1)]).toMatchObject([200, { status: 'unchanged' }]);
    expect(countOf(body.results.map(({ error }) => error === 'service_unavailable'))).toBeGreaterThan(20);
  });
});
