import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { patchOrderStatuses } from '@offizin/contracts/orders/order-batches';
import { statement } from '@offizin/pg/database';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { saveFollowsOrders, settleClaim } from '../stock/stock-claims.store';
import type { HoldOf } from '../stock/stock-holds';
import { OPEN_WORKFLOW } from './order-status';
import { databaseSpec } from '../../spec/core-spec';
import { catalog, claims, forgetHolds, holds } from '../../spec/recorded-holds';

/** The claims of order-core where stock follows orders, and their outcomes. */
const test = databaseSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  forgetHolds();
  core = await OrderCoreFixture.make(test.database, [], holds);
  await saveFollowsOrders(test.database, core.orgId, true);
});

const setWorkflow = statement<never, [string, string]>(
  'spec_set_workflow',
  'UPDATE core.organizations SET workflow = $2::jsonb WHERE id = $1',
);

const lines = (p1_id: string, qty: number) => ({ items: [{ p1_id, qty, price: 1 }] });

async function claimsOfEvents(orderId: string): Promise<[string, unknown][]> {
  return (await core.eventsOf(orderId)).map(({ topic, metadata }) => [topic, metadata['stock_claim_id']]);
}

it('claims nothing while the setting is off', async () => {
  await saveFollowsOrders(test.database, core.orgId, false);
  const { body } = await core.upsert('a', lines('p', 2));
  await core.upsert('a', lines('p', 3));
  await core.update(body.id, lines('p', 4));
  expect(catalog.asked).toEqual([]);
  expect(await claimsOfEvents(body.id)).toEqual([
    ['plain', null],
    ['plain', null],
    ['plain', null],
  ]);
});

it('claims the lines of a new order, and each change of its lines replaces the earlier claim', async () => {
  const first = await core.upsert('a', { ...lines('p', 2), customer_name: 'A' });
  expect([first.status, first.body.items]).toEqual([201, [expect.objectContaining({ quantity: 2 })]]);
  const { id } = first.body;
  expect((await core.upsert('a', lines('p', 3))).status).toBe(200);
  expect((await core.update(id, { items: null })).body.items).toEqual([]);
  const [one, two, three] = claims();
  const about = { org_id: core.orgId, attempt: 0 };
  expect(catalog.asked).toEqual([
    { ...about, order_request_id: one, lines: [{ p1_id: 'p', quantity: 2 }] },
    {
      ...about,
      order_request_id: two,
      order_id: id,
      replaces: one,
      ended_as: null,
      lines: [{ p1_id: 'p', quantity: 3 }],
    },
    { ...about, order_request_id: three, order_id: id, replaces: two, ended_as: null, lines: [] },
  ]);
  await core.patch(id, { status: 'cancelled' });
  expect(await claimsOfEvents(id)).toEqual([one, two, three, three].map((claim) => ['stock', claim]));
  expect(catalog.released).toEqual([]);
  expect(await core.historyOf(id)).toHaveLength(4);
});

it('claims nothing when the stock of the lines is equal, and changes the rest', async () => {
  const { body } = await core.upsert('a', lines('p', 2));
  const same = { items: [1, 1].map((qty) => ({ p1_id: 'p', qty, price: 5 })), customer_name: 'B' };
  expect((await core.upsert('a', same)).body).toMatchObject({ total_amount: 10, customer_name: 'B' });
  expect((await core.update(body.id, { customer_name: 'C' })).body.customer_name).toBe('C');
  expect((await core.upsert('b', { items: [{ name: 'n', qty: 1, price: 1 }] })).status).toBe(201);
  expect(catalog.asked).toHaveLength(1);
});

it('a final order claims nothing; an order with stock keeps claiming when the setting is off', async () => {
  const { body } = await core.upsert('a', lines('p', 2));
  await saveFollowsOrders(test.database, core.orgId, false);
  expect((await core.upsert('a', lines('p', 3))).status).toBe(200);
  expect((await core.update(body.id, lines('p', 4))).status).toBe(200);
  expect(catalog.asked).toHaveLength(3);
  await core.patch(body.id, { status: 'shipped' });
  expect((await core.update(body.id, { ...lines('p', 5), force: true })).body.items).toMatchObject([
    { quantity: 5 },
  ]);
  expect(catalog.asked).toHaveLength(3);
});

it('a claim made void before its commit writes nothing and is released', async () => {
  catalog.before = (claim) => settleClaim(test.database, claim.order_request_id);
  const answer = await core.upsert('a', lines('p', 2));
  expect([answer.status, answer.body.error]).toEqual([503, 'service_unavailable']);
  catalog.before = () => Promise.resolve();
  expect((await core.upsert('a', lines('p', 2))).status).toBe(201);
});

it('a committed claim never becomes void', async () => {
  const { body } = await core.upsert('a', lines('p', 2));
  const [claim = ''] = claims();
  expect(await settleClaim(test.database, claim)).toEqual({ orderId: body.id });
  expect(await settleClaim(test.database, claim)).toEqual({ orderId: body.id });
});

/** After this many round trips to the database. */
async function laterBy(trips: number): Promise<void> {
  for (let n = 0; n < trips; n += 1) await test.database.ping();
}

it('of a concurrent commit and settlement of a claim exactly one happens', async () => {
  for (let round = 0; round < 30; round += 1) {
    let asked: Promise<unknown> = Promise.resolve();
    catalog.before = (claim) => {
      asked = laterBy(round % 10).then(() => settleClaim(test.database, claim.order_request_id));
      return Promise.resolve();
    };
    const answer = await core.upsert(`round ${round}`, lines('p', 1));
    const settled = await asked;
    expect(settled === null).toBe(answer.status === 503);
    if (settled !== null) expect(settled).toEqual({ orderId: answer.body.id });
  }
});

it('releases the claim and retries when the order changed meanwhile', async () => {
  const { body } = await core.upsert('a', lines('p', 2));
  let once = true;
  catalog.before = async () => {
    if (once) await core.patch(body.id, { shipped: true });
    once = false;
  };
  expect((await core.upsert('a', lines('p', 3))).body).toMatchObject({
    shipped: true,
    items: [{ quantity: 3 }],
  });
  const [, overtaken = '', last] = claims();
  expect(catalog.released).toEqual([overtaken]);
  expect(await settleClaim(test.database, overtaken)).toBeNull();
  expect((await claimsOfEvents(body.id)).at(-1)).toEqual(['stock', last]);
});

it('upserts lines under preconditions', async () => {
  const send = (terms: { ifMatch?: string; ifNoneMatch?: string }, qty: number) =>
    core.upsert('a', lines('p', qty), terms);
  expect((await send({ ifMatch: '*' }, 1)).status).toBe(412);
  expect((await send({ ifNoneMatch: '*' }, 1)).status).toBe(201);
  expect((await send({ ifNoneMatch: '*' }, 2)).status).toBe(412);
  expect(await send({ ifMatch: '"1"' }, 2)).toMatchObject({ status: 200, etag: '"2"' });
  expect((await send({ ifMatch: '"1"' }, 3)).status).toBe(412);
});

it('honours If-Match, also when the order changes while stock is held', async () => {
  const { body } = await core.upsert('a', lines('p', 2));
  expect((await core.update(body.id, lines('p', 9), { ifMatch: '"7"' })).status).toBe(412);
  catalog.before = () => core.patch(body.id, { shipped: true });
  expect((await core.update(body.id, lines('p', 3), { ifMatch: '"1"' })).status).toBe(412);
  expect((await core.order(body.id)).items).toMatchObject([{ quantity: 2 }]);
  expect(catalog.released).toHaveLength(1);
});

it('an order stays unchanged when the catalog is unavailable', async () => {
  const { body } = await core.upsert('a', lines('p', 2));
  catalog.before = () => Promise.reject(new Unreachable('service_unavailable', 'away'));
  expect((await core.upsert('a', lines('p', 3))).status).toBe(503);
  expect((await core.upsert('new', lines('p', 3))).status).toBe(503);
  expect((await core.order(body.id)).items).toMatchObject([{ quantity: 2 }]);
});

const reopen = (id: string, status = 'pending', terms = {}) => core.patch(id, { status, force: true }, terms);
const state = async (id: string) => {
  const { status, stock, items } = await core.order(id);
  return [status, stock, items.map(({ quantity }) => quantity)] as const;
};

describe.each([
  ['cancelled', 'released'],
  ['shipped', 'sold'],
] as const)('an order that was %s', (closed, ended) => {
  const closedOrder = async () => {
    const { id } = (await core.upsert('a', lines('p', 2))).body;
    expect(await state(id)).toEqual(['pending', 'reserved', [2]]);
    await core.patch(id, { status: closed });
    expect(await state(id)).toEqual([closed, ended, [2]]);
    return id;
  };

  it('reserves all lines when it is reopened, and its later lines follow', async () => {
    const id = await closedOrder();
    await core.update(id, { ...lines('p', 3), force: true });
    const { status, etag } = await reopen(id);
    expect([status, etag, await state(id)]).toEqual([200, '"4"', ['pending', 'reserved', [3]]]);
    await core.update(id, lines('p', 4));
    const [first, again, last] = claims();
    expect(catalog.asked.slice(1)).toEqual([
      expect.objectContaining({ replaces: first, ended_as: ended, lines: [{ p1_id: 'p', quantity: 3 }] }),
      expect.objectContaining({ replaces: again, ended_as: null, lines: [{ p1_id: 'p', quantity: 4 }] }),
    ]);
    expect(await claimsOfEvents(id)).toEqual(
      [first, first, first, again, last].map((claim) => ['stock', claim]),
    );
    await core.patch(id, { status: 'shipped' });
    expect((await core.order(id)).stock).toBe('sold');
  });

  it.each([
    ['lacks stock', () => Promise.reject(new Refused('out_of_stock', 'none')), 409],
    ['has no catalog', () => Promise.reject(new Unreachable('service_unavailable', 'away')), 503],
    ['lost its claim', (claim: HoldOf) => settleClaim(test.database, claim.order_request_id), 503],
  ])('stays closed where it %s, alone and in a batch', async (_, before, status) => {
    const id = await closedOrder();
    const events = await core.eventsOf(id);
    catalog.before = before;
    expect((await reopen(id)).status).toBe(status);
    const batch = await core.call(patchOrderStatuses, {
      body: { patches: [{ order_id: id, status: 'pending', force: true }] },
    });
    if (status === 409) expect(batch.body.results).toMatchObject([{ error: 'out_of_stock' }]);
    else expect(batch.status).toBe(status);
    expect([await state(id), await core.eventsOf(id)]).toEqual([[closed, ended, [2]], events]);
    catalog.before = () => Promise.resolve();
    expect((await reopen(id)).status).toBe(200);
  });

  it('is reopened once by four replicas at the same time, and never beside a change of its lines', async () => {
    const id = await closedOrder();
    const replicas = Array.from({ length: 4 }, () => core.replica(holds));
    const answers = await Promise.all([
      ...replicas.map((replica) => replica.patch(id, { status: 'pending', force: true })),
      ...replicas.map((replica, n) => replica.update(id, { ...lines('p', 5 + n), force: true })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const committed = (await claimsOfEvents(id)).map(([, claim]) => claim);
    const replacedBy = new Map(catalog.asked.map((asked) => [asked.order_request_id, asked.replaces]));
    const used = [...new Set(committed)];
    for (const [index, claim] of used.slice(1).entries())
      expect(replacedBy.get(String(claim))).toBe(used[index]);
    const last = catalog.asked.find(({ order_request_id: claim }) => claim === used.at(-1));
    const [, stock, [quantity]] = await state(id);
    expect([stock, last?.lines]).toEqual(['reserved', [{ p1_id: 'p', quantity }]]);
  });

  it('stays closed where its version was overtaken while stock is held', async () => {
    const id = await closedOrder();
    catalog.before = () => core.patch(id, { payment_status: 'paid' });
    expect((await reopen(id, 'pending', { ifMatch: '"2"' })).status).toBe(412);
    expect([await state(id), catalog.asked.length]).toEqual([[closed, ended, [2]], 2]);
    expect(catalog.released).toHaveLength(1);
  });

  it('is reopened without force, too, where the workflow allows it', async () => {
    const id = await closedOrder();
    await test.database.rows(setWorkflow, core.orgId, JSON.stringify(OPEN_WORKFLOW));
    expect((await core.patch(id, { status: 'pending' }, { ifMatch: '"1"' })).status).toBe(412);
    expect((await core.patch(id, { status: 'pending' }, { ifMatch: '"2"' })).status).toBe(200);
    expect([await state(id), catalog.asked.length]).toEqual([['pending', 'reserved', [2]], 2]);
  });
});

it('claims for a cancelled order that goes out after all, and not for a sold one that is cancelled', async () => {
  const { id } = (await core.upsert('a', lines('p', 2))).body;
  await core.patch(id, { status: 'cancelled' });
  await reopen(id, 'shipped');
  expect([await state(id), catalog.asked.length]).toEqual([['shipped', 'sold', [2]], 2]);
  await core.patch(id, { status: 'cancelled' });
  expect([await state(id), catalog.asked.length]).toEqual([['cancelled', 'sold', [2]], 2]);
});

it('claims for an order of before the setting, and for none that stock does not follow', async () => {
  await saveFollowsOrders(test.database, core.orgId, false);
  const { id } = (await core.upsert('a', lines('p', 2))).body;
  await core.patch(id, { status: 'shipped' });
  await reopen(id);
  expect([await state(id), catalog.asked]).toEqual([['pending', 'none', [2]], []]);
  await core.patch(id, { status: 'shipped' });
  await saveFollowsOrders(test.database, core.orgId, true);
  await reopen(id);
  expect([await state(id), catalog.asked.length]).toEqual([['pending', 'reserved', [2]], 1]);
});

it('makes one order of 100 concurrent upserts, and each claim replaces the one before', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => core.upsert('raced', lines('p', index + 1))),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
  const committed = (await core.eventsOf(answers[0]?.body.id ?? '')).map(
    ({ metadata }) => metadata['stock_claim_id'],
  );
  expect(new Set(committed).size).toBe(100);
  const replacedBy = new Map(catalog.asked.map((asked) => [asked.order_request_id, asked.replaces]));
  for (const [index, claim] of committed.slice(1).entries()) {
    expect(replacedBy.get(String(claim))).toBe(committed[index]);
  }
});
