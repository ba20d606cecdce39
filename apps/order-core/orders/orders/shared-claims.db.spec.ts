import { Refused } from '@offizin/contracts/calls/errors';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { listOrders } from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { databaseSpec } from '../../spec/core-spec';
import { catalog, claims, forgetHolds, holds } from '../../spec/recorded-holds';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { saveFollowsOrders, settleClaim } from '../stock/stock-claims.store';

/** Members of one order in a batch, where stock follows it. */
const test = databaseSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  forgetHolds();
  core = await OrderCoreFixture.make(test.database, [], holds);
  await saveFollowsOrders(test.database, core.orgId, true);
});

const makeTestShop = statement<never, [string]>(
  'spec_make_test_shop',
  'UPDATE core.shops SET is_test = true WHERE id = $1',
);

const lines = (p1_id: string, qty: number) => ({ items: [{ p1_id, qty, price: 1 }] });

async function claimsOfEvents(orderId: string): Promise<[string, unknown][]> {
  return (await core.eventsOf(orderId)).map(({ topic, metadata }) => [topic, metadata['stock_claim_id']]);
}

describe('members of one order in a batch', () => {
  const send = async (members: readonly object[]) => {
    const orders = members.map((fields) => ({ shop_id: core.shopId, external_id: 'a', ...fields }));
    const { results } = (await core.call(upsertOrders, { body: { orders } })).body;
    return { statuses: results.map((one) => one.error ?? one.status), id: results[0]?.order_id ?? '' };
  };
  const updated = (count: number) => Array.from({ length: count }, () => 'updated');
  const asked = () => catalog.asked.map((one) => one.lines);
  const pieces = (quantity: number) => [{ p1_id: 'p', quantity }];
  const writers = statement<{ transactions: number; entries: number }, [string]>(
    'spec_claim_writers',
    'SELECT count(DISTINCT xmin::text)::int AS transactions, count(*)::int AS entries FROM core.order_history WHERE order_id = $1',
  );

  it('share the claim of the last lines', async () => {
    const members = [{ customer_name: 'A' }, lines('p', 2), { customer_name: 'B' }, lines('p', 3)];
    const { statuses, id } = await send([...members, { customer_name: 'C' }]);
    expect([statuses, asked()]).toEqual([['created', ...updated(4)], [pieces(3)]]);
    expect(await core.order(id)).toMatchObject({
      customer_name: 'C',
      items: [{ quantity: 3 }],
      stock: 'reserved',
    });
    const [claim = ''] = claims();
    expect(await claimsOfEvents(id)).toEqual([
      ['plain', null],
      ...Array.from({ length: 4 }, () => ['stock', claim]),
    ]);
    expect(await settleClaim(test.database, claim)).toEqual({ orderId: id });
    expect((await send([lines('p', 3), lines('p', 3)])).statuses).toEqual(['unchanged', 'unchanged']);
    expect(claims()).toEqual([claim]);
  });

  it('hold the most of each product for a moment, and then the last lines', async () => {
    const { id } = await send([lines('p', 1)]);
    const { statuses } = await send([lines('p', 5), lines('q', 2), { items: null }, lines('p', 2)]);
    expect(statuses).toEqual(updated(4));
    const most = [...pieces(5), { p1_id: 'q', quantity: 2 }];
    expect(asked()).toEqual([pieces(1), most, pieces(2)]);
    const [first, moment = '', last] = claims();
    expect(catalog.asked.slice(1).map(({ replaces }) => replaces)).toEqual([first, first]);
    expect([catalog.released, await settleClaim(test.database, moment)]).toEqual([[moment], null]);
    expect((await claimsOfEvents(id)).at(-1)).toEqual(['stock', last]);
    expect(await core.order(id)).toMatchObject({ stock: 'reserved', items: [{ quantity: 2 }] });
  });

  it('are 500 changes in a few transactions and claims', async () => {
    const { statuses, id } = await send(Array.from({ length: 500 }, (_, n) => lines('p', 1 + (n % 7))));
    expect(statuses).toEqual(['created', ...updated(499)]);
    // Eight windows.
    expect(catalog.asked.length).toBeLessThanOrEqual(16);
    expect(await test.database.rows(writers, id)).toEqual([{ transactions: 8, entries: 500 }]);
    const used = [...new Set((await claimsOfEvents(id)).map(([, claim]) => claim))];
    const replacedBy = new Map(catalog.asked.map((one) => [one.order_request_id, one.replaces]));
    expect(used.slice(1).map((claim) => replacedBy.get(String(claim)))).toEqual(used.slice(0, -1));
  });

  /** The catalog has five pieces. */
  const refuseMany = () => {
    catalog.before = ({ order_request_id: id }) => {
      const claim = catalog.asked.find((one) => one.order_request_id === id);
      const isMore = claim?.lines.some(({ quantity }) => quantity > 5);
      return isMore ? Promise.reject(new Refused('out_of_stock', 'none')) : Promise.resolve();
    };
  };

  it('share few claims beside one that lacks stock', async () => {
    refuseMany();
    const members = Array.from({ length: 64 }, (_, n) => lines('p', n === 40 ? 9 : 1 + (n % 5)));
    const { statuses, id } = await send(members);
    expect(statuses).toEqual(['created', ...updated(39), 'out_of_stock', ...updated(23)]);
    // 64, 32, 16 and 8 lack stock; three halves claim their most and their last lines, and eight members run alone.
    expect(catalog.asked.length).toBeLessThanOrEqual(20);
    expect(await core.order(id)).toMatchObject({ stock: 'reserved', items: [{ quantity: 4 }] });
    const used = [...new Set((await claimsOfEvents(id)).map(([, claim]) => claim))];
    const replacedBy = new Map(catalog.asked.map((one) => [one.order_request_id, one.replaces]));
    expect(used.slice(1).map((claim) => replacedBy.get(String(claim)))).toEqual(used.slice(0, -1));
  });

  const many = (first: number) => ({
    metadata: Object.fromEntries(Array.from({ length: 20 }, (_, key) => [`k${first + key}`, 'v'])),
  });
  const changes: [string, () => object[]][] = [
    ['one lacks stock', () => [lines('p', 2), lines('p', 9), { order_number: '7' }, lines('p', 4)]],
    ['the last one lacks stock', () => [lines('p', 2), { customer_name: 'B' }, lines('p', 9)]],
    ['one is wrong', () => [lines('p', 2), { items: [{ p1_id: 'p', qty: 0, price: 1 }] }, lines('p', 4)]],
    ['the last one is wrong', () => [lines('p', 2), lines('p', 4), { ...lines('p', 3), order_number: 7 }]],
    ['one stays as it is', () => [lines('p', 2), lines('p', 2), lines('p', 3), lines('p', 3)]],
    ['one ends the transaction', () => [lines('p', 2), many(0), many(40), lines('p', 3)]],
    ['the first needs no claim', () => [{ items: [{ name: 'n', qty: 1, price: 1 }] }, lines('p', 3)]],
    ['none needs a claim', () => [{ customer_name: 'A' }, { items: [{ name: 'n', qty: 9, price: 1 }] }]],
  ];
  it.each(changes)('have the outcomes that they have one by one: %s', async (_name, members) => {
    refuseMany();
    const traces = async (statuses: readonly string[]) => {
      const { data } = (await core.call(listOrders, { query: 'limit=10' })).body;
      const id = data[0]?.id ?? '';
      const { id: _, shop_id: _shop, created_at: _made, updated_at: _at, ...order } = await core.order(id);
      const history = (await core.historyOf(id)).map(({ action, changes: made }) => [action, made]);
      const types = (await core.eventsOf(id)).map(({ event_type: type, topic }) => [type, topic]);
      return { statuses, order, history, types };
    };
    const together = await traces((await send(members())).statuses);
    core = await OrderCoreFixture.make(test.database, [], holds);
    await saveFollowsOrders(test.database, core.orgId, true);
    const alone: string[] = [];
    for (const member of members()) alone.push(...(await send([member])).statuses);
    expect(together).toEqual(await traces(alone));
  });

  it.each(['is changed', 'is made'])(
    'are all stored when the order %s while their claim is held',
    async (how) => {
      const other = core.replica(holds);
      if (how === 'is changed') await core.upsert('a', lines('p', 1));
      let once = true;
      catalog.before = async () => {
        if (!once) return;
        once = false;
        await other.upsert('a', { ...lines('p', 5), order_number: 'other' });
      };
      const { statuses, id } = await send([lines('p', 2), { customer_name: 'B' }, lines('p', 3)]);
      expect(statuses).toEqual(updated(3));
      expect(await core.order(id)).toMatchObject({
        order_number: 'other',
        customer_name: 'B',
        items: [{ quantity: 3 }],
      });
      const used = [...new Set((await claimsOfEvents(id)).map(([, claim]) => claim))];
      const replacedBy = new Map(catalog.asked.map((one) => [one.order_request_id, one.replaces]));
      expect(used.slice(1).map((claim) => replacedBy.get(String(claim)))).toEqual(used.slice(0, -1));
    },
  );

  it('of a test shop claim nothing', async () => {
    await test.database.rows(makeTestShop, core.shopId);
    const { statuses, id } = await send([lines('p', 2), lines('p', 3)]);
    expect([statuses, catalog.asked]).toEqual([['created', 'updated'], []]);
    expect(await core.eventsOf(id)).toHaveLength(2);
  });
});

it('stores 500 changes of the prices of one order in one batch, without a claim', async () => {
  await core.upsert('a', lines('p', 2));
  const orders = Array.from({ length: 500 }, (_, price) => ({
    shop_id: core.shopId,
    external_id: 'a',
    items: [{ p1_id: 'p', qty: 2, price: price + 2 }],
  }));
  const { body } = await core.call(upsertOrders, { body: { orders } });
  expect(body.results.filter(({ status }) => status !== 'updated')).toEqual([]);
  expect(catalog.asked).toHaveLength(1);
  const id = body.results[0]?.order_id ?? '';
  expect(await core.order(id)).toMatchObject({ total_amount: 2 * 501, stock: 'reserved' });
  expect((await core.eventsOf(id)).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 501 }, (_, at) => at + 1),
  );
});

it('a batch that runs out of time names the members that it stored, and stores nothing of the others', async () => {
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now');
  catalog.before = ({ replaces }) => {
    if (replaces) clock.mockImplementation(() => now() + 60_000);
    return Promise.resolve();
  };
  // The last three share the second claim.
  const orders = Array.from({ length: 67 }, (_, n) => ({
    shop_id: core.shopId,
    external_id: 'a',
    ...lines('p', n + 1),
  }));
  const { status, body } = await core.call(upsertOrders, { body: { orders } });
  clock.mockRestore();
  const late = { status: 'error', error: 'service_unavailable', order_id: null };
  expect([status, body.results.slice(62)]).toMatchObject([
    200,
    [{ status: 'updated' }, { status: 'updated' }, late, late, late],
  ]);
  const id = body.results[0]?.order_id ?? '';
  expect((await core.order(id)).items).toMatchObject([{ quantity: 64 }]);
  expect(await core.eventsOf(id)).toHaveLength(64);
  expect(catalog.released).toEqual(claims().slice(1));
});
