import type { Pool } from 'pg';
import type { HttpRequest, LoadResult } from '@offizin/testkit/load/job';
import { Receiver } from '@offizin/testkit/load/receiver';
import type { Bench, Block, Extent } from '../bench';
import type { QueueJob } from '../load/raw-jobs';
import { untilSteady } from '../rounds';
import type { Measured } from '../measured';
import { atLeast, atMost, type Row } from '../row';
import { makeDue, subscribe } from '../seed/subscriptions';
import type { Tenant } from '../seed/tenants';
import { paymentPatches } from './order-bodies';

/** Webhooks: how many, how soon, and what one hanging subscriber does to the others. */
const ORIGINS = 50;
/** Due deliveries per millisecond of a block: enough to last for about its length. */
const DUE_PER_MS = 5;
const WRITTEN_LOOK_MS = 25;
const WRITTEN_LIMIT_MS = 60_000;
const EVENTS_PER_SECOND = 200;
const HEALTHY = 20;
const EVENTS_BESIDE_HANGING_PER_SECOND = 25;

export const webhookRows: Row[] = [
  throughputRow(1, 8),
  throughputRow(1_000, 64),
  {
    name: `event latency at ${EVENTS_PER_SECOND}/s, p50`,
    unit: 'ms',
    bar: { of: 'value', atMost: 8 },
    against: '–',
    run: async (bench) =>
      withReceiver(1, async (receiver) => {
        const tenant = await bench.tenants.get('latency');
        await subscribe(bench, tenant, receiver.origins);
        const patches = await paymentPatches(bench, tenant);
        const { p50Ms: product } = await latencyOf(bench, receiver, patches, EVENTS_PER_SECOND);
        return { product, raw: null, ratio: null };
      }),
  },
  {
    name: 'healthy subscribers while one hangs, p99',
    unit: 'ms',
    bar: atMost(1.2),
    against: 'none hangs',
    run: async (bench) => withReceiver(HEALTHY, async (receiver) => besideHanging(bench, receiver)),
  },
];

function throughputRow(endpoints: number, inFlight: number): Row {
  return {
    name: `webhook deliveries, ${endpoints.toLocaleString('en-US')} endpoint${endpoints > 1 ? 's' : ''}`,
    unit: '/s',
    bar: atLeast(0.5),
    against: 'sender',
    sizing: endpoints === 1,
    run: async (bench) =>
      withReceiver(Math.min(endpoints, ORIGINS), async (receiver) => {
        const tenant = await bench.tenants.get(`webhooks ${endpoints}`);
        const urls = Array.from(
          { length: endpoints },
          (_, n) => `${receiver.origins[n % receiver.origins.length] ?? ''}/${n}`,
        );
        await subscribe(bench, tenant, urls);
        const product = engine(bench, tenant, receiver);
        return bench.alternate('perSecond', product, queue(bench, receiver, inFlight, endpoints));
      }),
  };
}

/**
 * Deliveries that are due, until each is sent and its result is in the database. What makes them due does not count.
 */
function engine(bench: Bench, tenant: Tenant, receiver: Receiver): Block {
  return async (extent) => {
    const count = countOf(extent);
    await receiver.read(true);
    await switchAll(bench, tenant, false);
    await makeDue(bench, tenant, count);
    const cpuBefore = bench.cpuTimes();
    await switchAll(bench, tenant, true);
    await untilWritten(bench, tenant);
    const elapsedMs = Date.now() - (await receiver.read()).firstAtMs;
    const perSecond = (count * 1000) / elapsedMs;
    return { ...UNMEASURED, successes: count, elapsedMs, perSecond, sent: count, cpuBefore };
  };
}

function countOf(extent: Extent): number {
  return 'count' in extent ? extent.count : Math.ceil(extent.durationMs * DUE_PER_MS);
}

/** Deliveries of a subscription that is off are not leased. */
async function switchAll(bench: Bench, { orgId }: Tenant, isActive: boolean): Promise<void> {
  await bench.rows('UPDATE webhooks.subscriptions SET is_active = $2 WHERE org_id = $1', orgId, isActive);
}

const UNMEASURED: LoadResult = {
  successes: 0,
  statuses: {},
  elapsedMs: 0,
  perSecond: 0,
  sent: 0,
  p50Ms: Number.NaN,
  p99Ms: Number.NaN,
  maxMs: Number.NaN,
};

async function untilWritten(bench: Bench, { orgId }: Tenant): Promise<void> {
  const deadline = Date.now() + WRITTEN_LIMIT_MS;
  for (;;) {
    const [pending] = await bench.rows(
      `SELECT 1 FROM webhooks.subscriptions s WHERE s.org_id = $1 AND EXISTS (SELECT FROM webhooks.deliveries d
         WHERE d.subscription_id = s.id AND d.status = 'pending' AND d.next_attempt_at <= now()) LIMIT 1`,
      orgId,
    );
    if (!pending) return;
    if (Date.now() > deadline) throw new Error('deliveries stay pending');
    await new Promise((resolve) => setTimeout(resolve, WRITTEN_LOOK_MS));
  }
}

/** As long as those of the product. */
const RAW_HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'Offizin-Webhooks/1',
  'x-service-event': 'x'.repeat(20),
  'x-service-delivery-id': 'x'.repeat(36),
  'x-service-signature': 'x'.repeat(71),
  'webhook-id': 'x'.repeat(36),
  'webhook-timestamp': '1',
  'webhook-signature': 'x'.repeat(47),
};
const RAW_BODY = JSON.stringify({ event_type: 'order_status_updated', rest: 'x'.repeat(450) });

/** As many deliveries as the product sends, out of tables like the worker's, leased and written in bulk. */
function queue(bench: Bench, receiver: Receiver, callers: number, subscriptions: number): Block {
  const { adminDatabaseUrl: databaseUrl } = bench.stack;
  const { origins } = receiver;
  const job = { kind: 'queue', databaseUrl, callers, origins, headers: RAW_HEADERS } as const;
  return async (extent) => {
    await fillRawQueue(bench.sql, countOf(extent), subscriptions, RAW_BODY);
    return counted(receiver, () => bench.load.run<QueueJob>(job, origins));
  };
}

const QUEUE = ['events', 'deliveries', 'attempts'];

/** The worker's tables, empty, with that many deliveries due in them, spread over so many subscriptions. */
async function fillRawQueue(sql: Pool, count: number, subscriptions: number, body: string): Promise<void> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
  for (const table of QUEUE) {
    await sql.query(`DROP TABLE IF EXISTS bench_raw.${table}`);
    await sql.query(`CREATE TABLE bench_raw.${table} (LIKE webhooks.${table} INCLUDING ALL)`);
  }
  await sql.query('ALTER TABLE bench_raw.deliveries SET (fillfactor = 50)');
  await sql.query(
    `WITH subscription AS MATERIALIZED (
       SELECT gen_random_uuid() AS id, place FROM generate_series(0, $2::int - 1) AS place
     ), event AS (
       INSERT INTO bench_raw.events (id, position, org_id, event_type, aggregate_id, sequence, body, created_at)
       SELECT id, place, id, 'order_status_updated', id::text, 1, $3, now()
       FROM (SELECT webhooks.uuid_v7() AS id, place FROM generate_series(1, $1::int) AS place) made
       RETURNING id, position AS place
     )
     INSERT INTO bench_raw.deliveries (id, subscription_id, event_id, org_id, event_type, aggregate_id, queue, sequence)
     SELECT webhooks.uuid_v7(), s.id, e.id, e.id, 'order_status_updated', e.id::text,
       webhooks.queue_of(s.id, e.id::text), 1
     FROM event e JOIN subscription s ON s.place = e.place % $2`,
    [count, subscriptions, body],
  );
  for (const table of QUEUE) await sql.query(`ANALYZE bench_raw.${table}`);
}

/** The receiver's count must equal the sender's: the figure is no better than its smaller side. */
async function counted(receiver: Receiver, send: () => Promise<LoadResult>): Promise<LoadResult> {
  await receiver.read(true);
  const result = await send();
  const { received } = await receiver.read(true);
  if (received === result.successes) return result;
  throw new Error(`the sender had ${result.successes} answers, the receiver ${received} requests`);
}

/** How long events take to the subscribers at an even rate. */
async function latencyOf(
  bench: Bench,
  receiver: Receiver,
  requests: HttpRequest[],
  perSecond: number,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const { rounds, blockMs, warmUpMs } = bench.pace;
  const send = async (durationMs: number): Promise<void> => {
    await bench.load.http({ callers: 8, requests, pace: { perSecond, burst: 1 }, durationMs });
    await bench.settle();
  };
  await untilSteady(async () => {
    await send(warmUpMs);
    return 1 / (await receiver.read(true)).p50Ms;
  }, bench.pace);
  await send(rounds * blockMs);
  return receiver.read(true);
}

async function besideHanging(bench: Bench, receiver: Receiver): Promise<Measured> {
  const tenant = await bench.tenants.get('hanging');
  const patches = await paymentPatches(bench, tenant);
  const measure = async (urls: string[]): Promise<number> => {
    await subscribe(bench, tenant, urls);
    return (await latencyOf(bench, receiver, patches, EVENTS_BESIDE_HANGING_PER_SECOND)).p99Ms;
  };
  const healthy = receiver.origins.map((origin) => `${origin}/healthy`);
  const raw = await measure(healthy);
  const product = await measure([...healthy, `${receiver.origins[0] ?? ''}/hang`]);
  await subscribe(bench, tenant, []);
  return { product, raw, ratio: product / raw };
}

async function withReceiver<T>(origins: number, work: (receiver: Receiver) => Promise<T>): Promise<T> {
  const receiver = await Receiver.start(origins);
  try {
    return await work(receiver);
  } finally {
    receiver.stop();
  }
}
