import type { HttpAnswer } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { uniqueTag } from '@offizin/testkit/platform';
import * as disk from '../faults/small-disk';
import { type Bench, some, verdict, type Verdict } from '../guarantee';
import type { Trial } from '../trial';

const DISK_MB = 200;
const FULL_MS = 10_000;
const BACK_WITHIN_MS = 5_000;
const FAULT = `disk of the database full (tmpfs of ${DISK_MB} MB)`;

type Probe = [name: string, call: () => Promise<HttpAnswer>, refusal?: number];
/** How often each write was refused, by its name. */
type Refusals = Map<string, number>;

/** The disk of the database is full: reads continue, writes are a 503, and both work again once there is space. */
export async function fillDisk(bench: Bench): Promise<Verdict[]> {
  const cleanUp = (dataDir: string): void => disk.unmountSmallDisk(disk.databaseDiskIn(dataDir));
  const trial = await bench.open({ cleanUp });
  const postgres = trial.stack.postgres;
  if (!postgres) throw new Error('the stack has no database of its own');
  const { id } = await trial.organization.createOrder();
  const requestId = await trial.organization.submit(orderRequest());
  await postgres.process.stop();
  try {
    disk.moveToSmallDisk(trial.stack.dataDir, DISK_MB);
  } catch (error) {
    return disk.skippedWithoutMount(FAULT, error);
  }
  await postgres.process.start();
  await postgres.process.ready();
  return tryFullDisk(bench, trial, readsOf(trial, id), writesOf(trial, requestId));
}

function readsOf({ organization: own }: Trial, orderId: string): Probe[] {
  const paths = ['/orders', `/orders/${orderId}`, '/orders?q=erika', '/inventory', '/order-requests'];
  const further = ['/webhooks', '/events', '/reports/stats', '/audit-log'];
  const reads = [...paths, ...further].map((path): Probe => [path, () => own.api('GET', path)]);
  return [...reads, ['/auth/token', () => own.exchange(own.apiKey.text)]];
}

/** A read of an order request is an entry of the audit log, and so a write. The connector has one code for a failed service. */
function writesOf({ organization: own }: Trial, requestId: string): Probe[] {
  const order = (): object => ({ shop_id: own.shops[0].shopId, external_id: uniqueTag() });
  return [
    ['POST /orders', () => own.api('POST', '/orders', order())],
    ['keyed', () => own.api('POST', '/orders', order(), { 'idempotency-key': uniqueTag() })],
    ['connector', () => own.connector({ body: orderRequest() }), 502],
    ['audited read', () => own.api('GET', `/order-requests/${requestId}`)],
  ];
}

async function tryFullDisk(bench: Bench, trial: Trial, reads: Probe[], writes: Probe[]): Promise<Verdict[]> {
  const { dataDir } = trial.stack;
  await all(reads, [200]);
  bench.history.note('the disk of the database is full');
  disk.fillDisk(disk.databaseDiskIn(dataDir));
  const wrong: string[] = [];
  const refusals: Refusals = new Map();
  let count = 0;
  for (const endsAt = performance.now() + FULL_MS; performance.now() < endsAt; count++) {
    // A write that fits into an existing page succeeds.
    wrong.push(...(await all(reads, [200])), ...(await all(writes, [200, 201], refusals)));
  }
  disk.emptyDisk(disk.databaseDiskIn(dataDir));
  bench.history.note('there is space again');
  const freedAt = performance.now();
  while ((await all(writes, [200, 201])).length > 0 && performance.now() - freedAt < 2 * BACK_WITHIN_MS);
  const backMs = Math.round(performance.now() - freedAt);
  const figure = `${some([...new Set(wrong)])} wrong answers; refused ${refusalsOf(writes, refusals)}; writes again after ${backMs} ms`;
  const bar = `0 wrong (reads 200, writes 503, connector 502), some of each refused; again within ${BACK_WITHIN_MS} ms without a restart`;
  const isRefused = writes.every(([name]) => refusals.has(name));
  const holds = wrong.length === 0 && isRefused && backMs <= BACK_WITHIN_MS;
  return [verdict(holds, { fault: FAULT, trials: `${count} rounds`, figure, bar })];
}

function refusalsOf(writes: Probe[], refusals: Refusals): string {
  return writes.map(([name]) => `${name} ${refusals.get(name) ?? 0}`).join(', ');
}

/** The answers with another status. With `refusals` a write may be refused, when the answer has Retry-After. */
async function all(probes: Probe[], statuses: number[], refusals?: Refusals): Promise<string[]> {
  const found = await Promise.all(
    probes.map(async ([name, call, refusal = 503]) => {
      const { status, headers } = await call();
      if (statuses.includes(status)) return null;
      if (!refusals || status !== refusal) return `${name}: ${status}`;
      refusals.set(name, (refusals.get(name) ?? 0) + 1);
      return headers['retry-after'] === undefined ? `${name}: no Retry-After` : null;
    }),
  );
  return found.filter((one) => one !== null);
}
