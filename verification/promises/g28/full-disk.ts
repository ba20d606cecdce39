import type { HttpAnswer } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { eventually } from '@offizin/testkit/eventually';
import { uniqueTag } from '@offizin/testkit/platform';
import * as disk from '../faults/small-disk';
import { type Bench, some, verdict, type Verdict } from '../guarantee';
import { mixedSubmissions, pause, submitAll } from '../load/submitters';
import { judgeSubmissions, seconds } from '../nothing-lost';
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
    return skipped(FAULT, error);
  }
  await postgres.process.start();
  await postgres.process.ready();
  return tryFullDisk(bench, trial, readsOf(trial, id), writesOf(trial, requestId));
}

function skipped(fault: string, error: unknown): Verdict[] {
  if (!(error instanceof disk.NoMount)) throw error;
  return [
    { fault, trials: 'none', figure: `skipped: ${error.message}`, bar: 'held on a disk', result: 'skipped' },
  ];
}

const ONE_DISK_MB = 400;
const ONE_DISK_FULL_MS = 25_000;
/** A broker that hangs is ended after 20 s. The rest is for its start, and for a database that has to recover. */
const ALL_BACK_WITHIN_MS = 60_000;
const SUBMISSIONS = 400;

/** Database, broker, logs and run records share one disk, which is full for a while. `npm start` restarts what hangs. */
export async function fillOneDisk(bench: Bench): Promise<Verdict[]> {
  const fault = `one disk of everything full (${ONE_DISK_MB} MB)`;
  const prepare = (dataDir: string): void => disk.mountSmallDisk(dataDir, ONE_DISK_MB);
  const cleanUp = disk.unmountSmallDisk;
  const trial = await bench.open({ prepare, cleanUp, restart: true }).catch((error: unknown) => {
    return skipped(fault, error);
  });
  return Array.isArray(trial) ? trial : tryOneDisk(bench, trial, fault);
}

async function tryOneDisk(bench: Bench, trial: Trial, fault: string): Promise<Verdict[]> {
  const { history, random } = bench;
  const { dataDir, nats, postgres } = trial.stack;
  const receiver = await trial.subscribe('all');
  const servers = [nats?.process, postgres?.process].flatMap((one) => one ?? []);
  const pids = servers.map(({ pid }) => pid);
  const from = history.operations.length;
  const submissions = mixedSubmissions(trial.organization, SUBMISSIONS, 'g28-one-disk');
  const loaded = submitAll(submissions, { history, random, submitters: 8, pauseMs: 500 });
  await pause(2_000);
  history.note('the one disk is full');
  for (const endsAt = performance.now() + ONE_DISK_FULL_MS; performance.now() < endsAt; await pause(200))
    disk.fillDisk(dataDir);
  disk.emptyDisk(dataDir);
  history.note('there is space again');
  const freedAt = performance.now();
  const calls = [...readsOf(trial, trial.organization.orgId).slice(0, 1), ...writesOf(trial, '').slice(0, 3)];
  const worksAgain = async (): Promise<boolean> => (await all(calls, [200, 201])).length === 0;
  const backMs = await eventually('every call to work', worksAgain, 2 * ALL_BACK_WITHIN_MS).then(
    () => performance.now() - freedAt,
    () => Infinity,
  );
  await loaded;
  const renewed = servers.filter(({ pid }, place) => pid !== pids[place]).map(({ name }) => name);
  const works = verdict(backMs <= ALL_BACK_WITHIN_MS, {
    fault,
    trials: `${history.operations.length - from} calls`,
    figure: `works again after ${seconds(backMs)}; restarted: ${renewed.join(', ') || 'none'}`,
    bar: `≤ ${seconds(ALL_BACK_WITHIN_MS)}`,
  });
  return [works, ...(await judgeSubmissions(trial, history, receiver, fault, { from }))];
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
