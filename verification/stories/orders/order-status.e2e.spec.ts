import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { ORDER_STATUSES, type OrderStatus } from '@offizin/contracts/orders/orders';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { race } from '@offizin/testkit/race';
import { BURST } from '@offizin/testkit/test-run';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

/** Orders move along the workflow; each change is one event, and the events of an order are an unbroken chain. */
describe('the status of orders', () => {
  let organization: TestOrganization;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    organization = await platform.organization();
    receiver = await WebhookReceiver.start();
    expect((await organization.api('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
  });
  afterAll(async () => {
    await receiver.close();
  });

  async function patch(id: string, body: object): Promise<HttpAnswer> {
    return organization.api('PATCH', `/orders/${id}/status`, body);
  }

  interface Detail {
    status: OrderStatus;
    payment_status: string;
    shipped: boolean;
    picked_up: boolean;
    updated_at: string;
    next_statuses: OrderStatus[];
  }

  async function detail(id: string): Promise<Detail> {
    return json<Detail>(await organization.api('GET', `/orders/${id}`));
  }

  interface HistoryEntry {
    sequence: number;
    action: string;
    actor: string;
    at: string;
    changes: { field: string; old: string | null; new: string | null }[];
  }

  async function history(id: string): Promise<HistoryEntry[]> {
    const answer = await organization.api('GET', `/orders/${id}/history?limit=200`);
    expect(answer.status).toBe(200);
    return json<{ data: HistoryEntry[] }>(answer).data;
  }

  function eventsOf(orderId: string): WebhookBody[] {
    const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()) as WebhookBody);
    return bodies.filter(({ metadata }) => metadata['order_id'] === orderId);
  }

  describe('a status', () => {
    it.each(ORDER_STATUSES.map((status, index) => [status, index] as const))(
      '%s moves to any later one, never back, and the refusal lists what is allowed',
      async (from, index) => {
        for (const [position, to] of ORDER_STATUSES.entries()) {
          const { id } = await organization.createOrder();
          if (from !== 'pending') expect((await patch(id, { status: from })).status).toBe(200);
          expect((await detail(id)).next_statuses).toEqual(ORDER_STATUSES.slice(index + 1));
          const answer = await patch(id, { status: to });
          if (position >= index) {
            expect(answer.status).toBe(200);
            expect(json(answer)).toEqual({
              order_id: id,
              status: to,
              updated_at: expect.stringMatching(/Z$/),
            });
            expect((await detail(id)).status).toBe(to);
          } else {
            expect(codeOf(answer)).toBe('409 invalid_transition');
            const { message } = json<ErrorBody>(answer);
            for (const allowed of ORDER_STATUSES.slice(index + 1)) expect(message).toContain(allowed);
            expect((await detail(id)).status).toBe(from);
          }
        }
      },
    );

    it('that is refused changes nothing else of the same patch', async () => {
      const { id } = await organization.createOrder();
      await patch(id, { status: 'shipped' });
      const before = await detail(id);
      expect((await patch(id, { status: 'pending', payment_status: 'paid', shipped: false })).status).toBe(
        409,
      );
      expect(await detail(id)).toEqual(before);
    });

    it('shipped and picked_up set the flag of that name, unless the body says otherwise', async () => {
      const cases: [object, boolean, boolean][] = [
        [{ status: 'shipped' }, true, false],
        [{ status: 'picked_up' }, false, true],
        [{ status: 'shipped', shipped: false }, false, false],
        [{ status: 'shipped', picked_up: true }, true, true],
        [{ status: 'completed' }, false, false],
      ];
      for (const [body, shipped, picked_up] of cases) {
        const { id } = await organization.createOrder();
        await patch(id, body);
        expect(await detail(id)).toMatchObject({ shipped, picked_up });
      }
    });

    it('is never moved by a flag or a payment', async () => {
      const { id } = await organization.createOrder();
      const answer = await patch(id, { shipped: true, picked_up: true, payment_status: 'paid' });
      expect(json(answer)).toMatchObject({ order_id: id, status: 'pending' });
      expect(await detail(id)).toMatchObject({
        status: 'pending',
        shipped: true,
        picked_up: true,
        payment_status: 'paid',
      });
    });

    it('of a cancelled order is final, its payment is not', async () => {
      const { id } = await organization.createOrder();
      await patch(id, { status: 'cancelled' });
      expect((await patch(id, { payment_status: 'refunded' })).status).toBe(200);
      expect((await patch(id, { status: 'cancelled' })).status).toBe(200);
      expect(codeOf(await patch(id, { status: 'completed' }))).toBe('409 invalid_transition');
    });

    it.each<[string, object]>([
      ['no field', {}],
      ['an unknown status', { status: 'lost' }],
      ['a status of null', { status: null }],
      ['an unknown payment status', { payment_status: 'maybe' }],
      ['a flag in a string', { shipped: 'true' }],
      ['an unknown field', { status: 'shipped', note: 'x' }],
      ['a field of the order', { customer_name: 'x' }],
    ])('is not patched by a body with %s', async (_, body) => {
      const { id } = await organization.createOrder();
      expect(codeOf(await patch(id, body))).toBe('400 invalid_request');
    });
  });

  describe('a change', () => {
    it('is one event that names what moved', async () => {
      const { id } = await organization.createOrder();
      await patch(id, { status: 'shipped' });
      await patch(id, { payment_status: 'paid' });
      await organization.api('PUT', `/orders/${id}`, { customer_name: 'Neu', force: true });
      const events = await eventually('four events', () => eventsOf(id).length === 4 && eventsOf(id));
      expect(events.map(({ event_type, metadata }) => [metadata['sequence'], event_type])).toEqual([
        [1, 'order_created'],
        [2, 'order_status_updated'],
        [3, 'order_status_updated'],
        [4, 'order_updated'],
      ]);
      expect(events[1]?.metadata).toMatchObject({ old_status: 'pending', new_status: 'shipped' });
      expect([...(events[1]?.metadata['changed'] as string[])].sort()).toEqual(['shipped', 'status']);
      expect(events[2]?.metadata).toMatchObject({
        old_status: 'shipped',
        new_status: 'shipped',
        changed: ['payment_status'],
      });
      expect(JSON.stringify(events)).not.toContain('Neu');
    });

    it('that changes nothing keeps updated_at, adds no history and emits nothing', async () => {
      const { id } = await organization.createOrder({ customer_name: 'Max', payment_status: 'paid' });
      await patch(id, { status: 'shipped' });
      const before = await detail(id);
      const repeats = [
        { status: 'shipped' },
        { shipped: true },
        { payment_status: 'paid', picked_up: false },
      ];
      for (const body of repeats) {
        expect(json(await patch(id, body))).toEqual({
          order_id: id,
          status: 'shipped',
          updated_at: before.updated_at,
        });
      }
      expect((await organization.api('PUT', `/orders/${id}`, { customer_name: 'Max' })).status).toBe(200);
      await patch(id, { picked_up: true });
      const events = await eventually('the event of the last change', () => {
        const sequences = eventsOf(id).map(({ metadata }) => metadata['sequence']);
        return sequences.includes(3) && sequences;
      });
      expect(events).toEqual([1, 2, 3]);
      expect((await history(id)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    });

    it('100 at once are each decided against the order as it then is: the chain of events is unbroken', async () => {
      const { id } = await organization.createOrder();
      const bodies = Array.from({ length: 100 }, (_, n) => {
        if (n % 3 === 0) return { status: ORDER_STATUSES[1 + (n % 6)] };
        if (n % 3 === 1) return { payment_status: n % 2 ? 'paid' : 'failed' };
        return { picked_up: n % 2 === 0 };
      });
      const answers = await race(bodies.length, (index) => patch(id, bodies[index] ?? {}));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      const entries = await history(id);
      expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
      const events = await eventually(
        'all events',
        () => eventsOf(id).length >= entries.length && eventsOf(id),
        20_000,
      );
      expect(events.map(({ metadata }) => metadata['sequence'])).toEqual(
        entries.map(({ sequence }) => sequence),
      );
      let status = 'pending';
      for (const { metadata } of events.slice(1)) {
        expect(metadata['old_status']).toBe(status);
        status = String(metadata['new_status']);
        const [from, to] = [metadata['old_status'], status].map((one) =>
          ORDER_STATUSES.indexOf(one as OrderStatus),
        );
        expect(to).toBeGreaterThanOrEqual(from ?? Infinity);
      }
      expect((await detail(id)).status).toBe(status);
    }, 40_000);
  });

  it('the history shows author, time and change, oldest first', async () => {
    const { id } = await organization.createOrder({ customer_name: 'Max' });
    await patch(id, { status: 'awaiting_packing' });
    await organization.api('PUT', `/orders/${id}`, { customer_name: 'Moritz' });
    await patch(id, { status: 'shipped' });
    const entries = await history(id);
    expect(entries.map(({ action }) => action)).toEqual([
      'created',
      'status_changed',
      'updated',
      'status_changed',
    ]);
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([organization.apiKey.id]));
    expect(entries[0]?.changes).toEqual(
      expect.arrayContaining([{ field: 'customer_name', old: null, new: 'Max' }]),
    );
    expect(entries[1]?.changes).toEqual([{ field: 'status', old: 'pending', new: 'awaiting_packing' }]);
    expect(entries[2]?.changes).toEqual([{ field: 'customer_name', old: 'Max', new: 'Moritz' }]);
    expect(entries[3]?.changes).toEqual(
      expect.arrayContaining([
        { field: 'status', old: 'awaiting_packing', new: 'shipped' },
        { field: 'shipped', old: 'false', new: 'true' },
      ]),
    );
    const times = entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
  });
});

/** Metadata of the caller: from a partner's request to the order, and emptied by an erasure. */
describe('metadata', () => {
  interface WithMetadata {
    metadata: Record<string, string>;
  }

  let organization: TestOrganization;
  let other: TestOrganization;

  beforeAll(async () => {
    [organization, other] = await Promise.all([platform.organization(), platform.organization()]);
  });

  async function read(path: string, by = organization): Promise<WithMetadata> {
    const answer = await by.api('GET', path);
    expect(answer.status).toBe(200);
    return json(answer);
  }

  it('go from the request on a shop domain to its order, where the ERP adds its own', async () => {
    const metadata = { consultation: 'C-17', channel: 'app' };
    const body = orderRequest({}, { external_reference: uniqueTag(), metadata });
    const id = await organization.submit(body);
    expect((await read(`/order-requests/${id}`)).metadata).toEqual(metadata);
    const approved = await organization.api('POST', `/order-requests/${id}/approve`, {});
    const { order_id: orderId } = json<{ order_id: string }>(approved);
    expect((await read(`/orders/${orderId}`)).metadata).toEqual(metadata);
    const change = { metadata: { erp: '4711', channel: null } };
    expect(json<WithMetadata>(await organization.api('PUT', `/orders/${orderId}`, change)).metadata).toEqual({
      consultation: 'C-17',
      erp: '4711',
    });
    expect((await other.api('PUT', `/orders/${orderId}`, change)).status).toBe(404);
    expect((await other.api('GET', `/orders/${orderId}`)).status).toBe(404);
  });

  it('are taken with a request that is handed in directly, too', async () => {
    const metadata = { channel: 'marketplace' };
    const body = orderRequest({ shop_id: organization.shops[0].shopId }, { metadata });
    const answer = await organization.api('POST', '/order-requests', body);
    expect((await read(`/order-requests/${json<{ id: string }>(answer).id}`)).metadata).toEqual(metadata);
  });

  it('belong to one request and one order when partners race, and then approvals', async () => {
    const external_reference = uniqueTag();
    const bodyOf = (n: number) =>
      orderRequest({}, { external_reference, metadata: { winner: String(n % 2) } });
    const answers = await race(BURST, (n) => organization.connector({ body: bodyOf(n) }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const [id = '', ...others] = new Set(
      answers.filter(({ status }) => status === 200).map((answer) => json<{ id: string }>(answer).id),
    );
    expect(others).toEqual([]);
    const { metadata } = await read(`/order-requests/${id}`);
    const approvals = await race(BURST, () => organization.api('POST', `/order-requests/${id}/approve`, {}));
    const orders = new Set(approvals.map((answer) => json<{ order_id: string }>(answer).order_id));
    expect(orders.size).toBe(1);
    expect((await read(`/orders/${[...orders][0]}`)).metadata).toEqual(metadata);
  });

  it('that are refused give back the stock that the change had claimed', async () => {
    const own = await platform.organization();
    expect((await own.api('PUT', '/settings/stock', { stock_follows_orders: true })).status).toBe(200);
    const [p1_id = ''] = await platform.catalogProducts(1);
    await own.stock(p1_id, 5);
    const full = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'v']));
    const order = await own.createOrder({ items: [{ p1_id, qty: 1, price: 4.5 }], metadata: full });
    const change = { items: [{ p1_id, qty: 3, price: 4.5 }], metadata: { one_more: 'v' } };
    const refused = await own.api('PUT', `/orders/${order.id}`, change);
    expect([refused.status, json(refused)]).toMatchObject([400, { details: [{ field: 'metadata' }] }]);
    await eventually('the stock of the stored lines alone to be held', async () => {
      const { data } = json<{ data: { reserved_quantity: number }[] }>(await own.api('GET', '/inventory'));
      return data[0]?.reserved_quantity === 1;
    });
    const taken = await own.api('PUT', `/orders/${order.id}`, {
      ...change,
      metadata: { k0: null, one_more: 'v' },
    });
    expect([taken.status, Object.keys(json<WithMetadata>(taken).metadata)]).toEqual([
      200,
      expect.arrayContaining(['k1', 'one_more']),
    ]);
  });

  it('are part of what a reference stands for, and merge with the answer to a question', async () => {
    const external_reference = uniqueTag();
    const send = (payload: object, metadata?: object | null) =>
      organization.connector({ body: orderRequest({ ...payload }, { external_reference, metadata }) });
    const first = await send({}, { a: '1', b: '2' });
    const { id } = json<{ id: string }>(first);
    expect(json(await send({}, { b: '2', a: '1' }))).toMatchObject({ id });
    expect((await send({}, { a: 'other', b: '2' })).status).toBe(409);
    await organization.api('POST', `/order-requests/${id}/request-clarification`, {
      question: 'Which dose?',
    });
    expect((await send({ customer_email: 'anna@example.org' }, { a: null, c: '3' })).status).toBe(200);
    expect((await read(`/order-requests/${id}`)).metadata).toEqual({ b: '2', c: '3' });
  });

  it('are refused with their field when wrong, and nothing is stored', async () => {
    const external_reference = uniqueTag();
    const wrong = orderRequest({}, { external_reference, metadata: { 'no space': 'v' } });
    const refused = await organization.connector({ body: wrong });
    expect([refused.status, json(refused)]).toMatchObject([400, { details: [{ field: 'metadata' }] }]);
    const answer = await organization.connector({ body: orderRequest({}, { external_reference }) });
    expect((await read(`/order-requests/${json<{ id: string }>(answer).id}`)).metadata).toEqual({});
  });

  it('go with an erasure of the customer, from request, order and history', async () => {
    const customer_email = `${uniqueTag()}@example.org`;
    const secret = `private-${uniqueTag()}`;
    const body = orderRequest(
      { customer_email },
      { external_reference: uniqueTag(), metadata: { note: secret } },
    );
    const id = await organization.submit(body);
    const approved = await organization.api('POST', `/order-requests/${id}/approve`, {});
    const { order_id: orderId } = json<{ order_id: string }>(approved);
    await organization.api('PUT', `/orders/${orderId}`, { metadata: { second: secret } });
    const erased = await organization.api('POST', '/customers/erase', { email: customer_email });
    expect(erased.status).toBeLessThan(300);
    for (const path of [`/order-requests/${id}`, `/orders/${orderId}`, `/orders/${orderId}/history`]) {
      const answer = await organization.api('GET', path);
      expect([answer.status, answer.body.toString().includes(secret)]).toEqual([200, false]);
    }
  });
});
