import * as api from '@offizin/contracts/orders/orders';
import { upsertOrders as upsertBatch } from '@offizin/contracts/orders/order-batches';
import { newId } from '@offizin/pg/ids';
import { race } from '@offizin/testkit/race';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { coreSpec } from '../../spec/core-spec';

let core: OrderCoreFixture;
coreSpec((made) => (core = made));

/** A new order, and the ways to change it. */
async function order(fields: object = {}) {
  const key = newId();
  const { body: first } = await core.upsert(key, fields);
  return {
    id: first.id,
    first,
    upsert: (more: object) => core.upsert(key, more),
    update: (more: object) => core.update(first.id, more),
    /** Those after the creation. */
    events: async () => (await core.eventsOf(first.id)).slice(1),
  };
}

/** `null` clears an optional field; one that has a default gets it. */
describe('null', () => {
  const LINES = { items: [{ qty: 2, price: 1.15 }] };

  describe.each(['upsert', 'update'] as const)('by %s, null', (way) => {
    it('as total makes it the sum of the lines from then on', async () => {
      const one = await order({ ...LINES, total_amount: 9 });
      expect(one.first.total_amount).toBe(9);
      expect((await one[way]({ total_amount: null })).body.total_amount).toBe(2.3);
      expect((await one[way]({ items: [{ qty: 1, price: 4 }] })).body.total_amount).toBe(4);
    });

    it('as total with new lines is their sum', async () => {
      const one = await order({ ...LINES, total_amount: 9 });
      const { body } = await one[way]({ total_amount: null, items: [{ qty: 3, price: 0.1 }] });
      expect(body.total_amount).toBe(0.3);
    });

    it('as total is refused when the lines sum up to more than the maximum amount', async () => {
      const one = await order({ items: [{ qty: 1_000_000, price: 1_000 }], total_amount: 1 });
      const { status, body } = await one[way]({ total_amount: null });
      expect([status, body.details?.[0]?.field]).toEqual([400, 'total_amount']);
    });

    it('as items removes all lines and keeps a given total', async () => {
      const one = await order(LINES);
      expect((await one[way]({ items: null })).body).toMatchObject({ items: [], total_amount: 0 });
      const given = await order({ ...LINES, total_amount: 9 });
      expect((await given[way]({ items: null })).body).toMatchObject({ items: [], total_amount: 9 });
    });

    it('as payment status sets the default of the payment method', async () => {
      const one = await order({ payment_status: 'paid' });
      expect((await one[way]({ payment_status: null })).body.payment_status).toBe('pending');
      const cash = await one[way]({ payment_status: null, cash_on_pickup: true });
      expect(cash.body.payment_status).toBe('cash_on_pickup');
      const picked = await order({ payment_status: 'paid', cash_on_pickup: true });
      expect((await picked[way]({ payment_status: null })).body.payment_status).toBe('cash_on_pickup');
    });

    it('as a flag sets it to false, and as a text clears it', async () => {
      const one = await order({ shipped: true, shipping_option: 'Versand', payment_reference: 'r' });
      const { body } = await one[way]({ shipped: null, shipping_option: null, payment_reference: null });
      expect(body).toMatchObject({ shipped: false, shipping_option: null, payment_reference: null });
    });
  });

  it('null on a new order equals an absent field', async () => {
    const { first } = await order({ total_amount: null, items: null, payment_status: null, shipped: null });
    expect(first).toMatchObject({ total_amount: 0, items: [], payment_status: 'pending', shipped: false });
    const cash = await order({ ...LINES, total_amount: null, payment_status: null, cash_on_pickup: true });
    expect(cash.first).toMatchObject({ total_amount: 2.3, payment_status: 'cash_on_pickup' });
  });

  it('the history holds the values that null set', async () => {
    const { id, update } = await order({ ...LINES, total_amount: 9, payment_status: 'paid' });
    await update({ total_amount: null, payment_status: null });
    expect((await core.historyOf(id)).at(-1)?.changes).toEqual(
      expect.arrayContaining([
        { field: 'total_amount', old: '9', new: '2.3' },
        { field: 'payment_status', old: 'paid', new: 'pending' },
      ]),
    );
  });
});

/** Each committed change is one event: a payment event when only the payment changed, else an order event. */
describe('the event of a payment', () => {
  describe.each(['upsert', 'update'] as const)('by %s', (way) => {
    it('a change of the payment alone is a payment event with old, new and changed fields', async () => {
      const one = await order({ customer_name: 'A' });
      await one[way]({ payment_status: 'paid', payment_reference: 'PAY-1' });
      await one[way]({ payment_reference: 'PAY-2', customer_name: 'A' });
      const about = { order_id: one.id, shop_id: core.shopId, order_request_id: null };
      expect(await one.events()).toMatchObject([
        {
          event_type: 'order_payment_updated',
          sequence: 2,
          topic: 'plain',
          metadata: {
            ...about,
            old_payment_status: 'pending',
            new_payment_status: 'paid',
            sequence: 2,
            changed: ['payment_status', 'payment_reference'],
          },
        },
        {
          event_type: 'order_payment_updated',
          sequence: 3,
          metadata: {
            ...about,
            old_payment_status: 'paid',
            new_payment_status: 'paid',
            sequence: 3,
            changed: ['payment_reference'],
          },
        },
      ]);
    });

    it('any further change makes it an order event', async () => {
      const one = await order();
      await one[way]({ payment_status: 'paid', customer_name: 'B' });
      await one[way]({ payment_status: 'refunded', total_amount: 3 });
      await one[way]({ customer_name: 'C' });
      expect((await one.events()).map(({ event_type }) => event_type)).toEqual([
        'order_updated',
        'order_updated',
        'order_updated',
      ]);
      expect((await one.events())[0]?.metadata).not.toHaveProperty('old_payment_status');
    });

    it('a patch that changes nothing sends no event', async () => {
      const one = await order({ payment_status: 'paid' });
      await one[way]({ payment_status: 'paid', payment_reference: null });
      expect(await one.events()).toEqual([]);
    });
  });

  it('a status patch reports its payment in a status event, also after a payment event', async () => {
    const one = await order();
    await one.update({ payment_status: 'paid' });
    await core.patch(one.id, { payment_status: 'refunded' });
    await core.patch(one.id, { shipped: true });
    const [payment, refund, shipment] = await one.events();
    expect(payment).toMatchObject({ event_type: 'order_payment_updated' });
    expect([refund, shipment].map((event) => event?.metadata)).toEqual([
      expect.objectContaining({
        changed: ['payment_status'],
        old: { payment_status: 'paid' },
        new: { payment_status: 'refunded' },
      }),
      expect.objectContaining({ changed: ['shipped'], old: { shipped: false }, new: { shipped: true } }),
    ]);
  });

  it('of 100 concurrent changes each event holds the step of its commit', async () => {
    const one = await order();
    const statuses = ['paid', 'pending', 'refunded', 'failed'];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => one.upsert({ payment_status: statuses[index % 4] })),
    );
    const events = await one.events();
    let before: unknown = 'pending';
    for (const { event_type, metadata } of events) {
      expect([event_type, metadata['old_payment_status']]).toEqual(['order_payment_updated', before]);
      expect(metadata['new_payment_status']).not.toBe(before);
      before = metadata['new_payment_status'];
    }
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 2));
  });
});

describe('metadata', () => {
  const upsert = (externalId: string, metadata?: unknown, more: object = {}) =>
    core.upsert(externalId, { metadata, ...more });

  it('are none unless given; given keys are set, null removes one, the others stay, and null alone removes all', async () => {
    const { body: order } = await upsert('A');
    expect(order.metadata).toEqual({});
    const steps: [unknown, object][] = [
      [
        { erp: '1', 'cost.center': 'B-7' },
        { erp: '1', 'cost.center': 'B-7' },
      ],
      [
        { erp: '2', new_one: 'ä🌿' },
        { erp: '2', 'cost.center': 'B-7', new_one: 'ä🌿' },
      ],
      [
        { erp: null, unknown: null },
        { 'cost.center': 'B-7', new_one: 'ä🌿' },
      ],
      [undefined, { 'cost.center': 'B-7', new_one: 'ä🌿' }],
      [null, {}],
    ];
    for (const [given, expected] of steps) {
      expect((await upsert('A', given, { customer_name: String(Math.random()) })).body.metadata).toEqual(
        expected,
      );
    }
    expect((await core.order(order.id)).metadata).toEqual({});
  });

  it('are set with a new order, where null removes nothing', async () => {
    const { status, body } = await upsert('new', { a: '1', b: null });
    expect([status, body.metadata]).toEqual([201, { a: '1' }]);
    expect((await upsert('newer', null)).body.metadata).toEqual({});
  });

  it('that change nothing write nothing; those that do are in the history, and in no event', async () => {
    const { body: order } = await upsert('A', { secret: 'of the caller' });
    for (const same of [{ secret: 'of the caller' }, { absent: null }, {}])
      expect((await core.update(order.id, { metadata: same })).body.updated_at).toBe(order.updated_at);
    expect((await core.update(order.id, { metadata: { secret: null, b: '2' } })).body.metadata).toEqual({
      b: '2',
    });
    expect((await core.historyOf(order.id)).at(-1)?.changes).toEqual([
      { field: 'metadata', old: '{"secret":"of the caller"}', new: '{"b":"2"}' },
    ]);
    const events = await core.eventsOf(order.id);
    expect(events.map(({ event_type }) => event_type)).toEqual(['order_created', 'order_updated']);
    expect(JSON.stringify(events)).not.toContain('of the caller');
  });

  it.each([
    ['a list', [], 'must be an object'],
    ['a text', 'erp', 'must be an object'],
    [
      '21 keys',
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v'])),
      'must have at most 20 keys',
    ],
    ['an empty key', { '': 'v' }, 'must have keys of 1 to 40'],
    ['a key of 41 letters', { ['k'.repeat(41)]: 'v' }, 'must have keys of 1 to 40'],
    ['a key with a space', { 'a b': 'v' }, 'must have keys of 1 to 40'],
    ['a NUL character', { a: 'x\0' }, 'NUL'],
    ['half a character', { a: '\ud83c' }, 'surrogate'],
    ['a number', { a: 1 }, 'must have texts of at most 500 characters'],
    ['an object', { a: {} }, 'must have texts of at most 500 characters'],
    ['501 characters', { a: 'x'.repeat(501) }, 'must have texts of at most 500 characters'],
  ])('refuse %s, and nothing is written', async (_, metadata, message) => {
    const answer = await upsert('A', metadata);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { details: [{ message: expect.stringContaining(message) as string }] },
    ]);
    expect((await core.call(api.listOrders, {})).body.data).toEqual([]);
  });

  it('take 20 keys of 40 letters with 500 characters each, and no 21st beside those that are stored', async () => {
    const full = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`${'k'.repeat(38)}${n + 10}`, '🌿'.repeat(500)]),
    );
    const { body: order } = await upsert('A', full);
    expect(order.metadata).toEqual(full);
    const refused = await core.update(order.id, { metadata: { more: 'v' }, customer_name: 'Anna' });
    expect([refused.status, refused.body]).toMatchObject([400, { details: [{ field: 'metadata' }] }]);
    expect(await core.order(order.id)).toMatchObject({ customer_name: null, metadata: full });
    const [gone = ''] = Object.keys(full);
    expect((await core.update(order.id, { metadata: { [gone]: null, more: 'v' } })).status).toBe(200);
  });

  it('of one member in a batch that is refused leave the others as they are', async () => {
    const full = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'v']));
    await upsert('full', full);
    const member = (external_id: string, metadata: object) => ({
      shop_id: core.shopId,
      external_id,
      metadata,
    });
    const orders = [
      member('one', { a: '1' }),
      member('full', { one_more: 'v' }),
      member('wrong', { a: 1 }),
      member('full', { k0: 'changed' }),
      member('two', { b: '2' }),
    ];
    const { body } = await core.call(upsertBatch, { body: { orders } });
    expect(body.results.map(({ status }) => status)).toEqual([
      'created',
      'error',
      'error',
      'updated',
      'created',
    ]);
    expect((await upsert('full')).body.metadata).toEqual({ ...full, k0: 'changed' });
  });

  it('keep every key of 200 racing changes', async () => {
    const { body: order } = await upsert('A');
    const answers = await race(200, (n) =>
      core.update(order.id, { metadata: { [`k${n % 20}`]: String(n) } }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { metadata } = await core.order(order.id);
    expect(Object.keys(metadata).sort()).toEqual(Array.from({ length: 20 }, (_, n) => `k${n}`).sort());
  });
});

/** It equals the one that was sent, so that sending it again changes nothing. */
describe('a value that is read back', () => {
  it.each([
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z'],
    ['2026-12-31T23:59:59.9999999Z', '2026-12-31T23:59:59.999Z'],
    ['2026-12-31T23:59:59.999999999+01:00', '2026-12-31T22:59:59.999Z'],
  ])('cuts the time %s to milliseconds', async (sent, stored) => {
    const { body: made } = await core.upsert(sent, { order_datetime: sent });
    expect(made.order_datetime).toBe(stored);
    const again = await core.upsert(sent, { order_datetime: stored });
    expect([again.status, again.headers['etag']]).toEqual([200, (await core.upsert(sent)).headers['etag']]);
    expect(await core.historyOf(made.id)).toHaveLength(1);
  });

  it('changes nothing when it is sent again as it was, with more digits than are stored, by each way', async () => {
    const digits = { order_datetime: '2026-01-31T12:00:00.123456+01:00', total_amount: 0.1 + 0.2 };
    const fields = { ...digits, items: [{ name: 'Öl', qty: 3, price: 0.1 + 0.2 }] };
    const { body: made } = await core.upsert('digits', fields);
    const orders = [{ shop_id: core.shopId, external_id: 'digits', ...fields }];
    expect((await core.call(upsertBatch, { body: { orders } })).body.results).toMatchObject([
      { status: 'unchanged' },
    ]);
    const answers = [await core.update(made.id, fields), await core.upsert('digits', fields)];
    expect(answers.map(({ etag }) => etag)).toEqual(['"1"', '"1"']);
  });

  it('keeps the price of a line without binary noise', async () => {
    const items = [{ name: 'Öl', qty: 1, price: 0.1 + 0.2 }];
    const { body: made } = await core.upsert('noise', { items });
    expect(made.items).toMatchObject([{ price: 0.3 }]);
    await core.upsert('noise', { items: [{ name: 'Öl', qty: 1, price: 0.3 }] });
    expect(await core.historyOf(made.id)).toHaveLength(1);
  });
});
