import type { Caller } from '@offizin/contracts/calls/caller';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { type ExternalOrdersResponse, listExternalOrders } from '@offizin/contracts/requests/external-orders';
import * as offers from '@offizin/contracts/requests/offers';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { blocksRead } from '@offizin/testkit/blocks-read';
import { inParts } from '@offizin/testkit/in-parts';
import { orderRequest } from '@offizin/testkit/organization';
import { insertKey, replaceKey } from '../../people/directory/keys.store';
import { catalogSpec } from '../../spec/fake-catalog';
import { erasureHandlers, requestHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture, type SpecAnswer } from '../../spec/spec-fixture';
import { ownRequests } from './own-requests.store';

/** A partner's own requests as a list: which ones, in which order, page by page, at a flat cost. */
const test = catalogSpec();
let core: OrderCoreFixture;
let partner: Caller;

beforeEach(async () => {
  core = await newCore();
  partner = await core.integration('Telemedicine');
});

async function newCore(): Promise<OrderCoreFixture> {
  const { database, bus } = test;
  const keys = specKeys(database);
  const further = [...requestHandlers(database, keys, bus), ...erasureHandlers(database, keys)];
  const holds = { hold: () => Promise.resolve('reserved' as const), release: () => Promise.resolve() };
  return OrderCoreFixture.make(database, further, holds);
}

const list = (
  query: Record<string, string> = {},
  caller = partner,
): Promise<SpecAnswer<typeof listExternalOrders>> =>
  core.call(listExternalOrders, { caller, query: new URLSearchParams(query).toString() });

async function page(query?: Record<string, string>, caller?: Caller): Promise<ExternalOrdersResponse> {
  const { status, body } = await list(query, caller);
  expect(status).toBe(200);
  return body;
}

const idsOf = async (query?: Record<string, string>, caller?: Caller): Promise<string[]> =>
  (await page(query, caller)).data.map(({ id }) => id);

/** The ids of all pages of this size, in order. */
async function walk(
  query: Record<string, string>,
  between: () => Promise<unknown> = () => Promise.resolve(),
) {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const next: ExternalOrdersResponse = await page({ ...query, ...(cursor !== '' && { cursor }) });
    ids.push(...next.data.map(({ id }) => id));
    cursor = next.pagination.next_cursor;
    if (cursor !== null) await between();
  }
  return ids;
}

async function submitted(caller = partner, payload: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await core.call(requests.submitExternalOrder, {
    caller,
    body: orderRequest(payload),
  });
  expect(status).toBe(200);
  return body.id;
}

async function approve(requestId: string): Promise<string> {
  const answer = await core.call(review.approveOrderRequest, { params: { requestId }, body: {} });
  expect(answer.status).toBe(200);
  return answer.body.order_id;
}

async function reject(requestId: string): Promise<void> {
  const { status } = await core.call(review.rejectOrderRequest, {
    params: { requestId },
    body: { reason: 'other' },
  });
  expect(status).toBe(200);
}

const read = async (requestId: string) =>
  (await core.call(requests.readExternalOrder, { params: { requestId }, caller: partner })).body;

const requestRow = statement<{ updated_at: Date; sequence: number }, [string]>(
  'spec_own_request_row',
  `SELECT updated_at, sequence FROM core.order_requests WHERE id = $1`,
);

it('is empty without requests', async () => {
  expect(await page()).toEqual({ data: [], pagination: { limit: 50, next_cursor: null } });
});

it('shows each request as it is read back, the oldest change first', async () => {
  const [first, second, third] = [await submitted(), await submitted(), await submitted()];
  await approve(second);
  await core.call(review.requestClarification, {
    params: { requestId: first },
    body: { question: 'Which?' },
  });
  const { data, pagination } = await page({ limit: '10' });
  expect(data.map(({ id, status }) => [id, status])).toEqual([
    [third, 'pending'],
    [second, 'approved'],
    [first, 'needs_clarification'],
  ]);
  expect(data).toEqual([await read(third), await read(second), await read(first)]);
  expect(pagination).toEqual({ limit: 10, next_cursor: null });
});

it('shows an offer, whose answer counts as a change', async () => {
  const [one, other, third] = [await submitted(), await submitted(), await submitted()];
  const params = { requestId: one };
  const body = { version: 1, items: [{ name: 'Tee', qty: 1, price: 1 }] };
  expect((await core.call(offers.offerLines, { params, body })).status).toBe(200);
  expect((await page()).data).toEqual([await read(other), await read(third), await read(one)]);
  expect((await read(one)).offer).toMatchObject({ state: 'open', total_amount: 1 });
  await reject(other);
  await core.call(offers.declineExternalOffer, { params, body: {}, caller: partner });
  const { data } = await page();
  expect(data.map(({ id, offer }) => [id, offer?.state])).toEqual([
    [third, undefined],
    [other, undefined],
    [one, 'declined'],
  ]);
});

it('counts a change of the order as one, which leaves the row of the request alone', async () => {
  const [one, other] = [await submitted(), await submitted()];
  const orderId = await approve(one);
  await approve(other);
  expect(await idsOf()).toEqual([one, other]);
  const before = await test.database.rows(requestRow, one);
  const { updated_at: since } = (await page()).data[1] ?? { updated_at: '' };
  await core.patch(orderId, { status: 'shipped' });
  const { data } = await page();
  expect(data.map(({ id }) => id)).toEqual([other, one]);
  expect(data[1]).toMatchObject({ order_status: 'shipped', order: { shipped: true } });
  expect(data[1]?.updated_at).toBe((await core.order(orderId)).updated_at);
  expect(await idsOf({ updated_since: since })).toContain(one);
  expect(await test.database.rows(requestRow, one)).toEqual(before);
});

it('is walked by pages: each request once, and again where it changes meanwhile', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) ids.push(await submitted());
  for (const limit of ['1', '2', '3', '7', '50']) expect(await walk({ limit })).toEqual(ids);
  const [first = '', ...rest] = ids;
  const orderId = await approve(first);
  expect(await walk({ limit: '2' })).toEqual([...rest, first]);
  await core.patch(orderId, { payment_status: 'paid' });
  let changes = 0;
  const moved = await walk({ limit: '3' }, async () => {
    changes += 1;
    // The second one has been read; the order of the first comes last anyway.
    if (changes === 1) await reject(rest[0] ?? '');
    else await core.patch(orderId, { status: 'shipped' });
  });
  expect(moved).toEqual([...rest, rest[0], first]);
});

it('has the ones of a status, and those changed since a time', async () => {
  const [open, approved, rejected] = [await submitted(), await submitted(), await submitted()];
  await approve(approved);
  await reject(rejected);
  expect(await idsOf({ status: 'pending' })).toEqual([open]);
  expect(await idsOf({ status: 'approved' })).toEqual([approved]);
  expect(await idsOf({ status: 'rejected' })).toEqual([rejected]);
  expect(await idsOf({ status: 'expired' })).toEqual([]);
  const { updated_at: since } = await read(approved);
  expect(await idsOf({ updated_since: since })).toEqual([approved, rejected]);
  expect(await idsOf({ updated_since: since, status: 'approved' })).toEqual([approved]);
  const later = new Date(Date.parse((await read(rejected)).updated_at) + 1).toISOString();
  expect(await idsOf({ updated_since: later })).toEqual([]);
});

it('is of one integration at one shop: no other key, shop, tenant or direct request is in it', async () => {
  const own = await submitted();
  const elsewhere = { ...partner, shopId: core.otherShopId };
  const there = await submitted(elsewhere);
  const other = await core.integration('Another');
  const theirs = await submitted(other);
  await approve(theirs);
  await core.call(requests.submitOrderRequest, { body: orderRequest({ shop_id: core.shopId }) });
  expect(await idsOf()).toEqual([own]);
  expect(await idsOf({}, elsewhere)).toEqual([there]);
  expect(await idsOf({}, other)).toEqual([theirs]);
  const mine = core;
  core = await newCore();
  const foreign = await core.integration('Foreign');
  const stranger = await submitted(foreign);
  // A caller with the shop of another tenant does not pass the edge; nothing is shown to it, either.
  expect(await idsOf({}, { ...foreign, shopId: mine.shopId })).toEqual([]);
  expect(await idsOf({}, foreign)).toEqual([stranger]);
});

it('refuses a cursor of another list, filter, integration or shop', async () => {
  for (let count = 0; count < 3; count += 1) await submitted();
  const { next_cursor } = (await page({ limit: '1' })).pagination;
  const cursor = next_cursor ?? '';
  const other = await core.integration('Another');
  const refused = [
    await list({ cursor: 'x' }),
    await list({ cursor, status: 'pending' }),
    await list({ cursor, updated_since: '2026-01-01T00:00:00Z' }),
    await list({ cursor }, other),
    await list({ cursor }, { ...partner, shopId: core.otherShopId }),
  ];
  const fields = refused.map(({ status, body }) => [status, body.details?.map(({ field }) => field)]);
  expect(fields).toEqual(refused.map(() => [400, ['cursor']]));
  // Another size of the pages is not another list.
  expect((await page({ cursor, limit: '2' })).data).toHaveLength(2);
});

it.each([
  ['limit', '0'],
  ['limit', '51'],
  ['limit', 'all'],
  ['status', 'lost'],
  ['status', ''],
  ['updated_since', 'yesterday'],
  ['updated_since', '2026-02-30T00:00:00Z'],
  ['offset', '1'],
  ['shop_id', 'x'],
])('refuses %s=%s', async (name, value) => {
  const { status, body } = await list({ [name]: value });
  expect([status, body.details?.map(({ field }) => field)]).toEqual([400, [name]]);
});

it('keeps withdrawn and erased requests, the latter without a person', async () => {
  const email = 'erika@example.org';
  const withdrawn = await submitted();
  const [open, approved] = [await submitted(partner, { customer_email: email }), await submitted()];
  await core.call(requests.cancelExternalOrder, {
    params: { requestId: withdrawn },
    caller: partner,
    body: { reason: 'customer_request' },
  });
  await approve(approved);
  const erase = async (body: object) => expect((await core.call(eraseCustomer, { body })).status).toBe(200);
  await erase({ email });
  await erase({ order_request_id: approved });
  const { data } = await page();
  expect(data.map(({ id, status }) => [id, status])).toEqual([
    [withdrawn, 'cancelled'],
    [open, 'pending'],
    [approved, 'approved'],
  ]);
  expect(data.map(({ answer }) => answer)).toEqual([null, null, null]);
  expect(JSON.stringify(data)).not.toMatch(/Erika|erika/);
  expect(data[2]).toEqual(await read(approved));
});

it('goes on after a rotation of the key, also from the cursor; a key that has ended reads nothing', async () => {
  const ids = [await submitted(), await submitted(), await submitted()];
  const { data, pagination } = await page({ limit: '1' });
  const next = { ...partner, actorId: newId() };
  const key = { id: next.actorId, name: 'next', kind: 'int', hash: next.actorId, shopId: null } as const;
  const replaces = partner.actorId;
  await insertKey(test.database, core.orgId, { ...key, expiresAt: null, scopes: [], replaces });
  await replaceKey(test.database, core.orgId, replaces, { newKeyId: next.actorId, overlapSeconds: 0 });
  const rest = await idsOf({ cursor: pagination.next_cursor ?? '', limit: '50' }, next);
  expect([...data.map(({ id }) => id), ...rest]).toEqual(ids);
  expect(await idsOf({}, next)).toEqual(ids);
  expect((await list()).status).toBe(401);
});

it('ends a page early where its requests are long', async () => {
  const items = Array.from({ length: 500 }, () => ({ name: 'ü'.repeat(250), quantity: 1, price: 1 }));
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    ids.push(await submitted(partner, { items }));
    await approve(ids[count] ?? '');
  }
  const first = await page();
  expect(first.data.length).toBeGreaterThan(1);
  expect(first.data.length).toBeLessThan(5);
  expect(first.pagination.next_cursor).not.toBeNull();
  expect(await walk({})).toEqual(ids);
});

/** Requests `from` to `to` of the integration, every second one with an order that was changed a day later. */
const seed = statement<
  never,
  { orgId: string; shopId: string; integrationId: string; from: number; to: number }
>(
  'spec_own_requests_seed',
  `WITH numbered AS (
     SELECT md5($integrationId::text || 'r' || n)::uuid AS id,
            CASE WHEN n % 2 = 0 THEN md5($integrationId::text || 'o' || n)::uuid END AS order_id,
            now() - make_interval(mins => 100000 - n) AS at
     FROM generate_series($from::int, $to::int) n
   ), sent AS (
     INSERT INTO core.order_requests (id, org_id, shop_id, source, status, total_amount, payload_ciphertext, payload_digest,
                                      integration_id, order_id, created_at, updated_at)
     SELECT id, $orgId::uuid, $shopId::uuid, 'spec', CASE WHEN order_id IS NULL THEN 'rejected' ELSE 'approved' END, 1, '', '',
            $integrationId::uuid, order_id, at, at FROM numbered
   )
   INSERT INTO core.orders (id, org_id, shop_id, external_id, status, order_request_id, integration_id, total_amount,
                            total_is_given, payment_status, items, created_at, updated_at)
   SELECT order_id, $orgId::uuid, $shopId::uuid, id::text, 'completed', id, $integrationId::uuid, 1, false, 'paid', '[]', at,
          at + interval '1 day'
   FROM numbered WHERE order_id IS NOT NULL`,
);
const analyze = statement<never, []>('spec_own_requests_analyze', 'ANALYZE core.order_requests, core.orders');

it('reads as few blocks of many requests as of few, on every page and under every filter', async () => {
  const { database } = test;
  const { orgId, shopId } = core;
  const ownerOf = ({ actorId: integrationId }: Caller) => ({ orgId, shopId, integrationId });
  const [few, many] = [ownerOf(partner), ownerOf(await core.integration('Large'))];
  await database.rows(seed, { ...few, from: 1, to: 120 });
  await inParts(12_000, (from, to) => database.rows(seed, { ...many, from, to }));
  await database.rows(analyze);
  const blocksOf = async (owner: typeof few, query: object): Promise<number> => {
    const [blocks = Infinity] = await blocksRead(database, (sql) =>
      ownRequests(sql, owner, { limit: 50, ...query }),
    );
    return blocks;
  };
  const usual = await blocksOf(few, {});
  const middle = { updated_since: new Date(Date.now() - 94_000 * 60_000).toISOString() };
  const { nextCursor } = await ownRequests(database, many, { limit: 50, ...middle });
  for (const query of [
    {},
    { status: 'approved' },
    { status: 'rejected' },
    { status: 'pending' },
    middle,
    { ...middle, status: 'approved' },
    { ...middle, cursor: nextCursor ?? '' },
  ] as const)
    expect([query, (await blocksOf(many, query)) <= 1.5 * usual]).toEqual([query, true]);
});
