import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Edge, EDGES, type Target, targetAt } from '@offizin/testkit/edge-target';
import { memoryMb, watchMemory } from '../faults/processes';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import { call, type CallAnswer, callApi, callConnector } from '../load/caller';
import { percentile } from '../checkers/checkers';
import { pause } from '../load/submitters';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

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
    return verdicts;
  },
};

function edgesOf({ organization }: Trial): Attacked[] {
  const calls = {
    gateway: () => callApi(organization, 'GET', '/orders?limit=1'),
    'connector-edge': () => callConnector(organization, 'GET', '?external_reference=none'),
  };
  return EDGES.map((name) => ({ name, ...targetAt(name, organization), call: calls[name] }));
}

async function attack(trial: Trial, edge: Attacked, { pick, history, say }: Bench): Promise<Verdict[]> {
  const process = trial.stack.apps[edge.name];
  // Memory that any work retains must exist before the measurement.
  await warmUp(edge);
  const alone = await latencies(edge, pick(10_000, 3_000));
  const memoryBefore = memoryMb(process);
  const attacking = (): number => connectionsFrom(ATTACKER, edge.url) ?? 0;
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
      trials: `${counts.slow} connections at once`,
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

/** Time until no connection is open; infinite after a minute. */
async function untilClosed(count: () => number): Promise<number> {
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < 2 * UNREAD_CLOSED_MS_AT_MOST) {
    if (count() === 0) return performance.now() - sinceMs;
    await pause(250);
  }
  return Infinity;
}

/** Connections that cost a server resources although none of their requests carries a valid key. */
class HostileConnections {
  private readonly sockets: Socket[] = [];

  /** `from` is the loopback address of the attacker, so that limits per address distinguish it from other callers. */
  constructor(
    private readonly url: string,
    private readonly from: string,
  ) {}

  /** Pipelined requests, `bytesEach` per connection, whose answers are never read. */
  async pipelineUnread(count: number, path: string, bytesEach: number): Promise<void> {
    const one = `GET ${path} HTTP/1.1\r\nHost: hostile\r\n\r\n`;
    const all = Buffer.from(one.repeat(Math.ceil(bytesEach / one.length)));
    for (const socket of await this.open(count, false)) socket.write(all);
  }

  /** Connections that send nothing; every second one has received an answer first. */
  async idle(count: number): Promise<void> {
    const sockets = await this.open(count, true);
    for (const [index, socket] of sockets.entries())
      if (index % 2 === 0) socket.write('GET /nothing HTTP/1.1\r\nHost: hostile\r\n\r\n');
  }

  /** Heads of `bytesEach` that never end. */
  async slowHeads(count: number, bytesEach: number): Promise<void> {
    const head = `GET /nothing HTTP/1.1\r\nHost: hostile\r\nX-Slow: ${'a'.repeat(bytesEach)}`;
    for (const socket of await this.open(count, true)) this.drip(socket, head, 'a');
  }

  /** Bodies that send one byte per second, to a path with a body. */
  async slowBodies(count: number, path: string): Promise<void> {
    const type = 'Content-Type: application/json\r\nContent-Length: 60000';
    const head = `POST ${path} HTTP/1.1\r\nHost: hostile\r\n${type}\r\n\r\n{`;
    for (const socket of await this.open(count, true)) this.drip(socket, head, ' ');
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.length = 0;
  }

  private drip(socket: Socket, first: string, next: string): void {
    socket.write(first);
    const dripping = setInterval(() => socket.write(next), 1_000);
    socket.once('close', () => clearInterval(dripping));
  }

  /** In groups: more connections than fit into the server's accept queue would wait for seconds. */
  private async open(count: number, isReading: boolean): Promise<Socket[]> {
    const opened: Socket[] = [];
    while (opened.length < count) {
      const batch = Math.min(100, count - opened.length);
      opened.push(...(await Promise.all(Array.from({ length: batch }, () => this.openOne(isReading)))));
    }
    return opened;
  }

  private openOne(isReading: boolean): Promise<Socket> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve) => {
      const socket = connect({ port: Number(port), host: hostname, localAddress: this.from });
      this.sockets.push(socket);
      if (isReading) socket.on('data', () => undefined);
      else socket.pause();
      // A connection that the server refuses or ends is an expected outcome of the attack.
      socket.on('error', () => undefined);
      socket.once('end', () => socket.destroy());
      for (const event of ['connect', 'close'] as const) socket.once(event, () => resolve(socket));
    });
  }
}

/** Established connections from a loopback address to a port; null where the system does not report it. */
function connectionsFrom(address: string, url: string): number | null {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const from = `${bytes.reverse().join('').toUpperCase()}:`;
  const port = `:${Number(new URL(url).port).toString(16).padStart(4, '0').toUpperCase()}`;
  try {
    const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
    return rows.filter((row) => {
      const [, local = '', remote = '', state] = row.trim().split(/\s+/);
      return local.endsWith(port) && remote.startsWith(from) && state === '01';
    }).length;
  } catch {
    return null;
  }
}
