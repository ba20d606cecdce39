import * as api from '@offizin/contracts/orders/orders';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { newId } from '@offizin/pg/ids';
import { statement } from '@offizin/pg/database';
import type { OrderUpdateBody } from '@offizin/contracts/orders/orders';
import { revokeKey } from '../../people/directory/keys.store';
import { credentialOf } from '../../callers/live-caller.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { findOrderByKey, updateOrder, type UpsertOrder, upsertOrders } from './orders.store';
import { coreSpec } from '../../spec/core-spec';
import { patchOf } from './order-patch';

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

describe('a batch of upserts', () => {
  it('gives each caller its own outcome: written, unchanged, foreign shop, revoked key', async () => {
    const other = await OrderCoreFixture.make(test.database);
    await upsertOrders(test.database, [core.upsertMember('same', { customer_name: 'A' })]);
    await revokeKey(test.database, other.orgId, other.keyId);
    const outcomes = await upsertOrders(test.database, [
      core.upsertMember('new', { customer_name: 'N' }),
      core.upsertMember('same', { customer_name: 'A' }),
      core.upsertMember('foreign', {}, { shopId: other.shopId }),
      core.upsertMember(
        'revoked',
        {},
        { orgId: other.orgId, shopId: other.shopId, credential: credentialOf(other.key()) },
      ),
      core.upsertMember('same-again', { customer_name: 'S' }, { shopId: core.otherShopId }),
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'written', created: true, order: { external_id: 'new', customer_name: 'N', sequence: 1 } },
      { kind: 'unchanged' },
      { kind: 'shop-unknown' },
      { kind: 'caller-not-live' },
      { kind: 'written', created: true, order: { external_id: 'same-again', shop_id: core.otherShopId } },
    ]);
    const { body } = await core.call(api.listOrders);
    expect(body.data.map((order) => order.external_id).sort()).toEqual(['new', 'same', 'same-again']);
    const { body: foreign } = await other.call(api.listOrders, { caller: other.key() });
    expect(foreign.data).toEqual([]);
  });

  it('writes history and event of each order with its own values', async () => {
    const names = ['a', 'b', 'c'];
    const outcomes = await upsertOrders(
      test.database,
      names.map((name) => core.upsertMember(name, { customer_name: `Kunde ${name}` })),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind !== 'written') throw new Error(outcome.kind);
      const [first] = await core.historyOf(outcome.order.id);
      const change = first?.changes.find(({ field }) => field === 'customer_name');
      expect(change?.new).toBe(`Kunde ${names[index]}`);
      expect(await core.eventsOf(outcome.order.id)).toMatchObject([
        { event_type: 'order_created', sequence: 1, metadata: { order_id: outcome.order.id } },
      ]);
    }
  });

  it('stores the others when the database refuses one of them', async () => {
    const batches = new MicroBatches({
      run: (orders: UpsertOrder[]) => upsertOrders(test.database, orders),
      keyOf: ({ externalId }: UpsertOrder) => externalId,
    });
    const tooMuch = { total_amount: 1e12, total_is_given: true };
    const answers = await Promise.allSettled(
      [core.upsertMember('x'), core.upsertMember('poison', tooMuch), core.upsertMember('y')].map((order) =>
        batches.submit(order),
      ),
    );
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { kind: 'written', created: true } },
      { status: 'rejected', reason: { code: 'invalid_request' } },
      { status: 'fulfilled', value: { kind: 'written', created: true } },
    ]);
    expect((await core.call(api.listOrders)).body.pagination.total).toBe(2);
  });

  it('runs upserts of one pair one after the other', async () => {
    const [first, second] = await Promise.all([
      core.upsert('one', { customer_name: 'A', address_city: 'Kiel' }),
      core.upsert('one', { customer_name: 'B' }),
    ]);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(first.body).toMatchObject({ customer_name: 'A' });
    expect(second.body).toMatchObject({ customer_name: 'B', shipping_address: { city: 'Kiel' } });
    expect(await core.eventsOf(second.body.id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
  });

  it('locks in one order: statements over the same orders never deadlock', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `cross-${index}`);
    const rounds = Array.from({ length: 12 }, (_, round) => {
      const orders = names.map((name) => core.upsertMember(name, { customer_name: `Runde ${round}` }));
      return upsertOrders(test.database, round % 2 ? orders.reverse() : orders);
    });
    const outcomes = (await Promise.all(rounds)).flat();
    expect(outcomes.filter(({ kind }) => kind === 'written')).toHaveLength(names.length * rounds.length);
    const { body } = await core.call(api.listOrders, { query: 'limit=200' });
    const [last] = body.data;
    expect(new Set(body.data.map((order) => order.customer_name))).toEqual(new Set([last?.customer_name]));
  });
});

describe('each way to change an order', () => {
  /** Three statements change an order: single upsert, batch, update by id. They must give the same result. */
  type Way = (externalId: string, body: OrderUpdateBody) => Promise<unknown>;

  const member = (externalId: string, body: OrderUpdateBody = {}) =>
    core.upsertMember(externalId, patchOf(body));
  const alone: Way = (externalId, body) => upsertOrders(test.database, [member(externalId, body)]);
  const amongOthers: Way = (externalId, body) =>
    upsertOrders(test.database, [member(newId()), member(externalId, body), member(newId())]);
  const byId: Way = async (externalId, body) => {
    const row = await findOrderByKey(test.database, core.orgId, core.shopId, externalId);
    const { patch, ...by } = member(externalId, body);
    return updateOrder(test.database, core.orgId, { ...by, id: row?.id ?? '', patch });
  };

  interface Stored {
    order: Record<string, unknown>;
    history: unknown[];
    events: string[];
  }

  const storedSql = statement<Stored, [string, string]>(
    'spec_stored',
    `SELECT to_jsonb(o) - '{id,external_id,created_at,updated_at,summary}'::text[] AS "order",
     (SELECT json_agg(json_build_array(h.sequence, h.action, h.actor, h.fields) ORDER BY h.sequence)
      FROM core.order_history h WHERE h.order_id = o.id) AS history,
     (SELECT json_agg(e.event_type || (e.body::jsonb #- '{metadata,order_id}' -> 'metadata') ORDER BY e.sequence)
      FROM core.outbox e WHERE e.aggregate_id = o.id::text) AS events
   FROM core.orders o WHERE o.shop_id = $1 AND o.external_id = $2`,
  );

  /** The stored order that `first` created and `then` changed in that way. */
  async function storedAfter(way: Way, first: OrderUpdateBody, then: OrderUpdateBody): Promise<Stored> {
    const externalId = newId();
    await (way === byId ? alone : way)(externalId, first);
    await way(externalId, then);
    const [stored] = await test.database.rows(storedSql, core.shopId, externalId);
    if (!stored) throw new Error('nothing is stored');
    return stored;
  }

  const LINES = { items: [{ qty: 2, price: 1.15 }] };
  const FULL: OrderUpdateBody = {
    order_number: 'n',
    order_datetime: '2026-01-01T00:00:00Z',
    customer_name: 'A',
    customer_email: 'a@b.de',
    address_street: 's',
    address_city: 'c',
    address_postal_code: 'p',
    address_phone: 't',
    payment_status: 'paid',
    payment_reference: 'r',
    shipping_option: 'Versand',
    shipped: true,
    picked_up: true,
    cash_on_pickup: true,
    ...LINES,
    total_amount: 5.95,
  };
  const OTHER: OrderUpdateBody = {
    order_number: 'm',
    order_datetime: '2026-02-02T00:00:00+01:00',
    customer_name: '',
    customer_email: 'x@b.de',
    address_street: '"',
    address_city: 'ü',
    address_postal_code: '\\',
    address_phone: '\n',
    payment_status: 'failed',
    payment_reference: 'q',
    shipping_option: 'Express',
    shipped: false,
    picked_up: false,
    cash_on_pickup: false,
    items: [{ qty: 3, price: 0.1 }],
    total_amount: 7,
  };
  const FIELDS = Object.keys(FULL) as (keyof OrderUpdateBody)[];
  const none = Object.fromEntries(FIELDS.map((field) => [field, null]));

  /** For each field: another value, null, the same value. */
  const changes: [string, OrderUpdateBody][] = FIELDS.flatMap((field): [string, OrderUpdateBody][] => [
    [`${field} set`, { [field]: OTHER[field] }],
    [`${field} cleared`, { [field]: null }],
    [`${field} as it is`, { [field]: FULL[field] }],
  ]);

  const together: [string, OrderUpdateBody][] = [
    ['nothing', {}],
    ['everything set', OTHER],
    ['everything cleared', none],
    ['everything as it is', FULL],
    ['payment and its reference', { payment_status: 'refunded', payment_reference: null }],
    ['payment cleared for another way of paying', { payment_status: null, cash_on_pickup: false }],
    ['payment beside a name as it is', { payment_status: 'failed', customer_name: 'A' }],
    ['lines under a total that is given', { items: [{ qty: 1, price: 4 }] }],
    ['the total that the lines make', { total_amount: 2.3 }],
    ['new lines with the total that they make', { total_amount: 4, items: [{ qty: 1, price: 4 }] }],
    ['new lines with the total of before', { total_amount: 2.3, items: [{ qty: 1, price: 4 }] }],
    ['the total given back beside new lines', { total_amount: null, items: [{ qty: 1, price: 4 }] }],
    ['total and payment cleared', { total_amount: null, payment_status: null }],
    ['lines under a given total, and payment cleared', { ...LINES, payment_status: null }],
  ];

  describe.each([
    ['an order that has everything', FULL],
    ['an order that has nothing', {}],
    ['an order whose total follows its lines', LINES],
  ] as [string, OrderUpdateBody][])('%s', (_, first) => {
    it.each([...changes, ...together])('is changed alike by each way: %s', async (_name, then) => {
      const expected = await storedAfter(alone, first, then);
      expect(await storedAfter(amongOthers, first, then)).toEqual(expected);
      expect(await storedAfter(byId, first, then)).toEqual(expected);
    });
  });

  it('a total that the lines make is not a given one, and an echo of the order changes nothing', async () => {
    const isGiven = async (then: OrderUpdateBody) => {
      const { order, history } = await storedAfter(alone, LINES, then);
      return [order['total_amount'], order['total_is_given'], history.length];
    };
    expect(await isGiven({ total_amount: 2.3 })).toEqual([2.3, false, 1]);
    expect(await isGiven({ ...LINES, total_amount: 2.3 })).toEqual([2.3, false, 1]);
    expect(await isGiven({ total_amount: 4, items: [{ qty: 1, price: 4 }] })).toEqual([4, false, 2]);
    expect(await isGiven({ total_amount: 2.3, items: [{ qty: 1, price: 4 }] })).toEqual([2.3, true, 2]);
    expect(await isGiven({ total_amount: 2.31 })).toEqual([2.31, true, 2]);
  });

  it('an absent field stays, null clears, the same value sends no event', async () => {
    const withDefault = /^(total|payment_status|items|shipped|picked|cash)/;
    for (const field of FIELDS.filter((name) => !withDefault.test(name))) {
      const cleared = await storedAfter(alone, FULL, { [field]: null });
      const same = await storedAfter(alone, FULL, { [field]: FULL[field] });
      expect([same.order['sequence'], same.history.length, same.events.length]).toEqual([1, 1, 1]);
      expect({ ...cleared.order, event_change: null }).toEqual({
        ...same.order,
        [field]: null,
        sequence: 2,
      });
    }
  });
});
