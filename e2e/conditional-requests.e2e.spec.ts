import type { ErrorBody } from '@offizin/contracts/errors';
import { codeOf } from '@offizin/testkit/error-code';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** If-Match and If-None-Match on orders, as RFC 9110 section 13 has them. */
let platform: TestPlatform;
let organization: TestOrganization;
let id: string;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

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

  it('is ignored where the answer has no ETag', async () => {
    const answer = await organization.api('GET', '/orders', undefined, { 'If-None-Match': '*' });
    expect(answer.status).toBe(200);
  });
});

describe('settings', () => {
  const SHOP = () => `/shops/${organization.shops[0].shopId}`;
  const cases: [string, () => string, object, object][] = [
    ['the workflow', () => '/settings/workflow', { mode: 'open' }, { mode: 'default' }],
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
