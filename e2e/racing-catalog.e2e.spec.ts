import type { ErrorBody } from '@offizin/contracts/errors';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { attachedProduct } from '@offizin/testkit/organization-things';
import { race } from '@offizin/testkit/race';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** A hundred callers at once change the same stock, the same overrides: nothing is lost, nothing goes below zero. */
const CALLERS = 100;
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

/** Attached to the first shop, with five pieces. */
async function product(): Promise<string> {
  const { p1Id = '' } = await attachedProduct({ platform, organization, receiverUrl: '' });
  return p1Id;
}

function countByCode(answers: HttpAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const code = answer.status < 300 ? String(answer.status) : json<ErrorBody>(answer).error;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

/** Every entry of the stock's log, oldest first: where each of them starts is where the one before ended. */
async function logOf(p1Id: string): Promise<{ delta: number; stock_after: number }[]> {
  const answer = await organization.api('GET', `/inventory/${p1Id}/log?limit=200`);
  return json<{ data: { delta: number; stock_after: number }[] }>(answer).data.reverse();
}

async function stockOf(p1Id: string): Promise<unknown> {
  const answer = await organization.api('GET', `/inventory?q=${p1Id}`);
  return json<{ data: { stock_quantity: number }[] }>(answer).data[0]?.stock_quantity;
}

const adjust = (body: object, key = uniqueTag()): Promise<HttpAnswer> =>
  organization.api('POST', '/inventory/adjust', body, { 'idempotency-key': key });

it('100 sales of a stock of 42 sell 42: never below zero, and the log is an unbroken chain', async () => {
  const p1Id = await product();
  await adjust({ p1_id: p1Id, quantity: 42, reason: 'correction' });
  const answers = await race(CALLERS, (n) =>
    adjust({ p1_id: p1Id, delta: -1, reason: 'sold' }, `${p1Id}-${n}`),
  );
  expect(countByCode(answers)).toEqual({ '200': 42, out_of_stock: CALLERS - 42 });
  expect(await stockOf(p1Id)).toBe(0);
  let stock = 0;
  const log = await logOf(p1Id);
  for (const { delta, stock_after } of log) {
    stock += delta;
    expect([stock_after, stock_after >= 0]).toEqual([stock, true]);
  }
  expect(log.filter(({ delta }) => delta === -1)).toHaveLength(42);
});

it('100 compare-and-sets of one quantity have one winner', async () => {
  const p1Id = await product();
  const answers = await race(CALLERS, (n) =>
    adjust({ p1_id: p1Id, quantity: 100 + n, expected_quantity: 5, reason: 'correction' }, `${p1Id}-${n}`),
  );
  expect(countByCode(answers)).toEqual({ '200': 1, stale_quantity: CALLERS - 1 });
  const winner = answers.findIndex(({ status }) => status === 200);
  expect(await stockOf(p1Id)).toBe(100 + winner);
});

it('100 override merges leave every key, and tell one event each, numbered without a gap', async () => {
  const p1Id = await product();
  const shop_id = organization.shops[0].shopId;
  const overrides = (n: number): object => ({ keys: { [`k${n}`]: n } });
  const answers = await race(CALLERS, (n) =>
    organization.api(
      'POST',
      '/shops/product-overrides',
      { shop_id, p1_id: p1Id, overrides: overrides(n) },
      { 'idempotency-key': `${p1Id}-${n}` },
    ),
  );
  expect(countByCode(answers)).toEqual({ '200': CALLERS });
  const last = await organization.api('POST', '/shops/product-overrides', {
    shop_id,
    p1_id: p1Id,
    overrides: {},
  });
  const merged = Object.fromEntries(Array.from({ length: CALLERS }, (_, n) => [`k${n}`, n]));
  expect(json<{ overrides: unknown }>(last).overrides).toEqual({ keys: merged });
  const sequences = await eventually('the events of all merges', async () => {
    const feed = await organization.api('GET', '/events?event_type=product_updated&limit=200');
    const { data } = json<{ data: { metadata: { p1_id: string; sequence: number } }[] }>(feed);
    const own = data.filter(({ metadata }) => metadata.p1_id === p1Id);
    return own.length >= CALLERS && own.map(({ metadata }) => metadata.sequence);
  });
  // The first is that of the attachment.
  expect(sequences).toEqual(Array.from({ length: CALLERS }, (_, n) => n + 2));
});
