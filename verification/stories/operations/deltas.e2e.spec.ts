import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

const platform = usePlatform();

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

    it('a cursor of another order or filter, an unknown order and no time are refused by name', async () => {
      const { pagination } = await page(path, { sort: 'updated_at', limit: '1' });
      const cursor = pagination.next_cursor ?? '';
      const wrong: [string, Record<string, string>][] = [
        ['cursor', { sort: '-updated_at', cursor }],
        ['cursor', { sort: 'updated_at', created_from: '2000-01-01T00:00:00Z', cursor }],
        ['sort', { sort: 'customer_name' }],
        ['updated_since', { updated_since: 'yesterday' }],
      ];
      for (const [field, query] of wrong) {
        const answer = await organization.api('GET', `${path}?${new URLSearchParams(query).toString()}`);
        const { details } = json<ErrorBody>(answer);
        expect([answer.status, details?.map((problem) => problem.field)]).toEqual([400, [field]]);
      }
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

  it('a PATCH that changes nothing answers the ETag that the order has', async () => {
    const answer = await organization.api('PATCH', `/orders/${id}/status`, { status: 'pending' });
    expect([answer.status, answer.headers['etag']]).toEqual([200, '"2"']);
  });

  describe('GET with If-None-Match', () => {
    it.each(['"2"', 'W/"2"', '"1", W/"2-br"', '"2-gzip"', '*'])(
      '%j is a 304 without a body',
      async (known) => {
        const answer = await get({ 'If-None-Match': known });
        expect([answer.status, answer.headers['etag'], answer.body.length]).toEqual([304, '"2"', 0]);
        expect(answer.headers).not.toHaveProperty('content-type');
        expect(answer.headers['x-request-id']).toEqual(expect.any(String));
      },
    );

    it('is a 200 with the order of another version, and a 400 when malformed', async () => {
      const answer = await get({ 'If-None-Match': '"1", "3"' });
      expect([answer.status, json(answer)['id']]).toEqual([200, id]);
      expect(codeOf(await get({ 'If-None-Match': '*, "2"' }))).toBe('400 invalid_request');
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
