import { type Edge, EDGES, type Target, targetAt } from '@offizin/testkit/edge-target';
import { call, type CallAnswer, callApi, callConnector } from '@offizin/testkit/load/calls';
import { pause } from '@offizin/testkit/load/submissions';
import { percentile } from '@offizin/testkit/load/tally';
import { memoryMb, watchMemory } from '../faults/processes';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';
import { connectionsFrom, HostileConnections, untilClosed } from './hostile-connections';
import { signIns } from './sign-ins';
import { unread } from './unread';

const MEMORY_MB_AT_MOST = 16;
const LATENCY_MS_AT_MOST = 50;
const UNREAD_CLOSED_MS_AT_MOST = 30_000;
/** A head must be complete in 10 s; servers check every few seconds. */
const SLOW_HEAD_MS_AT_MOST = 15_000;
/** The attacker's loopback address; other callers have 127.0.0.1. */
const ATTACKER = '127.0.0.66';
const CALLS_PER_SECOND = 20;

interface Attacked extends Target {
  name: Edge;
  /** One call of another caller, whose key is valid. */
  call: () => Promise<CallAnswer>;
}

export const strangers: Guarantee = {
  id: 'G20',
  promise: 'Bytes without a valid key cost little',
  // It measures times and memory, which depend on other load of the machine: not for `npm test`.
  isShort: false,
  run: async (bench) => {
    const trial = await bench.open();
    const verdicts: Verdict[] = [];
    for (const edge of edgesOf(trial)) verdicts.push(...(await attack(trial, edge, bench)));
    return [...verdicts, ...(await unread(trial, bench)), ...(await signIns(trial, bench))];
  },
};

function edgesOf({ organization }: Trial): Attacked[] {
  const calls = {
    gateway: () => callApi(organization, 'GET /orders?limit=1'),
    'connector-edge': () => callConnector(organization, 'GET ?external_reference=none'),
  };
  return EDGES.map((name) => ({ name, ...targetAt(name, organization), call: calls[name] }));
}

async function attack(trial: Trial, edge: Attacked, { pick, history, say }: Bench): Promise<Verdict[]> {
  const process = trial.stack.apps[edge.name];
  // Memory that any work retains must exist before the measurement.
  await warmUp(edge);
  const alone = await latencies(edge, pick(10_000, 3_000));
  const memoryBefore = memoryMb(process);
  const attacking = (): number => connectionsFrom(ATTACKER, edge.url);
  const attackers = new HostileConnections(edge.url, ATTACKER);
  const counts = { idle: pick(5_000, 1_000), slow: pick(200, 50), unread: pick(400, 60) };
  const watched = watchMemory([process]);
  const beside = latencies(edge, pick(45_000, 20_000));
  history.note(`attack on ${edge.name}`);
  await attackers.pipelineUnread(counts.unread, '/nothing', 66_000);
  const closedAfterMs = await untilClosed(attacking);
  say(`${edge.name}: ${memoryMb(process)?.toFixed(0)} MB, from ${memoryBefore?.toFixed(0)}, after pipelines`);
  await attackers.slowHeads(counts.slow, 15_000);
  const headsClosedAfterMs = await untilClosed(attacking);
  await attackers.slowBodies(counts.slow, edge.path);
  await attackers.idle(counts.idle);
  await pause(pick(5_000, 500));
  say(`${edge.name}: ${attacking()} connections of the attack are open`);
  const besideMs = await beside;
  const [mostMb = 0] = await watched();
  attackers.end();
  const figures = { memoryBefore, mostMb, alone, besideMs, closedAfterMs, headsClosedAfterMs };
  return judge(edge.name, counts, figures);
}

function judge(
  name: Edge,
  counts: { idle: number; slow: number; unread: number },
  figures: {
    memoryBefore: number | null;
    mostMb: number;
    alone: Latencies;
    besideMs: Latencies;
    closedAfterMs: number;
    headsClosedAfterMs: number;
  },
): Verdict[] {
  const { memoryBefore, mostMb, alone, besideMs, closedAfterMs, headsClosedAfterMs } = figures;
  const fault = `${counts.unread} pipelines never read, ${counts.slow} slow heads and bodies each, ${counts.idle} idle connections: ${name}`;
  const growthMb = mostMb - (memoryBefore ?? NaN);
  const memory = {
    fault: `memory beside ${fault}`,
    trials: 'read every 100 ms',
    bar: `+${MEMORY_MB_AT_MOST} MB at most`,
  };
  const extraMs = besideMs.p99Ms - alone.p99Ms;
  return [
    Number.isNaN(growthMb)
      ? { ...memory, figure: 'skipped: no /proc here', result: 'skipped' }
      : verdict(growthMb <= MEMORY_MB_AT_MOST, {
          ...memory,
          figure: `+${growthMb.toFixed(0)} MB, from ${memoryBefore?.toFixed(0)}`,
        }),
    verdict(extraMs <= LATENCY_MS_AT_MOST && besideMs.failures === 0, {
      fault: `another caller beside them: ${name}`,
      trials: `${besideMs.calls} calls beside, ${alone.calls} alone`,
      figure: `p99 ${seconds(alone.p99Ms)} alone, ${seconds(besideMs.p99Ms)} beside; ${besideMs.failures} not answered`,
      bar: `+${LATENCY_MS_AT_MOST} ms at most, each answered`,
    }),
    verdict(closedAfterMs <= UNREAD_CLOSED_MS_AT_MOST, {
      fault: `connections that never read: ${name}`,
      trials: `${counts.unread} connections of 66 KB of requests`,
      figure: Number.isFinite(closedAfterMs) ? `all closed after ${seconds(closedAfterMs)}` : 'stay open',
      bar: `closed ≤ ${seconds(UNREAD_CLOSED_MS_AT_MOST)}`,
    }),
    verdict(headsClosedAfterMs <= SLOW_HEAD_MS_AT_MOST, {
      fault: `heads that never end: ${name}`,
      trials: `${counts.slow} concurrent connections`,
      figure: Number.isFinite(headsClosedAfterMs)
        ? `all closed after ${seconds(headsClosedAfterMs)}`
        : 'stay open',
      bar: `closed ≤ ${seconds(SLOW_HEAD_MS_AT_MOST)}`,
    }),
  ];
}

/** As much as a process that has worked for a while has grown to. */
async function warmUp(edge: Attacked): Promise<void> {
  const attackers = new HostileConnections(edge.url, ATTACKER);
  await attackers.pipelineUnread(2, '/nothing', 66_000);
  await attackers.idle(200);
  for (let round = 0; round < 200; round++) {
    const unknown = Array.from({ length: 50 }, () => call(`${edge.url}/nothing`, { method: 'GET' }));
    await Promise.all([...unknown, edge.call(), edge.call(), edge.call()]);
  }
  attackers.end();
}

interface Latencies {
  calls: number;
  failures: number;
  p99Ms: number;
}

/** Calls at an even pace, each on time even when those before it are slow. */
async function latencies(edge: Attacked, durationMs: number): Promise<Latencies> {
  const calls: Promise<CallAnswer>[] = [];
  const endAt = performance.now() + durationMs;
  while (performance.now() < endAt) {
    calls.push(edge.call());
    await pause(1_000 / CALLS_PER_SECOND);
  }
  const answers = await Promise.all(calls);
  return {
    calls: answers.length,
    failures: answers.filter(({ status }) => status === null || status >= 500).length,
    p99Ms: percentile(
      answers.map(({ durationMs }) => durationMs),
      0.99,
    ),
  };
}
