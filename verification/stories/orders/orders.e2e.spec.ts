import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { ORDER_STATUSES } from '@offizin/contracts/orders/orders';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { race } from '@offizin/testkit/race';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { BURST } from '@offizin/testkit/test-run';

/** An integrator upserts orders, reads and lists them, and changes their fields. */
let platform: TestPlatform;
let organization: TestOrganization;
let shop_id: string;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  shop_id = organization.shops[0].shopId;
});
afterAll(() => platform.close());

async function upsert(body: object, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return organization.api('POST', '/orders', body, headers);
}

function fieldsOf(answer: HttpAnswer): string[] {
  expect(codeOf(answer)).toBe('400 invalid_request');
  return (json<ErrorBody>(answer).details ?? []).map(({ field }) => field).sort();
}

function newKey(): { shop_id: string; external_id: string } {
  return { shop_id, external_id: `ext-${uniqueTag()}` };
}

describe('an upsert', () => {
  it('creates an order with 201 and its detail, and updates it with 200', async () => {
    const key = newKey();
    const fields = {
      order_number: 'A-17',
      order_datetime: '2026-03-01T12:00:00+02:00',
      customer_name: 'Max',
      customer_email: 'max@example.org',
      address_street: 'Weg 1',
      address_city: 'Bonn',
      address_postal_code: '53111',
      address_phone: '0228 1',
      payment_status: 'paid',
      payment_reference: 'PAY',
      shipping_option: 'Uber Eats',
      cash_on_pickup: false,
    };
    const items = [
      { name: 'Tee', qty: 3, price: 0.1 },
      { p1_id: 'P-1', qty: 1, price: 0.2 },
    ];
    const created = await upsert({ ...key, ...fields, items });
    expect(created.status).toBe(201);
    const detail = json(created);
    expect(detail).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      external_id: key.external_id,
      shop_id,
      status: 'pending',
      customer_name: 'Max',
      customer_email: 'max@example.org',
      total_amount: 0.5,
      total_is_given: false,
      payment_status: 'paid',
      payment_reference: 'PAY',
      shipped: false,
      picked_up: false,
      cash_on_pickup: false,
      shipping_address: { street: 'Weg 1', city: 'Bonn', postal_code: '53111', phone: '0228 1' },
      items: [
        { p1_id: null, name: 'Tee', quantity: 3, price: 0.1 },
        { p1_id: 'P-1', name: null, quantity: 1, price: 0.2 },
      ],
      order_number: 'A-17',
      order_datetime: '2026-03-01T10:00:00.000Z',
      shipping_option: 'Uber Eats',
      order_request_id: null,
      next_statuses: ORDER_STATUSES.slice(1),
      metadata: {},
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const updated = await upsert({ ...key, customer_name: 'Moritz' });
    expect(updated.status).toBe(200);
    expect(json(updated)).toEqual({ ...detail, customer_name: 'Moritz', updated_at: expect.any(String) });
    expect(Date.parse(String(json(updated)['updated_at']))).toBeGreaterThan(
      Date.parse(String(detail['updated_at'])),
    );
  });

  it('of the same body changes nothing', async () => {
    const body = { ...newKey(), customer_name: 'Max', items: [{ name: 'a', qty: 1, price: 1 }] };
    const first = json(await upsert(body));
    const again = await upsert(body);
    expect(again.status).toBe(200);
    expect(json(again)).toEqual(first);
  });

  it('keeps what is left out, clears what is null, and replaces all items', async () => {
    const key = newKey();
    await upsert({
      ...key,
      customer_name: 'Max',
      address_city: 'Bonn',
      items: [{ name: 'a', qty: 2, price: 2 }],
    });
    const updated = json(
      await upsert({ ...key, customer_name: null, items: [{ name: 'b', qty: 1, price: 5 }] }),
    );
    expect(updated).toMatchObject({
      customer_name: null,
      shipping_address: { city: 'Bonn' },
      items: [{ name: 'b', quantity: 1, price: 5 }],
      total_amount: 5,
    });
    expect(json(await upsert({ ...key, items: [] }))).toMatchObject({ items: [], total_amount: 0 });
  });

  it.each<[string, object, string]>([
    ['nothing said', {}, 'pending'],
    ['cash on pickup', { cash_on_pickup: true }, 'cash_on_pickup'],
    ['no cash on pickup', { cash_on_pickup: false }, 'pending'],
    ['a payment status', { cash_on_pickup: true, payment_status: 'refunded' }, 'refunded'],
  ])('with %s has the right payment status', async (_, fields, payment_status) => {
    expect(json(await upsert({ ...newKey(), ...fields }))).toMatchObject({
      payment_status,
      total_amount: 0,
      items: [],
    });
  });

  it('keeps a given total, and adds one up where none is given', async () => {
    const items = [{ name: 'a', qty: 3, price: 19.99 }];
    const key = newKey();
    expect(json(await upsert({ ...key, items, total_amount: 65 }))['total_amount']).toBe(65);
    expect(json(await upsert({ ...key, items: [{ name: 'a', qty: 1, price: 19.99 }] }))['total_amount']).toBe(
      65,
    );
    expect(json(await upsert({ ...newKey(), items }))['total_amount']).toBe(59.97);
    const many = Array.from({ length: 500 }, () => ({ name: 'a', qty: 1, price: 0.07 }));
    expect(json(await upsert({ ...newKey(), items: many }))['total_amount']).toBe(35);
  });

  it("for a shop that is not the organization's is a 404", async () => {
    const foreign = await platform.organization();
    for (const wrong of [foreign.shops[0].shopId, organization.orgId, 'no-id']) {
      expect(codeOf(await upsert({ shop_id: wrong, external_id: 'x' }))).toBe('404 not_found');
    }
  });

  it('keeps the orders of two shops with the same external id apart', async () => {
    const { external_id } = newKey();
    const other = { shop_id: organization.shops[1].shopId, external_id };
    expect((await upsert({ shop_id, external_id })).status).toBe(201);
    expect((await upsert(other)).status).toBe(201);
  });

  it('names every unknown field and every problem at once', async () => {
    const body = {
      shop_id,
      status: 'shipped',
      colour: 'red',
      customer_email: 'x',
      total_amount: 1.234,
      shipped: 'yes',
      items: [
        { name: 'a', qty: 0, price: 1 },
        { name: 'b', quantity: 1, price: 1 },
      ],
    };
    expect(fieldsOf(await upsert(body))).toEqual([
      'colour',
      'customer_email',
      'external_id',
      'items[0].qty',
      'items[1].qty',
      'items[1].quantity',
      'shipped',
      'status',
      'total_amount',
    ]);
  });

  it('with quantity gets a message that names qty', async () => {
    const answer = await upsert({ ...newKey(), items: [{ name: 'a', quantity: 1, price: 1 }] });
    expect(JSON.stringify(json(answer))).toMatch(/quantity.*use qty/);
  });

  it.each<[string, object, string]>([
    ['no shop', { shop_id: undefined }, 'shop_id'],
    ['an empty external id', { external_id: '' }, 'external_id'],
    ['a text of 256 characters', { customer_name: 'x'.repeat(256) }, 'customer_name'],
    ['a day that does not exist', { order_datetime: '2026-02-30T00:00:00Z' }, 'order_datetime'],
    ['a time without its zone', { order_datetime: '2026-02-03T00:00:00' }, 'order_datetime'],
    ['an amount above the limit', { total_amount: 100_000_000 }, 'total_amount'],
    ['an amount in a string', { total_amount: '1.00' }, 'total_amount'],
    ['an unknown shipping option', { shipping_option: 'Taube' }, 'shipping_option'],
    ['501 items', { items: Array.from({ length: 501 }, () => ({ name: 'a', qty: 1, price: 1 })) }, 'items'],
    ['items that are no list', { items: { 0: { name: 'a', qty: 1, price: 1 } } }, 'items'],
    ['an item that is a list', { items: [[]] }, 'items'],
    ['lines whose sum is too much', { items: [{ name: 'a', qty: 1_000_000, price: 1_000 }] }, 'items'],
    ['an object in place of a text', { customer_name: { first: 'x' } }, 'customer_name'],
    ['an unknown key with an object', { further: { a: { b: 1 } } }, 'further'],
  ])('with %s is refused, and the field is named', async (_, fields, field) => {
    expect(fieldsOf(await upsert({ ...newKey(), ...fields }))).toContain(field);
  });

  it('many at once of one pair make one order, equal to one of the bodies entirely', async () => {
    const key = newKey();
    const bodies = Array.from({ length: BURST }, (_, n) => ({
      ...key,
      customer_name: `Racer ${n}`,
      address_city: `City ${n}`,
      payment_reference: `PAY-${n}`,
      items: Array.from({ length: 1 + (n % 7) }, () => ({ name: `item ${n}`, qty: n + 1, price: 1 })),
    }));
    const answers = await race(BURST, (n) =>
      upsert(bodies[n] ?? {}, { 'idempotency-key': `${key.external_id}-${n}` }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(BURST - 1);
    expect(new Set(answers.map((answer) => json(answer)['id'])).size).toBe(1);
    const { id } = json(answers[0] ?? fail());
    const order = json<{ customer_name: string; items: unknown[] }>(
      await organization.api('GET', `/orders/${String(id)}`),
    );
    const winner = Number(/\d+/.exec(order.customer_name)?.[0]);
    expect(order).toMatchObject({
      shipping_address: { city: `City ${winner}` },
      payment_reference: `PAY-${winner}`,
      total_amount: (1 + (winner % 7)) * (winner + 1),
    });
    expect(order.items).toEqual(
      Array.from({ length: 1 + (winner % 7) }, () => ({
        p1_id: null,
        name: `item ${winner}`,
        quantity: winner + 1,
        price: 1,
      })),
    );
  });
});

function fail(): never {
  throw new Error('there is no answer');
}

describe('an order', () => {
  it('is read with an ETag that changes with it', async () => {
    const { id } = await organization.createOrder();
    const first = await organization.api('GET', `/orders/${id}`);
    expect(first.headers['etag']).toMatch(/^"[^"]+"$/);
    expect((await organization.api('GET', `/orders/${id}`)).headers['etag']).toBe(first.headers['etag']);
    await organization.api('PUT', `/orders/${id}`, { customer_name: 'Neu' });
    expect((await organization.api('GET', `/orders/${id}`)).headers['etag']).not.toBe(first.headers['etag']);
  });

  it.each<[string, string, object]>([
    ['PUT', '', { customer_name: 'Neu' }],
    ['PATCH', '/status', { status: 'shipped' }],
  ])('%s honours If-Match', async (method, tail, body) => {
    const { id } = await organization.createOrder();
    const tag = String((await organization.api('GET', `/orders/${id}`)).headers['etag']);
    await organization.api('PUT', `/orders/${id}`, { customer_name: 'Andere' });
    const change = (ifMatch: string): Promise<HttpAnswer> =>
      organization.api(method, `/orders/${id}${tail}`, body, { 'If-Match': ifMatch });
    for (const stale of [tag, '"nonsense"'])
      expect(codeOf(await change(stale))).toBe('412 precondition_failed');
    expect(json(await organization.api('GET', `/orders/${id}`))).toMatchObject({
      customer_name: 'Andere',
      status: 'pending',
    });
    const fresh = String((await organization.api('GET', `/orders/${id}`)).headers['etag']);
    expect((await change(fresh)).status).toBe(200);
    expect((await organization.api(method, `/orders/${id}${tail}`, body, { 'If-Match': '*' })).status).toBe(
      200,
    );
  });

  it('is changed by PUT in the given fields only', async () => {
    const { id } = await organization.createOrder({ customer_name: 'Max', address_city: 'Bonn' });
    const answer = await organization.api('PUT', `/orders/${id}`, {
      address_city: null,
      items: [{ name: 'a', qty: 2, price: 4 }],
    });
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({
      customer_name: 'Max',
      shipping_address: { city: null },
      items: [{ name: 'a', quantity: 2 }],
      total_amount: 8,
      status: 'pending',
    });
    expect(json(await organization.api('GET', `/orders/${id}`))).toEqual(json(answer));
  });

  it.each<[string, object, string]>([
    ['its shop', { shop_id: 'x' }, 'shop_id'],
    ['its external id', { external_id: 'x' }, 'external_id'],
    ['its status', { status: 'shipped' }, 'status'],
    ['its id', { id: 'x' }, 'id'],
    ['quantity for qty', { items: [{ name: 'a', quantity: 1, price: 1 }] }, 'items[0].quantity'],
  ])('is not changed by PUT in %s', async (_, body, field) => {
    const { id } = await organization.createOrder();
    expect(fieldsOf(await organization.api('PUT', `/orders/${id}`, body))).toContain(field);
  });
});
