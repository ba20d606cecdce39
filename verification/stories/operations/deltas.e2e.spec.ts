import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

/** Changes since a time: order requests, prescriptions, stock and the products of a shop, as an ERP asks for them. */
describe('changes since a time', () => {
  interface Row {
    id: string;
    p1_id: string;
    created_at: string;
    updated_at: string;
  }

  interface Page {
    data: Row[];
    pagination: { total: number; next_cursor: string | null };
  }

  let organization: TestOrganization;

  beforeEach(async () => {
    organization = await platform.organization();
  });

  async function page(path: string, query: Record<string, string>): Promise<Page> {
    const answer = await organization.api('GET', `${path}?${new URLSearchParams(query).toString()}`);
    expect(answer.status).toBe(200);
    return json<Page>(answer);
  }

  const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

  /** Ids in the order in which they were made, and how the first of them is changed. */
  interface Kind {
    path: string;
    make: (name: string) => Promise<string>;
    change: (id: string, name: string) => Promise<unknown>;
  }

  const requests: Kind = {
    path: '/order-requests',
    make: (name) => organization.submit(orderRequest({}, { external_reference: name })),
    change: (id) =>
      organization.api('POST', `/order-requests/${id}/reject`, { reason: 'prescription_missing' }),
  };

  const ingest = async (name: string, amount: number): Promise<string> => {
    const body = { 'External Id': name, 'Customer Email': 'e@mail.example', 'Order Total Amount': amount };
    const { shopId } = organization.shops[0];
    const answer = await organization.api('POST', `/prescriptions/ingest?shop_id=${shopId}`, body);
    expect(answer.status).toBe(200);
    return json<{ id: string }>(answer).id;
  };
  const prescriptions: Kind = {
    path: '/prescriptions',
    make: (name) => ingest(name, 10),
    change: (_, name) => ingest(name, 20),
  };

  describe.each<[string, Kind]>([
    ['order requests', requests],
    ['prescriptions', prescriptions],
  ])('%s', (_, { path, make, change }) => {
    let ids: string[];

    beforeEach(async () => {
      ids = [];
      for (const name of ['one', 'two', 'three', 'four']) ids.push(await make(name));
      await change(ids[0] ?? '', 'one');
    });

    it('by the time of their last change, in both directions', async () => {
      const [first = '', ...others] = ids;
      expect(idsOf(await page(path, { sort: 'updated_at' }))).toEqual([...others, first]);
      expect(idsOf(await page(path, { sort: '-updated_at' }))).toEqual([first, ...others.reverse()]);
      expect(idsOf(await page(path, { sort: 'created_at' }))).toEqual(ids);
      expect(idsOf(await page(path, {}))).toEqual([...ids].reverse());
    });

    it('only those that have changed since, and those created within a time', async () => {
      const all = await page(path, { sort: 'updated_at' });
      const [, third, fourth, changed] = all.data;
      const since = await page(path, { sort: 'updated_at', updated_since: fourth?.updated_at ?? '' });
      expect(since.data).toEqual([fourth, changed]);
      expect(since.pagination.total).toBe(2);
      const within = await page(path, {
        created_from: third?.created_at ?? '',
        created_to: fourth?.created_at ?? '',
      });
      expect(within.data).toEqual([third]);
      const none = await page(path, { updated_since: '2100-01-01T00:00:00Z' });
      expect([none.data, none.pagination.total]).toEqual([[], 0]);
    });

    it('one that changes while a walk goes on appears again', async () => {
      const seen: string[] = [];
      const query = { sort: 'updated_at', limit: '2' };
      let { data, pagination } = await page(path, query);
      seen.push(...data.map(({ id }) => id));
      await change(ids[1] ?? '', 'two');
      while (pagination.next_cursor !== null) {
        ({ data, pagination } = await page(path, { ...query, cursor: pagination.next_cursor }));
        seen.push(...data.map(({ id }) => id));
      }
      const [one, two, three, four] = ids;
      expect(seen).toEqual([two, three, four, one, two]);
    });

    it('a cursor of another order, an unknown order and no time are refused by name', async () => {
      const { pagination } = await page(path, { sort: 'updated_at', limit: '1' });
      const wrong = {
        cursor: { sort: '-updated_at', cursor: pagination.next_cursor ?? '' },
        sort: { sort: 'customer_name' },
        updated_since: { updated_since: 'yesterday' },
      };
      for (const [field, query] of Object.entries(wrong)) {
        const answer = await organization.api('GET', `${path}?${new URLSearchParams(query).toString()}`);
        const { details } = json<ErrorBody>(answer);
        expect([answer.status, details?.map((problem) => problem.field)]).toEqual([400, [field]]);
      }
    });

    it('nothing of another organization', async () => {
      const own = organization;
      organization = await platform.organization();
      expect((await page(path, { sort: 'updated_at', updated_since: '2020-01-01T00:00:00Z' })).data).toEqual(
        [],
      );
      organization = own;
    });
  });

  describe('stock and products', () => {
    let products: string[];
    let shop_id: string;

    beforeEach(async () => {
      ({ shopId: shop_id } = organization.shops[0]);
      products = await platform.catalogProducts(3);
      for (const p1Id of products) await organization.stock(p1Id, 5);
    });

    const atShop = async (call: 'attach' | 'detach', p1_id = ''): Promise<void> => {
      const { status } = await organization.api('POST', `/shops/${call}-product`, { shop_id, p1_id });
      expect(status).toBeLessThan(300);
    };
    const productsOf = ({ data }: Page): string[] => data.map(({ p1_id }) => p1_id);

    it('stock that has changed since, also while it is walked', async () => {
      const [first = '', second = '', third = ''] = products;
      const query = { sort: 'updated_at', limit: '2' };
      const { data, pagination } = await page('/inventory', query);
      await organization.api('POST', '/inventory/adjust', { p1_id: first, delta: -1, reason: 'damaged' });
      const next = await page('/inventory', { ...query, cursor: pagination.next_cursor ?? '' });
      expect([productsOf({ data, pagination }), productsOf(next)]).toEqual([
        [first, second],
        [third, first],
      ]);
      expect(next.pagination).toMatchObject({ total: 3, next_cursor: null });
      const since = await page('/inventory', { updated_since: next.data[1]?.updated_at ?? '' });
      expect(since.data).toEqual([next.data[1]]);
      expect((await page('/inventory', { created_to: data[1]?.created_at ?? '' })).data).toHaveLength(1);
    });

    it('products of a shop: a detached one is among its changes until it is attached again', async () => {
      const [gone = '', ...others] = products;
      for (const p1Id of products) await atShop('attach', p1Id);
      const last = (await page('/products', { shop_id, sort: '-updated_at', limit: '1' })).data[0];
      await atShop('detach', gone);
      const since = { shop_id, sort: 'updated_at', updated_since: last?.updated_at ?? '' };
      const changes = await page('/products', since);
      expect(changes.data).toMatchObject([
        { p1_id: others[1], available: true, detached_at: null },
        { p1_id: gone, available: false, detached_at: changes.data[1]?.updated_at },
      ]);
      const walked = await page('/products', { shop_id, sort: 'updated_at', limit: '2' });
      const rest = { shop_id, sort: 'updated_at', cursor: walked.pagination.next_cursor ?? '' };
      expect([...walked.data, ...(await page('/products', rest)).data].at(-1)).toEqual(changes.data[1]);
      const plain = await page('/products', { shop_id });
      expect([productsOf(plain), plain.pagination.total]).toEqual([[...others].sort(), 2]);
      await atShop('attach', gone);
      expect((await page('/products', since)).data.at(-1)).toMatchObject({
        available: true,
        detached_at: null,
      });
    });

    it('nothing of another organization, and no cursor of another list', async () => {
      for (const p1Id of products) await atShop('attach', p1Id);
      await atShop('detach', products[0]);
      const { pagination } = await page('/products', { shop_id, sort: 'updated_at', limit: '1' });
      const cursor = pagination.next_cursor ?? '';
      const refused = await organization.api('GET', `/inventory?sort=updated_at&cursor=${cursor}`);
      expect([refused.status, json<ErrorBody>(refused).details?.[0]?.field]).toEqual([400, 'cursor']);
      const other = await platform.organization();
      const foreign = await other.api('GET', `/products?shop_id=${shop_id}&sort=updated_at`);
      expect([foreign.status, json<ErrorBody>(foreign).error]).toEqual([404, 'not_found']);
      const own = new URLSearchParams({ shop_id: other.shops[0].shopId, sort: 'updated_at', cursor });
      const answer = await other.api('GET', `/products?${own.toString()}`);
      expect([answer.status, json<Page>(answer).data]).toEqual([200, []]);
    });
  });
});

/** If-Match and If-None-Match on orders, as RFC 9110 section 13 has them. */
describe('conditional requests', () => {
  let organization: TestOrganization;
  let id: string;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  /** Of version 2: its ETag is `"2"`. */
  beforeEach(async () => {
    ({ id } = await organization.createOrder());
    expect((await organization.api('PUT', `/orders/${id}`, { customer_name: 'Erika' })).headers['etag']).toBe(
      '"2"',
    );
  });

  const get = (headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    organization.api('GET', `/orders/${id}`, undefined, headers);

  describe.each<[string, string, object]>([
    ['PUT', '', { customer_name: 'Max' }],
    ['PATCH', '/status', { payment_status: 'paid' }],
  ])('%s with If-Match', (method, tail, body) => {
    const change = (ifMatch: string): Promise<HttpAnswer> =>
      organization.api(method, `/orders/${id}${tail}`, body, { 'If-Match': ifMatch });

    it.each(['"2"', '"1", "2"', ' "nonsense" , "2",', 'W/"1", "2"', '*', ' * '])(
      '%j changes it',
      async (ifMatch) => {
        const answer = await change(ifMatch);
        expect([codeOf(answer), answer.headers['etag']]).toEqual(['200', '"3"']);
        expect((await get()).headers['etag']).toBe('"3"');
      },
    );

    it.each(['"1"', '"1", "3"', '"02"', '"nonsense"', 'W/"2"', '"2,"', '""'])(
      '%j is a 412, and nothing changes',
      async (ifMatch) => {
        expect(codeOf(await change(ifMatch))).toBe('412 precondition_failed');
        expect((await get()).headers['etag']).toBe('"2"');
      },
    );

    it.each(['', ' ', '2', '"2', '*, "2"', '"2" "3"', 'w/"2"', ','])(
      '%j is a 400, and nothing changes',
      async (ifMatch) => {
        const answer = await change(ifMatch);
        expect(codeOf(answer)).toBe('400 invalid_request');
        expect(json<ErrorBody>(answer).details?.[0]?.field).toBe('If-Match');
        expect((await get()).headers['etag']).toBe('"2"');
      },
    );

    it('* of an order that is not there is a 404', async () => {
      const path = `/orders/${organization.orgId}${tail}`;
      const answer = await organization.api(method, path, body, { 'If-Match': '*' });
      expect(codeOf(answer)).toBe('404 not_found');
    });
  });

  it('a PATCH that changes nothing answers the ETag that the order has', async () => {
    const answer = await organization.api('PATCH', `/orders/${id}/status`, { status: 'pending' });
    expect([answer.status, answer.headers['etag']]).toEqual([200, '"2"']);
  });

  it('of 50 changes with the same list one is made', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        organization.api(
          'PATCH',
          `/orders/${id}/status`,
          { payment_status: index % 2 ? 'paid' : 'failed' },
          { 'If-Match': '"1", "2"' },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
  });

  describe('GET with If-None-Match', () => {
    it.each(['"2"', 'W/"2"', '"1", W/"2"', '*'])('%j is a 304 without a body', async (known) => {
      const answer = await get({ 'If-None-Match': known });
      expect([answer.status, answer.headers['etag'], answer.body.length]).toEqual([304, '"2"', 0]);
      expect(answer.headers).not.toHaveProperty('content-type');
      expect(answer.headers['x-request-id']).toEqual(expect.any(String));
    });

    it.each(['"1"', '"1", "3"', 'W/"1"'])('%j is a 200 with the order', async (known) => {
      const answer = await get({ 'If-None-Match': known });
      expect([answer.status, json(answer)['id']]).toEqual([200, id]);
    });

    it.each(['', '2', '*, "2"'])('%j is a 400', async (known) => {
      expect(codeOf(await get({ 'If-None-Match': known }))).toBe('400 invalid_request');
    });

    it('is a 404 for an order of another organization', async () => {
      const other = await platform.organization();
      const answer = await other.api('GET', `/orders/${id}`, undefined, { 'If-None-Match': '*' });
      expect(codeOf(answer)).toBe('404 not_found');
    });
  });

  it.each<[string, string, string, object | undefined]>([
    ['If-None-Match', 'GET', '/orders', undefined],
    ['If-Match', 'GET', '/orders', undefined],
    ['If-None-Match', 'PUT', '/orders/x', { customer_name: 'A' }],
    ['If-Match', 'POST', '/orders/batch', { orders: [] }],
    ['If-Match', 'POST', '/webhooks', {}],
    ['If-Match', 'POST', '/auth/token', undefined],
  ])('%s of %s %s is refused, not ignored', async (header, method, path, body) => {
    const answer = await organization.api(method, path, body, { [header]: '*', 'Idempotency-Key': header });
    expect([answer.status, json<ErrorBody>(answer).details]).toEqual([
      400,
      [{ field: header, message: 'is not taken by this operation: leave it out' }],
    ]);
  });

  it('an upsert under a key is replayed, and with another version it is another request', async () => {
    const create = (headers: Record<string, string>): Promise<HttpAnswer> => {
      const body = { shop_id: organization.shops[0].shopId, external_id: `new-${id}` };
      return organization.api('POST', '/orders', body, { 'Idempotency-Key': `new-${id}`, ...headers });
    };
    expect((await create({ 'If-None-Match': '*' })).status).toBe(201);
    const again = await create({ 'If-None-Match': '*' });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(codeOf(await create({ 'If-Match': '"1"' }))).toBe('422 idempotency_key_reused');
    const other = { 'If-None-Match': '*', 'Idempotency-Key': `other-${id}` };
    expect(codeOf(await create(other))).toBe('412 precondition_failed');
  });

  describe('settings', () => {
    const SHOP = () => `/shops/${organization.shops[0].shopId}`;
    const CLOSED = [
      { mode: 'default', closed_orders: 'allow' },
      { mode: 'default', closed_orders: 'refuse' },
    ] as const;
    const cases: [string, () => string, object, object][] = [
      ['the workflow', () => '/settings/workflow', { mode: 'open' }, { mode: 'default' }],
      ['closed orders', () => '/settings/workflow', ...CLOSED],
      ['a shop', SHOP, { name: 'Am Markt' }, { name: 'Am Tor' }],
    ];

    it.each(cases)(
      '%s is changed on the version that was read, and on any without If-Match',
      async (...row) => {
        const [, path, one, other] = row;
        const put = (body: object, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
          organization.api('PUT', path(), body, headers);
        const read = () => organization.api('GET', path());
        const { etag = '' } = (await read()).headers;
        expect(`"${json<{ version: string }>(await read()).version}"`).toBe(etag);
        const first = await put(one, { 'If-Match': String(etag) });
        const second = String((await read()).headers['etag']);
        expect([codeOf(first), first.headers['etag']]).toEqual(['200', second]);
        expect(second).not.toBe(etag);
        expect(codeOf(await put(other, { 'If-Match': String(etag) }))).toBe('412 precondition_failed');
        expect(codeOf(await put(other, { 'If-Match': 'x' }))).toBe('400 invalid_request');
        expect((await read()).headers['etag']).toBe(second);
        const both = await Promise.all([
          put(other, { 'If-Match': second }),
          put(other, { 'If-Match': second }),
        ]);
        expect(both.map(codeOf).sort()).toEqual(['200', '412 precondition_failed']);
        expect(codeOf(await put(one))).toBe('200');
      },
    );
  });
});
