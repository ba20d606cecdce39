import { upsertOrders as upsertBatch } from '@offizin/contracts/orders/order-batches';
import * as api from '@offizin/contracts/orders/orders';
import { CLOSED_STATUSES } from '@offizin/contracts/orders/settings';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { revokeKey } from '../../people/directory/keys.store';
import { credentialOf } from '../../callers/live-caller.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { type UpdateOrder, updateOrders } from './orders.store';
import { saveFollowsOrders } from '../stock/stock-claims.store';
import { coreSpec } from '../../spec/core-spec';
import { patchStatuses, type StatusPatch } from './order-status.store';

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

describe('a batch of updates', () => {
  async function makeOrder(of: OrderCoreFixture, external_id: string, more: object = {}): Promise<string> {
    return (await of.upsert(external_id, { customer_name: 'Anna', ...more })).body.id;
  }

  function member(id: string, further: Partial<UpdateOrder> = {}): UpdateOrder {
    const { shopId, externalId, ...order } = core.upsertMember('', { customer_name: 'Bert' });
    return { ...order, id, ifSequences: null, ...further };
  }

  const put = (orderId: string, body: object, ifMatch?: string) => core.update(orderId, body, { ifMatch });

  it('decides each separately: changed, unchanged, another version, foreign, unknown, revoked key', async () => {
    const other = await OrderCoreFixture.make(test.database);
    const revoked = await OrderCoreFixture.make(test.database);
    const foreign = await makeOrder(other, 'foreign');
    const lost = await makeOrder(revoked, 'lost');
    await revokeKey(test.database, revoked.orgId, revoked.keyId);
    const [changed = '', same = '', stale = '', current = ''] = await Promise.all(
      ['changed', 'same', 'stale', 'current'].map((name) => makeOrder(core, name)),
    );
    const outcomes = await updateOrders(test.database, [
      member(changed),
      member(same, { patch: { customer_name: 'Anna' } }),
      member(stale, { ifSequences: [7] }),
      member(foreign),
      member(newId()),
      member(lost, { orgId: revoked.orgId, credential: credentialOf(revoked.key()) }),
      member(current, { ifSequences: [7, 1], patch: { payment_status: null, total_amount: 4 } }),
    ]);
    expect(outcomes).toMatchObject([
      { id: changed, customer_name: 'Bert', sequence: 2 },
      null,
      null,
      null,
      null,
      null,
      { id: current, customer_name: 'Anna', total_amount: 4, sequence: 2 },
    ]);
    expect(await core.eventsOf(changed)).toMatchObject([
      { event_type: 'order_created' },
      { event_type: 'order_updated', sequence: 2 },
    ]);
    for (const id of [same, stale]) expect(await core.eventsOf(id)).toHaveLength(1);
    for (const [of, id] of [
      [other, foreign],
      [revoked, lost],
    ] as const)
      expect(await of.eventsOf(id)).toHaveLength(1);
  });

  it('answers each of many concurrent PUTs by itself: refused ones among right ones', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => makeOrder(core, `many-${n}`)));
    const answers = await Promise.all(
      ids.flatMap((id, n) => [
        put(id, { customer_name: `Kunde ${n}` }),
        put(id, { customer_name: 'stale' }, '"7"'),
        put(newId(), { customer_name: 'unknown' }),
        put(id.toUpperCase(), { order_number: `B-${n}` }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.flatMap(() => [200, 412, 404, 200]));
    for (const [n, id] of ids.entries()) {
      expect(await core.order(id)).toMatchObject({ customer_name: `Kunde ${n}`, order_number: `B-${n}` });
      expect(await core.eventsOf(id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
    }
  });

  it('writes the sum of a refused order nowhere, and the others of its batch', async () => {
    const many = { items: [{ name: 'Gold', qty: 999_999, price: 99_999 }], total_amount: 1 };
    const large = await makeOrder(core, 'large', many);
    const small = await makeOrder(core, 'small');
    const [refused, written] = await Promise.all([
      put(large, { total_amount: null }),
      put(small, { customer_name: 'Bert' }),
    ]);
    expect([refused.status, written.status]).toEqual([400, 200]);
    expect(await core.eventsOf(large)).toHaveLength(1);
  });

  it('lets exactly one of concurrent PUTs on one version win', async () => {
    const id = await makeOrder(core, 'one');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => put(id, { customer_name: `Kunde ${n}` }, '"1"')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 412),
    ]);
  });

  it('never deadlocks with upserts of the same orders, in any order', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `cross-${index}`);
    const ids = await Promise.all(names.map((name) => makeOrder(core, name)));
    const rounds = Array.from({ length: 8 }, (_, round) => {
      const updates = ids.map((id) => member(id, { patch: { customer_name: `PUT ${round}` } }));
      const upserts = names.map((name) => core.upsert(name, { customer_name: `Runde ${round}` }));
      return Promise.all([updateOrders(test.database, round % 2 ? updates.reverse() : updates), ...upserts]);
    });
    const outcomes = (await Promise.all(rounds)).flatMap(([updates]) => updates);
    expect(outcomes.every((outcome) => outcome?.customer_name?.startsWith('PUT'))).toBe(true);
  });
});

describe('a batch of status patches', () => {
  async function makeOrder(of: OrderCoreFixture, externalId: string): Promise<string> {
    return (await of.upsert(externalId)).body.id;
  }

  function member(orderId: string, further: Partial<StatusPatch> = {}): StatusPatch {
    return {
      orgId: core.orgId,
      orderId,
      patch: { status: 'shipped' },
      actor: core.keyId,
      credential: credentialOf(core.key()),
      ifSequences: null,
      reopen: false,
      eventId: newId(),
      traceparent: null,
      audit: { actor: core.keyId, requestId: 'spec' },
      ...further,
    };
  }

  it('decides each separately: moved, refused, unchanged, another version, foreign, unknown, revoked key', async () => {
    const other = await OrderCoreFixture.make(test.database);
    const foreign = await makeOrder(other, 'foreign');
    const revoked = await OrderCoreFixture.make(test.database);
    const lost = await makeOrder(revoked, 'lost');
    await revokeKey(test.database, revoked.orgId, revoked.keyId);
    const [moved, refused, same, stale] = await Promise.all(
      ['moved', 'refused', 'same', 'stale'].map((name) => makeOrder(core, name)),
    );
    await patchStatuses(test.database, [member(refused ?? '', { patch: { status: 'cancelled' } })]);
    const outcomes = await patchStatuses(test.database, [
      member(moved ?? '', { patch: { status: 'awaiting_packing', payment_status: 'paid' } }),
      member(refused ?? '', { patch: { status: 'completed' } }),
      member(same ?? '', { patch: { status: 'pending' } }),
      member(stale ?? '', { patch: { status: 'awaiting_packing' }, ifSequences: [7] }),
      member(foreign),
      member(newId()),
      member(lost, { orgId: revoked.orgId, credential: credentialOf(revoked.key()) }),
    ]);
    expect(outcomes).toMatchObject([
      { allowed: true, old_status: 'pending', status: 'awaiting_packing', updated_at: expect.any(Date) },
      { allowed: false, old_status: 'cancelled', status: null },
      { allowed: true, status: null, updated_at: null },
      { old_sequence: 1, status: null },
      null,
      null,
      null,
    ]);
    expect(await core.eventsOf(moved ?? '')).toMatchObject([
      { event_type: 'order_created' },
      {
        event_type: 'order_status_updated',
        sequence: 2,
        metadata: {
          changed: ['status', 'payment_status'],
          old: { status: 'pending', payment_status: 'pending' },
        },
      },
    ]);
    for (const id of [same, stale]) expect(await core.eventsOf(id ?? '')).toHaveLength(1);
    expect(await other.eventsOf(foreign)).toHaveLength(1);
  });

  it('treats an id in capitals as the same order, also concurrently', async () => {
    const id = await makeOrder(core, 'capitals');
    await Promise.all([
      core.patch(id, { status: 'awaiting_packing' }),
      core.patch(id.toUpperCase(), { payment_status: 'paid' }),
    ]);
    expect(await core.eventsOf(id)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
  });

  it('never deadlocks with upserts of the same orders, in any order', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `cross-${index}`);
    const ids = await Promise.all(names.map((name) => makeOrder(core, name)));
    const rounds = Array.from({ length: 10 }, (_, round) => {
      const payment_status = round % 2 ? 'paid' : 'pending';
      const patches = ids.map((id) => member(id, { patch: { payment_status } }));
      const upserts = names.map((name) => core.upsert(name, { customer_name: `Runde ${round}` }));
      return Promise.all([patchStatuses(test.database, round % 2 ? patches.reverse() : patches), ...upserts]);
    });
    const outcomes = (await Promise.all(rounds)).flatMap(([patches]) => patches);
    expect(outcomes.every((outcome) => outcome?.allowed)).toBe(true);
  });
});

const allowClosed = statement<never, [string]>(
  'spec_allow_closed',
  `UPDATE core.organizations SET closed_orders = 'allow' WHERE id = $1`,
);

describe('a closed order', () => {
  const FIRST = {
    customer_name: 'Anna',
    address_city: 'Köln',
    shipping_option: 'Versand',
    items: [{ p1_id: 'p1', name: 'Tee', qty: 2, price: 3 }],
  };

  async function closed(status: api.OrderStatus = 'completed'): Promise<api.OrderDetail> {
    const { body: order } = await core.upsert(newId(), FIRST);
    await core.patch(order.id, { status });
    return core.order(order.id);
  }

  /** Each way answers with status or outcome, and the code of a refusal. */
  const ways = {
    POST: async ({ external_id }: api.OrderDetail, change: object) => {
      const { status, body } = await core.upsert(external_id, change);
      return [status, body.error ?? null];
    },
    PUT: async ({ id }: api.OrderDetail, change: object) => {
      const { status, body } = await core.update(id, change);
      return [status, body.error ?? null];
    },
    batch: async ({ shop_id, external_id }: api.OrderDetail, change: object) => {
      const fresh = { shop_id, external_id: newId() };
      const orders = [fresh, { shop_id, external_id, ...change }, { ...fresh, external_id: newId() }];
      const { body } = await core.call(upsertBatch, { body: { orders } });
      const [before, member, after] = body.results;
      expect([before?.status, after?.status]).toEqual(['created', 'created']);
      return [member?.status === 'error' ? 409 : 200, member?.error ?? null];
    },
  };
  type Way = keyof typeof ways;
  const WAYS = Object.keys(ways) as Way[];

  const refused: [string, object][] = [
    ['lines', { items: [{ p1_id: 'p1', name: 'Tee', qty: 3, price: 3 }] }],
    ['no lines', { items: null }],
    ['a total', { total_amount: 7 }],
    ['a customer', { customer_name: 'Bert' }],
    ['an e-mail', { customer_email: 'b@b.de' }],
    ['an address', { address_city: null }],
    ['a delivery', { shipping_option: 'Abholung' }],
    ['a customer beside a payment', { payment_status: 'paid', customer_name: 'Bert' }],
  ];
  const taken: [string, object][] = [
    ['payment', { payment_status: 'refunded', payment_reference: 'r', cash_on_pickup: true }],
    ['flags and metadata', { shipped: true, picked_up: true, metadata: { erp: '1' } }],
    ['what equals the stored', { ...FIRST, total_amount: 6, metadata: null, payment_status: null }],
    ['a total that already follows the lines', { total_amount: null }],
  ];

  describe.each(WAYS)('by %s', (way) => {
    it.each(refused)('refuses %s and stays as it is', async (_, change) => {
      const order = await closed();
      expect(await ways[way](order, change)).toEqual([409, 'order_closed']);
      expect(await core.order(order.id)).toEqual(order);
      expect(await core.eventsOf(order.id)).toHaveLength(2);
    });

    it.each(taken)('takes %s', async (_, change) => {
      expect(await ways[way](await closed(), change)).toEqual([200, null]);
    });

    it('changes by force, which needs settings.write', async () => {
      const order = await closed('cancelled');
      const change = { customer_name: 'Bert', force: true };
      expect(await ways[way](order, change)).toEqual([200, null]);
      expect((await core.order(order.id)).customer_name).toBe('Bert');
      const caller = core.staff('pharmacist');
      expect((await core.update(order.id, change, { caller })).status).toBe(403);
    });
  });

  it.each(CLOSED_STATUSES)('is one that is %s', async (status) => {
    expect(await ways.POST(await closed(status), { customer_name: 'Bert' })).toEqual([409, 'order_closed']);
  });

  it('takes everything where the organization allows it', async () => {
    const of = await OrderCoreFixture.make(test.database);
    const { body: order } = await of.upsert('a');
    await of.patch(order.id, { status: 'shipped' });
    const upsert = () => of.upsert('a', FIRST);
    expect((await upsert()).status).toBe(409);
    await test.database.rows(allowClosed, of.orgId);
    expect(await upsert()).toMatchObject({ status: 200, body: { customer_name: 'Anna' } });
  });

  it('is refused before stock is held, where stock follows orders', async () => {
    const of = await OrderCoreFixture.make(test.database);
    const { body: order } = await of.upsert('a');
    await of.patch(order.id, { status: 'shipped' });
    await saveFollowsOrders(test.database, of.orgId, true);
    const answers = [await of.upsert('a', FIRST), await of.update(order.id, FIRST)];
    expect(answers.map(({ body }) => body)).toMatchObject([
      { error: 'order_closed' },
      { error: 'order_closed' },
    ]);
  });

  it('is judged by its status under the lock: closed first or changed first', async () => {
    const { id } = (await core.upsert('a')).body;
    const [, ...changes] = await Promise.all([
      core.patch(id, { status: 'completed' }),
      ...Array.from({ length: 12 }, (_, n) => core.upsert('a', { customer_name: `Kunde ${n}` })),
      ...Array.from({ length: 12 }, (_, n) => core.update(id, { address_city: `Ort ${n}` })),
    ]);
    const actions = (await core.historyOf(id)).map(({ action }) => action);
    expect(actions.slice(actions.indexOf('status_changed') + 1)).toEqual([]);
    expect(changes.filter(({ status }) => status === 200)).toHaveLength(actions.length - 2);
  });
});
