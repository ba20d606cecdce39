import type { Bench, Block } from '../bench';
import type { HttpRequest, LoadResult } from '../load/job';
import { Receiver } from '../load/receiver';
import type { Measured, Row } from '../row';
import { makeDue, subscribe } from '../seed/subscriptions';
import type { Tenant } from '../seed/tenants';
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

export const webhookRows: Row[] = [
  throughputRow(1, 8),
  throughputRow(1_000, 64),
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

function throughputRow(endpoints: number, inFlight: number): Row {
  return {
    name: `webhook deliveries, ${endpoints.toLocaleString('en-US')} endpoint${endpoints > 1 ? 's' : ''}`,
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.8 },
    against: `one undici pool per origin, ${inFlight} in flight`,
    run: async (bench) =>
      withReceiver(Math.min(endpoints, ORIGINS), async (receiver) => {
        const tenant = await bench.tenants.get(`webhooks ${endpoints}`);
        const { origins } = receiver;
        const urls = Array.from({ length: endpoints }, (_, n) => `${origins[n % origins.length] ?? ''}/${n}`);
        await subscribe(bench, tenant, urls);
        return bench.alternate('perSecond', engine(bench, tenant, receiver), pool(bench, receiver, inFlight));
      }),
  };
}

/** Deliveries that are due, until each is sent and its result is in the database. */
function engine(bench: Bench, tenant: Tenant, receiver: Receiver): Block {
  return async (extent) => {
    const count = 'count' in extent ? extent.count : Math.ceil(extent.durationMs * DUE_PER_MS);
    await receiver.read(true);
    await makeDue(bench, tenant, count);
    await untilMarked(bench, tenant);
    const elapsedMs = Date.now() - (await receiver.read()).firstAtMs;
    return { ...UNMEASURED, successes: count, elapsedMs, perSecond: (count * 1000) / elapsedMs, sent: count };
  };
}

const UNMEASURED: LoadResult = {
  ...{ successes: 0, statuses: {}, elapsedMs: 0, perSecond: 0, sent: 0 },
  ...{ p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN },
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

/** What the receiver counted must be what the pool says: the figure is no better than its smaller side. */
function pool(bench: Bench, receiver: Receiver, callers: number): Block {
  const { origins } = receiver;
  const headers = {
    ...{
      'content-type': 'application/json',
      'user-agent': 'Offizin-Webhooks/1',
      'x-service-event': 'x'.repeat(20),
    },
    ...{ 'x-service-delivery-id': 'x'.repeat(36), 'x-service-signature': 'x'.repeat(71) },
    ...{ 'webhook-id': 'x'.repeat(36), 'webhook-timestamp': '1', 'webhook-signature': 'x'.repeat(47) },
  };
  const body = JSON.stringify({ event_type: 'order_status_updated', rest: 'x'.repeat(450) });
  return async (extent) => {
    await receiver.read(true);
    const result = await bench.load.pool({ origins, headers, body, callers, ...extent });
    const { received } = await receiver.read(true);
    if (received === result.successes) return result;
    throw new Error(`the pool had ${result.successes} answers, the receiver ${received} requests`);
  };
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
  await send(warmUpMs);
  await receiver.read(true);
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
