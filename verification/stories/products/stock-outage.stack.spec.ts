import { queryAt, withClient } from '@offizin/local-stack/database-client';
import type { Stack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, SHORT_WAITS, startOwnStack } from '@offizin/testkit/own-stack';
import { type TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/**
 * Processes are killed while stock follows orders: whatever had happened by then, in the end each order holds the stock
 * of its lines and no other order holds any. Has a separate stack; its tests depend on their order.
 */
let ownStack: OwnStack;
let stack: Stack;
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  ownStack = await startOwnStack(SHORT_WAITS);
  ({ stack, platform } = ownStack);
  organization = await platform.organization();
  const setting = { stock_follows_orders: true };
  expect((await organization.api('PUT', '/settings/stock', setting)).status).toBe(200);
}, 90_000);
afterAll(() => ownStack.stop(), 60_000);

async function upsert(external_id: string, p1_id: string, qty: number): Promise<HttpAnswer> {
  const items = [{ p1_id, qty, price: 1 }];
  return organization.api('POST', '/orders', { shop_id: organization.shops[0].shopId, external_id, items });
}

/** What the open orders of the product add up to. */
async function ordered(p1Id: string): Promise<number> {
  const { data } = json<{ data: { id: string }[] }>(await organization.api('GET', '/orders?limit=200'));
  const details = await Promise.all(data.map(({ id }) => organization.api('GET', `/orders/${id}`)));
  const quantities = details
    .flatMap((answer) => json<{ items: { p1_id: string; quantity: number }[] }>(answer).items)
    .filter(({ p1_id }) => p1_id === p1Id)
    .map(({ quantity }) => quantity);
  return quantities.reduce((sum, quantity) => sum + quantity, 0);
}

/** Lets the minute of all holds pass, so that catalog asks about unconfirmed ones. */
async function endHolds(): Promise<void> {
  const sql = `UPDATE catalog.reservations SET expires_at = now() WHERE state = 'held'`;
  await queryAt(stack.databaseUrls.catalog, sql);
}

async function restarted(name: 'order-core' | 'catalog'): Promise<void> {
  await stack.apps[name].start();
  await stack.apps[name].ready();
}

async function killed(name: 'order-core' | 'catalog'): Promise<void> {
  stack.apps[name].kill('SIGKILL');
  expect(await stack.apps[name].exited(5_000)).toBe(true);
}

/** Resolves with the quantity in the orders of the product, once it equals the reserved quantity. */
async function expectWhole(p1Id: string, pieces: number): Promise<number> {
  let seen = '';
  await eventually(
    'orders and reserved stock to agree',
    async () => {
      if ((await organization.api('GET', '/orders')).status !== 200) return false;
      await endHolds();
      const [sum, stock] = [await ordered(p1Id), await organization.stockOf(p1Id)];
      seen = `${sum} of ${JSON.stringify(stock)}`;
      return stock[1] === sum;
    },
    30_000,
  ).catch((error: unknown) => {
    throw new Error(`the orders add up to ${seen}`, { cause: error });
  });
  const [stock, reserved] = await organization.stockOf(p1Id);
  expect(stock).toBe(pieces);
  return reserved;
}

/** Holds the lock that `sql` takes until `work` is done. */
async function whileLocked(
  service: 'order-core' | 'catalog',
  sql: string,
  work: () => Promise<void>,
): Promise<void> {
  await withClient(stack.databaseUrls[service], async (client) => {
    await client.query('BEGIN');
    await client.query(sql);
    await work();
    await client.query('ROLLBACK');
  });
}

const waiters = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Resolves when a session waits for the lock: the step before it is done, the next is not. */
async function somebodyWaits(): Promise<void> {
  await eventually('somebody to wait for the lock', async () => {
    return (await queryAt(stack.adminDatabaseUrl, waiters)).length === 1;
  });
}

const lockOfStock = (p1Id: string) => `SELECT FROM catalog.inventory WHERE p1_id = '${p1Id}' FOR UPDATE`;
const lockOfClaims = 'LOCK TABLE core.stock_claims IN SHARE MODE';

interface Death {
  /** Where the change waits for a lock. */
  at: 'order-core' | 'catalog';
  victim: 'order-core' | 'catalog';
  /** Pieces of the order before; it asks for 5. */
  before: number;
  becomes: number;
}

describe('a change of an order, or a new one', () => {
  it.each<[string, Death]>([
    [
      'order-core dies while the stock is being held: it never comes to be, and the hold ends',
      { at: 'catalog', victim: 'order-core', before: 2, becomes: 2 },
    ],
    [
      'order-core dies in the middle of its commit: nothing of it stays',
      { at: 'order-core', victim: 'order-core', before: 0, becomes: 0 },
    ],
    [
      'the catalog dies while it holds the stock: it is refused, and nothing is held',
      { at: 'catalog', victim: 'catalog', before: 2, becomes: 2 },
    ],
    [
      'the catalog dies before it receives the event of the commit: the order has its stock all the same',
      { at: 'order-core', victim: 'catalog', before: 2, becomes: 5 },
    ],
  ])(
    '%s; repeated, it is made',
    async (_, { at, victim, before, becomes }) => {
      const [p1, key] = [await platform.stockedProduct(organization, 5), `outage-${uniqueTag()}`];
      if (before > 0) expect((await upsert(key, p1, before)).status).toBe(201);
      let answer: Promise<HttpAnswer> | undefined;
      await whileLocked(at, at === 'catalog' ? lockOfStock(p1) : lockOfClaims, async () => {
        answer = upsert(key, p1, 5);
        await somebodyWaits();
        await killed(victim);
      });
      const { status = NaN } = (await answer) ?? {};
      if (becomes === 5) expect(status).toBeLessThan(300);
      else expect(status).toBeGreaterThanOrEqual(500);
      if (victim === 'order-core')
        await eventually('the hold that nobody is to commit', async () => {
          return (await organization.stockOf(p1))[1] === 5;
        });
      await restarted(victim);
      expect(await expectWhole(p1, 5)).toBe(becomes);
      expect((await upsert(key, p1, 5)).status).toBeLessThan(300);
      expect(await expectWhole(p1, 5)).toBe(5);
    },
    60_000,
  );
});

it('both die again and again under a storm of changes: every order has its stock, and no piece is promised twice', async () => {
  const p1 = await platform.stockedProduct(organization, 60);
  let isOver = false;
  const statuses = new Set<number>();
  const storm = Array.from({ length: 8 }, async (_, caller) => {
    for (let n = 0; !isOver; n += 1) {
      const answer = await upsert(`storm ${(caller + n) % 20}`, p1, 1 + ((caller * 7 + n) % 5)).catch(
        () => null,
      );
      if (answer) statuses.add(answer.status);
    }
  });
  for (const name of ['order-core', 'catalog'] as const) {
    await eventually(
      'changes to be taken',
      async () => (await upsert('storm 0', p1, 1)).status < 300,
      20_000,
    );
    await killed(name);
    await restarted(name);
  }
  isOver = true;
  await Promise.all(storm);
  expect([...statuses].filter((status) => ![200, 201, 409, 503, 504].includes(status))).toEqual([]);
  expect(await expectWhole(p1, 60)).toBeLessThanOrEqual(60);
}, 120_000);
