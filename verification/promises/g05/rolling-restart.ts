import { type AppName, appNames, type AppProcess } from '@offizin/local-stack/apps';
import { TcpProxy } from '@offizin/local-stack/tcp-proxy';
import { type CallAnswer, callApi, statusesOf } from '@offizin/testkit/load/calls';
import { outcomeOf } from '@offizin/testkit/load/history';
import { mixedSubmissions, pause, submitAll } from '@offizin/testkit/load/submissions';
import type { TestOrganization } from '@offizin/testkit/organization';
import { terminate } from '../faults/processes';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { judgeSubmissions, seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const EXIT_WITHIN_MS = 30_000;
const READINESS_EVERY_MS = 200;
/** Longer than a balancer needs to notice. */
const DRAIN_DELAY_SECONDS = 2;
/** One read of each service behind the gateway. */
const READS = ['/orders?limit=5', '/shops', '/webhooks'];

interface Replica {
  app: AppName;
  process: AppProcess;
  port: number;
  isReady: boolean;
}

export const rollingRestart: Guarantee = {
  id: 'G5',
  promise: 'Rolling restart',
  isShort: true,
  run: async (bench) => {
    const { history, pick, open, atEnd } = bench;
    const replicas: Replica[] = [];
    let firstCorePort = 0;
    const balancer = async (app: AppName): Promise<TcpProxy> => {
      const readyPorts = (): number[] =>
        replicas.length === 0
          ? [firstCorePort]
          : replicas.filter((replica) => replica.app === app && replica.isReady).map(({ port }) => port);
      const proxy = await TcpProxy.start(readyPorts);
      atEnd(() => proxy.close());
      return proxy;
    };
    const core = await balancer('order-core');
    const behind = { ORDER_CORE_URL: `http://127.0.0.1:${core.port}` };
    const delay = { DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS) };
    const trial = await open({
      extraEnv: {
        gateway: { ...behind, ...delay },
        'connector-edge': { ...behind, ...delay },
        'order-core': delay,
        catalog: delay,
        'webhook-worker': delay,
      },
      onPorts: (ports) => (firstCorePort = ports['order-core']),
    });
    replicas.push(...(await twoOfEach(trial)));
    const [gateway, connector] = [await balancer('gateway'), await balancer('connector-edge')];
    const receiver = await trial.subscribe('all');
    let running = true;
    const watching = watchReadiness(replicas, () => running);
    const organization = trial.by({
      baseUrl: `http://127.0.0.1:${gateway.port}`,
      connectorUrl: `http://127.0.0.1:${connector.port}`,
    });
    const reads: CallAnswer[] = [];
    const loading = load(bench, organization, reads, () => running);
    const drains: number[] = [];
    const restarted = pick([...replicas, ...replicas], everyOther(replicas));
    try {
      for (const replica of restarted) drains.push(await restart(replica, bench));
    } finally {
      running = false;
    }
    await Promise.all([loading, watching]);
    return [
      judgeAnswers(bench, reads, drains),
      ...(await judgeSubmissions(trial, history, receiver, {
        fault: `${drains.length} × SIGTERM in turn, 8 submitters`,
      })),
    ];
  },
};

/** Submissions over both edges, and one read of each service, over and over. */
async function load(
  { history, random }: Bench,
  organization: TestOrganization,
  reads: CallAnswer[],
  goesOn: () => boolean,
): Promise<void> {
  const reading = READS.map(async (path) => {
    while (goesOn()) {
      const answer = await callApi(organization, `GET ${path}`);
      reads.push(answer);
      if (answer.status !== 200)
        history.note(`GET ${path}: ${answer.status ?? answer.failure} ${answer.body}`);
      await pause(20);
    }
  });
  for (let submitted = 0; goesOn(); submitted += 100) {
    const some = mixedSubmissions(organization, 100, `g5-${submitted}`);
    await submitAll(some, { history, random, submitters: 8, pauseMs: 100 });
  }
  await Promise.all(reading);
}

function everyOther<T>(values: readonly T[]): T[] {
  return values.filter((_, index) => index % 2 === 0);
}

async function twoOfEach(trial: Trial): Promise<Replica[]> {
  const { stack } = trial;
  const ports: Partial<Record<AppName, number>> = {
    gateway: stack.ports.gateway,
    'connector-edge': stack.ports['connector-edge'],
    'order-core': stack.ports['order-core'],
  };
  const pairs = await Promise.all(
    appNames.map(async (app): Promise<Replica[]> => {
      const second = await stack.addReplica(app);
      const first = { process: stack.apps[app], port: ports[app] ?? 0 };
      return [first, second].map((replica) => ({ app, ...replica, isReady: true }));
    }),
  );
  return pairs.flat();
}

/** Like an orchestrator: a replica that is not ready gets no new connections. */
async function watchReadiness(replicas: readonly Replica[], goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await Promise.all(
      replicas.map(async (replica) => {
        const { ok } = await fetch(`${replica.process.managementUrl}/readyz`).catch(() => ({ ok: false }));
        replica.isReady = ok;
      }),
    );
    await pause(READINESS_EVERY_MS);
  }
}

async function restart(replica: Replica, { history, random }: Bench): Promise<number> {
  const drainMs = await terminate(replica.process, history);
  await replica.process.start();
  await replica.process.ready();
  // It must be ready before the next one stops.
  while (!replica.isReady) await pause(50);
  await pause(random.between(100, 500));
  return drainMs;
}

function judgeAnswers(
  { history, say }: Bench,
  reads: readonly CallAnswer[],
  drains: readonly number[],
): Verdict {
  const statuses = [
    ...reads,
    ...history.operations.map(({ status }) => ({ status, failure: status === null ? 'cut off' : null })),
  ];
  const failed = statuses.filter(({ status }) => status !== null && status >= 500);
  const cut = statuses.filter(({ status }) => status === null);
  const refused = statuses.filter(({ status }) => outcomeOf(status) === 'fail');
  say(statusesOf(statuses));
  const longestMs = Math.max(...drains);
  return verdict(failed.length + refused.length === 0 && longestMs <= EXIT_WITHIN_MS, {
    fault: 'SIGTERM of each app in turn under load, two replicas of each',
    trials: `${drains.length} restarts, ${statuses.length} calls`,
    figure: `${failed.length} × 5xx, ${cut.length} connections cut; exit within ${seconds(longestMs)}`,
    bar: `0 × 5xx, exit ≤ ${seconds(EXIT_WITHIN_MS)}`,
  });
}
