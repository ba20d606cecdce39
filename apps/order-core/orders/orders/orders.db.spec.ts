import * as api from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { revokeKey } from '../../people/directory/keys.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { coreSpec } from '../../spec/core-spec';

const countOrders = statement<{ count: number }, [string]>(
  'spec_count_orders',
  'SELECT count(*)::int AS count FROM core.orders WHERE org_id = $1',
);
const countEvents = statement<{ count: number }, [string]>(
  'spec_count_events',
  'SELECT count(*)::int AS count FROM core.outbox WHERE org_id = $1',
);

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

async function counts(): Promise<[orders: number | undefined, events: number | undefined]> {
  const [orders] = await test.database.rows(countOrders, core.orgId);
  const [events] = await test.database.rows(countEvents, core.orgId);
  return [orders?.count, events?.count];
}

describe('upsert', () => {
  it('creates, with defaults, one history entry and one event', async () => {
    const { status, body, etag } = await core.upsert('a', {
      customer_name: 'Jörg',
      items: [{ qty: 2, price: 1.15 }],
    });
    expect(status).toBe(201);
    expect(etag).toBe('"1"');
    expect(body).toMatchObject({
      external_id: 'a',
      shop_id: core.shopId,
      status: 'pending',
      payment_status: 'pending',
      total_amount: 2.3,
      customer_name: 'Jörg',
      customer_email: null,
      shipped: false,
      picked_up: false,
      cash_on_pickup: false,
      items: [{ p1_id: null, name: null, quantity: 2, price: 1.15 }],
    });
    expect(body.next_statuses).toHaveLength(7);
    expect(await core.order(body.id)).toEqual(body);
    expect(await core.eventsOf(body.id)).toEqual([
      {
        event_type: 'order_created',
        sequence: 1,
        topic: 'plain',
        metadata: {
          order_id: body.id,
          shop_id: core.shopId,
          status: 'pending',
          order_request_id: null,
          stock_claim_id: null,
          sequence: 1,
        },
      },
    ]);
  });

  it('defaults to cash_on_pickup when the customer pays at pick-up', async () => {
    expect((await core.upsert('a', { cash_on_pickup: true })).body.payment_status).toBe('cash_on_pickup');
    expect(
      (await core.upsert('b', { cash_on_pickup: true, payment_status: 'paid' })).body.payment_status,
    ).toBe('paid');
  });

  it('changes nothing, sends no event and keeps its time when the body equals the order', async () => {
    const fields = {
      customer_name: 'A',
      items: [{ qty: 2, price: 0.1, p1_id: 'p' }],
      order_datetime: '2026-01-01T00:00:00Z',
    };
    const first = await core.upsert('a', fields);
    const second = await core.upsert('a', { ...fields, order_datetime: '2026-01-01T01:00:00+01:00' });
    expect(second).toEqual({ ...first, status: 200 });
    expect(await counts()).toEqual([1, 1]);
    expect(await core.historyOf(first.body.id)).toHaveLength(1);
  });

  it('stores nothing for a key that is revoked or has expired', async () => {
    const before = await core.upsert('a', { customer_name: 'A' });
    await revokeKey(test.database, core.orgId, core.keyId);
    expect((await core.upsert('a', { customer_name: 'B' })).status).toBe(401);
    expect((await core.upsert('new')).status).toBe(401);
    expect((await core.update(before.body.id, { customer_name: 'B' })).status).toBe(401);
    expect((await core.patch(before.body.id, { status: 'shipped' })).status).toBe(401);
    expect(await counts()).toEqual([1, 1]);
  });

  it('makes one order of 100 concurrent upserts, equal to one of the bodies in every field', async () => {
    const bodies = Array.from({ length: 100 }, (_, index) => ({
      customer_name: `name ${index}`,
      order_number: `number ${index}`,
      payment_reference: `reference ${index}`,
      items: [{ qty: index + 1, price: 1, name: `item ${index}` }],
    }));
    const answers = await Promise.all(bodies.map((body) => core.upsert('raced', body)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const body = await core.order(answers[0]?.body.id ?? '');
    const winner = Number(body.customer_name?.split(' ')[1]);
    expect(body).toMatchObject({
      order_number: `number ${winner}`,
      payment_reference: `reference ${winner}`,
      total_amount: winner + 1,
      items: [{ quantity: winner + 1, price: 1, name: `item ${winner}`, p1_id: null }],
    });
    const sequences = (await core.eventsOf(body.id)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect((await counts())[0]).toBe(1);
  });
});

describe('the total', () => {
  const lines = (...prices: number[]) => ({ items: prices.map((price) => ({ qty: 1, price })) });

  it('stays as given when the lines change, until another one is given', async () => {
    const { id } = (await core.upsert('a', { ...lines(1), total_amount: 5.95 })).body;
    expect((await core.upsert('a', lines(2))).body.total_amount).toBe(5.95);
    expect((await core.update(id, lines(3))).body).toMatchObject({
      total_amount: 5.95,
      items: [{ price: 3 }],
    });
    expect((await core.update(id, { total_amount: 7 })).body.total_amount).toBe(7);
    expect((await core.update(id, lines(4))).body.total_amount).toBe(7);
  });

  it('is stored with two decimals', async () => {
    expect((await core.upsert('a', { total_amount: 0.1 + 0.2 })).body.total_amount).toBe(0.3);
    expect((await core.upsert('b', { total_amount: 99_999_999.99 })).body.total_amount).toBe(99_999_999.99);
  });
});

describe('an upsert with preconditions', () => {
  const send = (terms: { ifMatch?: string; ifNoneMatch?: string }, fields: object = {}, id = 'a') =>
    core.upsert(id, fields, terms);

  it('changes the version that If-Match names, and creates nothing', async () => {
    expect((await send({ ifMatch: '*' })).status).toBe(412);
    await core.upsert('a');
    expect(await send({ ifMatch: 'W/"1"' }, { customer_name: 'B' })).toMatchObject({
      status: 200,
      etag: '"2"',
    });
    // The same content, too: the caller has not seen this version.
    for (const customer_name of ['B', 'C']) {
      const late = await send({ ifMatch: '"1"' }, { customer_name });
      expect([late.status, late.body.error]).toEqual([412, 'precondition_failed']);
    }
    expect((await send({ ifMatch: 'x' })).status).toBe(400);
    expect((await send({ ifMatch: '*' }, { customer_name: 'C' })).etag).toBe('"3"');
    expect(await counts()).toEqual([1, 3]);
  });

  it('only creates with If-None-Match: *, one of ten concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => send({ ifNoneMatch: '*' }, { customer_name: `N${n % 3}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(412)]);
    expect(await counts()).toEqual([1, 1]);
    const tag = await send({ ifNoneMatch: '"1"' }, {}, 'b');
    expect([tag.status, tag.body.details?.[0]?.field]).toEqual([400, 'If-None-Match']);
  });

  it('of an unknown shop is a 404', async () => {
    expect((await send({ ifMatch: '*' }, { shop_id: newId() })).status).toBe(404);
  });
});

describe('update', () => {
  it('honours If-Match, and is refused after a concurrent change', async () => {
    const { body } = await core.upsert('a');
    expect((await core.update(body.id, { customer_name: 'B' }, { ifMatch: '"1"' })).etag).toBe('"2"');
    const late = await core.update(body.id, { customer_name: 'C' }, { ifMatch: '"1"' });
    expect([late.status, late.body.error]).toEqual([412, 'precondition_failed']);
    expect(late.body.message).toMatch(/changed since/);
    for (const none of ['W/"02"', '"2-3"', '"02"', '"nonsense"', '"-1"']) {
      const answer = await core.update(body.id, { customer_name: 'C' }, { ifMatch: none });
      expect([none, answer.status, answer.body.message]).toEqual([
        none,
        412,
        expect.stringMatching(/^If-Match names no version of an order/),
      ]);
    }
    const proxied = ['*', 'W/"3"', '"4-gzip"', 'W/"5-br"'];
    for (const [index, ifMatch] of proxied.entries()) {
      const answer = await core.update(body.id, { customer_name: `C${index}` }, { ifMatch });
      expect([ifMatch, answer.status]).toEqual([ifMatch, 200]);
    }
    expect((await core.update(body.id, { customer_name: 'D' }, { ifMatch: 'W/"5"' })).status).toBe(412);
  });

  it('refuses a body that names nothing, or the status', async () => {
    const { body } = await core.upsert('a');
    expect((await core.update(body.id, {})).status).toBe(400);
    for (const field of ['status', 'shop_id', 'external_id']) {
      const answer = await core.update(body.id, { [field]: 'shipped' });
      expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field]);
    }
    const address = await core.update(body.id, { status: 'shipped', shipping_address: { city: 'Bonn' } });
    expect(address.body.details?.map(({ message }) => message)).toEqual([
      'is not accepted here, use PATCH …/orders/{orderId}/status',
      'is not accepted here, use address_street, address_city, address_postal_code and address_phone',
    ]);
    const lines = await core.update(body.id, { items: [{ product_id: 'p1', qty: 1, price: 1 }] });
    expect(lines.body.details).toEqual([
      { field: 'items[0].product_id', message: 'is not accepted here, use p1_id' },
    ]);
  });
});

it('answers concurrent readers each with its own order, and with none of another organization', async () => {
  const other = await OrderCoreFixture.make(test.database);
  const ids = await Promise.all(
    ['a', 'b', 'c'].map(async (externalId) => {
      const { body } = await core.upsert(externalId, { customer_name: externalId });
      return body.id;
    }),
  );
  const [first = '', second = '', third = ''] = ids;
  const own = (orderId: string) => core.call(api.getOrder, { params: { orderId } });
  const answers = await Promise.all([
    own(third),
    own(first),
    own(newId()),
    own('no-id'),
    own(second),
    own(first),
    other.call(api.getOrder, { params: { orderId: first }, caller: other.key() }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 200, 200, 404]);
  expect(answers.map(({ body }) => body.customer_name)).toEqual([
    'c',
    'a',
    undefined,
    undefined,
    'b',
    'a',
    undefined,
  ]);
});
