import type { Bench, Block, Extent } from '../bench';
import type { HttpRequest, LoadResult } from '../load/job';
import { Receiver } from '../load/receiver';
import type { Measured, Row } from '../row';
import { fillRawQueue } from '../seed/raw-tables';
import { makeDue, subscribe } from '../seed/subscriptions';
import type { Tenant } from '../seed/tenants';
import { figureText } from '../table';
import { untilSteady } from '../warm-up';
import { paymentPatches } from './order-bodies';

/** Webhooks: how many, how soon, and what one hanging subscriber does to the others. */
const ORIGINS = 50;
/** Due deliveries per millisecond of a block: enough to last for about its length. */
const DUE_PER_MS = 5;
const MARKED_LOOK_MS = 25;
const MARKED_LIMIT_MS = 60_000;
const EVENTS_PER_SECOND = 200;
const HEALTHY = 20;
const EVENTS_BESIDE_HANGING_PER_SECOND = 25;
/** What a delivery may cost, whatever a sender without the product takes. */
const MAX_DELIVERY_COST_US = 260;

export const webhookRows: Row[] = [
  ...throughputRows(1, 8),
  ...throughputRows(1_000, 64),
  ...(['p50Ms', 'p99Ms'] as const).map((figure): Row => ({
    name: `event latency: commit to subscriber at ${EVENTS_PER_SECOND} events/s, ${figure.slice(0, 3)}`,
    unit: 'ms',
    bar: { of: 'value', atMost: figure === 'p50Ms' ? 8 : 50 },
    against: 'nothing: the time stands for itself',
    run: async (bench) =>
      withReceiver(1, async (receiver) => {
        const tenant = await bench.tenants.get('latency');
        await subscribe(bench, tenant, receiver.origins);
        const patches = await paymentPatches(bench, tenant);
        const latency = await latencyOf(bench, receiver, patches, EVENTS_PER_SECOND);
        return { product: latency[figure], raw: null, ratio: null };
      }),
  })),
  {
    name: 'healthy subscribers while one hangs, p99',
    unit: 'ms',
    bar: { of: 'ratio', atMost: 1.2 },
    against: 'the same without the hanging one',
    run: async (bench) => withReceiver(HEALTHY, async (receiver) => besideHanging(bench, receiver)),
  },
];

function throughputRows(endpoints: number, inFlight: number): Row[] {
  const name = `webhook deliveries, ${endpoints.toLocaleString('en-US')} endpoint${endpoints > 1 ? 's' : ''}`;
  const subscribed = async (bench: Bench, { origins }: Receiver): Promise<Tenant> => {
    const tenant = await bench.tenants.get(`webhooks ${endpoints}`);
    const urls = Array.from({ length: endpoints }, (_, n) => `${origins[n % origins.length] ?? ''}/${n}`);
    await subscribe(bench, tenant, urls);
    return tenant;
  };
  const rate: Row = {
    name,
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.5 },
    against: `one undici pool per origin, ${inFlight} in flight, rows claimed by 400 and marked in bulk`,
    run: async (bench) =>
      withReceiver(Math.min(endpoints, ORIGINS), async (receiver) => {
        const tenant = await subscribed(bench, receiver);
        const { beside, ...measured } = await bench.alternate(
          'perSecond',
          engine(bench, tenant, receiver),
          queue(bench, receiver, inFlight, endpoints),
          pool(bench, receiver, inFlight),
        );
        return {
          ...measured,
          ...(beside !== null && { note: `the pool alone ${figureText(beside, '/s')}` }),
        };
      }),
  };
  const cost: Row = {
    name: `${name}: cost`,
    unit: 'µs of a core',
    bar: { of: 'value', atMost: MAX_DELIVERY_COST_US },
    against: 'nothing: the cost stands for itself',
    run: async (bench) =>
      withReceiver(Math.min(endpoints, ORIGINS), async (receiver) => {
        const tenant = await subscribed(bench, receiver);
        const { costUs, cpu } = await bench.cost(engine(bench, tenant, receiver));
        return { product: costUs, raw: null, ratio: null, cpu };
      }),
  };
  return [rate, cost];
}

/** Deliveries that are due, until each is sent and its result is in the database. What makes them due does not count. */
function engine(bench: Bench, tenant: Tenant, receiver: Receiver): Block {
  return async (extent) => {
    const count = countOf(extent);
    await receiver.read(true);
    await switchAll(bench, tenant, false);
    await makeDue(bench, tenant, count);
    const cpuBefore = bench.cpuTimes();
    await switchAll(bench, tenant, true);
    await untilMarked(bench, tenant);
    const elapsedMs = Date.now() - (await receiver.read()).firstAtMs;
    const perSecond = (count * 1000) / elapsedMs;
    return { ...UNMEASURED, successes: count, elapsedMs, perSecond, sent: count, cpuBefore };
  };
}

function countOf(extent: Extent): number {
  return 'count' in extent ? extent.count : Math.ceil(extent.durationMs * DUE_PER_MS);
}

/** Nothing of a subscription that is off is claimed. */
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

async function untilMarked(bench: Bench, { orgId }: Tenant): Promise<void> {
  const deadline = Date.now() + MARKED_LIMIT_MS;
  for (;;) {
    const [pending] = await bench.rows(
      `SELECT 1 FROM webhooks.subscriptions s WHERE s.org_id = $1 AND EXISTS (SELECT FROM webhooks.deliveries d
         WHERE d.subscription_id = s.id AND d.status = 'pending' AND d.next_attempt_at <= now()) LIMIT 1`,
      orgId,
    );
    if (!pending) return;
    if (Date.now() > deadline) throw new Error('deliveries stay pending');
    await new Promise((resolve) => setTimeout(resolve, MARKED_LOOK_MS));
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

/** As many deliveries as the product sends, out of tables like the worker's, claimed and marked in bulk. */
function queue(bench: Bench, receiver: Receiver, callers: number, subscriptions: number): Block {
  const databaseUrl = bench.stack.adminDatabaseUrl;
  return async (extent) => {
    await fillRawQueue(bench.sql, countOf(extent), subscriptions, RAW_BODY);
    return counted(receiver, () =>
      bench.load.queue({ databaseUrl, origins: receiver.origins, headers: RAW_HEADERS, callers }),
    );
  };
}

/** The sending alone. */
function pool(bench: Bench, receiver: Receiver, callers: number): Block {
  const { origins } = receiver;
  return async (extent) =>
    counted(receiver, () =>
      bench.load.pool({ origins, headers: RAW_HEADERS, body: RAW_BODY, callers, ...extent }),
    );
}

/** What the receiver counted must be what the sender says: the figure is no better than its smaller side. */
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
    await bench.load.http({
      ports: [bench.stack.ports.gateway],
      callers: 8,
      requests,
      perSecond,
      durationMs,
    });
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
