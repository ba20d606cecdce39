import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { approveOrderRequest } from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { ingestPrescription } from '@offizin/contracts/requests/prescriptions';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { PrescriptionsHandlers } from '../requests/prescriptions/prescriptions.handlers';
import { databaseSpec, sharedBusSpec } from '../spec/core-spec';
import { documentParts, erasureHandlers, requestHandlers, specKeys } from '../spec/request-handlers';
import { OrderCoreFixture, orderHandlers, silentChanges, silentRelay } from '../spec/spec-fixture';
import { storedText } from '../spec/stored-text';
import { Eraser } from './eraser';

/** Calls that began before an erasure, and wait for something else until it is done. */

const PERSON = { customer_name: 'Erika Canary', customer_email: 'canary@example.org' };
const test = databaseSpec();
const shared = sharedBusSpec();
let core: OrderCoreFixture;
/** What a call waits for: the catalog, its claim of stock, or the organization's key. */
let waiting: (() => void)[];
let isHeld: boolean;

const held = async <Result>(result: Result): Promise<Result> => {
  if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
  return result;
};
const release = () => {
  isHeld = false;
  waiting.splice(0).forEach((resolve) => resolve());
};

beforeEach(async () => {
  [waiting, isHeld] = [[], false];
  const { database } = test;
  const keys = specKeys(database);
  const slow = specKeys(database);
  const keyOf = slow.keyOf.bind(slow);
  slow.keyOf = async (orgId) => held(await keyOf(orgId));
  const { threads, fetcher, reads } = documentParts(database, keys);
  const holds = { hold: () => held('reserved' as const), release: () => Promise.resolve() };
  const products = { productsOf: () => held([]) };
  core = await OrderCoreFixture.make(database, [
    ...orderHandlers(database, holds, products),
    ...requestHandlers(database, slow, shared.bus),
    ...handlersIn(new PrescriptionsHandlers(database, silentRelay(), slow, fetcher, threads, reads)),
    ...erasureHandlers(database, keys),
  ]);
});

const byId = { items: [{ p1_id: 'p', qty: 1, price: 1 }] };
const request = (person: object = PERSON) =>
  orderRequest({ shop_id: core.shopId, ...person }, { external_reference: 'r' });

/** The call, after the state before it. */
type Door = () => Promise<() => Promise<{ status: number; body: object }>>;
const DOORS: Record<string, Door> = {
  'an upsert that waits for the name of a line': () =>
    Promise.resolve(() => core.upsert('a', { ...PERSON, ...byId })),
  'a PUT that waits for the name of a line': async () => {
    const { id } = (await core.upsert('a', { customer_name: 'Other' })).body;
    return () => core.update(id, { ...PERSON, ...byId });
  },
  'an upsert that waits for its claim of stock': async () => {
    await test.database.rows(followOrders, core.orgId);
    return () => core.upsert('a', { ...PERSON, items: [{ ...byId.items[0], name: 'Named' }] });
  },
  'a batch whose later members wait for the first ones': () => {
    const member = (name: string, fields: object) => ({ shop_id: core.shopId, external_id: name, ...fields });
    const first = Array.from({ length: 64 }, (_, index) => member(`first-${index}`, byId));
    return Promise.resolve(() =>
      core.call(upsertOrders, { body: { orders: [...first, member('a', PERSON)] } }),
    );
  },
  'a submission': () => Promise.resolve(() => core.call(requests.submitOrderRequest, { body: request() })),
  'a replacement': async () => {
    const { id } = (await core.call(requests.submitOrderRequest, { body: request({}) })).body;
    return () => core.call(requests.replaceOrderRequest, { params: { requestId: id }, body: request() });
  },
  'a prescription': () =>
    Promise.resolve(() => {
      const body = { 'External Id': 'p', 'Customer Email': PERSON.customer_email };
      return core.call(ingestPrescription, { body, query: `shop_id=${core.shopId}` });
    }),
};

const followOrders = statement<never, [string]>(
  'spec_follow_orders',
  'UPDATE core.organizations SET stock_follows_orders = true WHERE id = $1',
);
const requireTwoPeople = statement<never, [string]>(
  'spec_two_people',
  `INSERT INTO core.review_settings (org_id, version, marks, marks_only_for_thc, amber_days, red_days, templates, changed_by, four_eyes)
   VALUES ($1, 1, '{}', true, 28, 90, '[]', 'spec', 'all')`,
);
const unfinished = statement<{ id: string }, [string]>(
  'spec_unfinished',
  'SELECT id FROM core.erasures WHERE org_id = $1 AND finished_at IS NULL',
);
const canaries = async () =>
  (await storedText(test.database, core.orgId)).match(/.{0,60}canary.{0,60}/i)?.[0];

/** On a slow machine the time of the batch may end before its last member begins, which stores nothing, either. */
const REFUSED = /The customer was erased meanwhile|The time of the batch ended before this member/;

/** Sends a call and, while it waits, erases this customer; returns what the call is answered. */
async function sendBeside(
  erased: string,
  send: () => Promise<{ status: number; body: object }>,
): Promise<string> {
  const { database } = test;
  isHeld = true;
  const sent = send();
  await eventually('the call to wait', () => waiting.length > 0);
  await core.call(eraseCustomer, { body: { email: erased } });
  const eraser = new Eraser(database, specKeys(database), silentRelay(), silentChanges());
  await eventually('the erasure to be done', async () => {
    await eraser.continueJobs();
    return (await database.rows(unfinished, core.orgId)).length === 0;
  });
  release();
  return JSON.stringify(await sent);
}

const stored = () => test.database.rows(people, core.orgId, PERSON.customer_email);

it.each(Object.entries(DOORS))(
  '%s stores nothing of the person, and does when it is sent again',
  async (_, door) => {
    const send = await door();
    expect(await sendBeside(PERSON.customer_email, send)).toMatch(REFUSED);
    expect(await canaries()).toBeUndefined();
    await send();
    expect(await stored()).toEqual([{ count: 1 }]);
  },
);

it('the first of two approvals keeps nothing of the person', async () => {
  const { id } = (await core.call(requests.submitOrderRequest, { body: request({}) })).body;
  await test.database.rows(requireTwoPeople, core.orgId);
  const params = { requestId: id };
  const send = () => {
    const caller = { ...core.staff(), begunAtMs: Date.now() };
    return core.call(approveOrderRequest, { params, body: PERSON, caller });
  };
  expect(await sendBeside(PERSON.customer_email, send)).toMatch(REFUSED);
  expect((await send()).status).toBe(202);
});

it('a slow call stores another person than the one who was erased', async () => {
  const send = () => core.upsert('a', { ...PERSON, ...byId });
  expect(await sendBeside('other@example.org', send)).toMatch(/"status":201/);
  expect(await stored()).toEqual([{ count: 1 }]);
});

it('a call that waited at its edge stores nothing of a person who was erased meanwhile', async () => {
  await core.call(eraseCustomer, { body: { email: 'canary@exämple.de' } });
  const caller = { ...core.key(), begunAtMs: Date.now() - 60_000 };
  const person = { ...PERSON, customer_email: 'canary@xn--exmple-cua.de' };
  expect((await core.upsert('a', person, { caller })).status).toBe(503);
  expect(await canaries()).toBeUndefined();
});

const people = statement<{ count: number }, [string, string]>(
  'spec_people',
  `SELECT (SELECT count(*) FROM core.orders WHERE org_id = $1 AND customer_email = $2)::int
     + (SELECT count(*) FROM core.order_requests WHERE org_id = $1 AND customer_digest IS NOT NULL)::int
     + (SELECT count(*) FROM core.prescriptions WHERE org_id = $1 AND customer_email_hash IS NOT NULL)::int AS count`,
);
