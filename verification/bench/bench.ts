import { join } from 'node:path';
import { Pool, type QueryResultRow } from 'pg';
import type { AppName } from '@offizin/local-stack/apps';
import type { Stack } from '@offizin/local-stack/stack';
import { http, json } from '@offizin/testkit/http';
import type { HttpRequest, LoadResult } from '@offizin/testkit/load/job';
import { Load } from '@offizin/testkit/load/load';
import { cpuTimesMs, cpuUsedMs, residentMb, type Watched } from './cpu-time';
import type { SqlJob } from './load/raw-jobs';
import type { Pace } from './options';
import { figureText, type Measured } from './measured';
import { median, medianRatio, untilSteady } from './rounds';
import type { Tenant, Tenants } from './seed/tenants';

/** The figure of a block that counts; `costUs` is µs of a core per request, of all processes of the stack together. */
export type Figure = 'perSecond' | 'p50Ms' | 'p99Ms' | 'maxMs' | 'costUs';

/** One block of load: of a length, or of a number of requests where something is prepared. */
export type Block = (extent: Extent) => Promise<BlockResult>;
/**
 * `cpuBefore`: where the block first prepared something, which is not a part of what it measures. `isWorkOfLoad`: the
 * load process does the work itself, so its time is part of the cost.
 */
export type BlockResult = LoadResult & { cpuBefore?: Map<string, number>; isWorkOfLoad?: boolean };
export type Extent = { durationMs: number } | { count: number };

/** A block with its cost, and µs of a core per request by process. */
type Timed = LoadResult & { costUs: number; cpu: Record<string, number> };
/** A block of the product, then one of the raw limit. */
export type Round = { product: Timed; raw: Timed };

const RAW_CONNECTIONS = 16;
const SETTLE_LOOK_MS = 200;
const SETTLE_LIMIT_MS = 20_000;
/** The stack counts as quiet below this share of a core: deferred work must not run into the other half. */
const QUIET_SHARE = 0.15;

/** Tools of the rows: the running stack, the load process, seeded organizations, and the pace. */
export class Bench {
  readonly load: Load;
  /** The administrator's connections, for preparation and checks. */
  readonly sql: Pool;
  /** Memory of each app before its first request. */
  readonly idleMemoryMb: Partial<Record<AppName, number>>;

  constructor(
    readonly stack: Stack,
    readonly tenants: Tenants,
    readonly pace: Pace,
    readonly quick: boolean,
  ) {
    this.load = new Load(join(__dirname, 'load', 'load-process.js'));
    this.sql = new Pool({ connectionString: stack.adminDatabaseUrl, max: 4 });
    this.sql.on('error', () => undefined);
    const memory = Object.entries(stack.apps).map(([name, { pid }]) => [name, residentMb(pid ?? 0)] as const);
    this.idleMemoryMb = Object.fromEntries(memory);
  }

  /** Product and raw limit in turn: medians over the rounds, and where the product's time goes. */
  async alternate(figure: Figure, product: Block, raw: Block): Promise<Measured> {
    return this.compared(figure, await this.rounds(product, raw));
  }

  /** The rounds themselves, where several rows show figures of one measurement. */
  async rounds(product: Block, raw: Block): Promise<Round[]> {
    for (const block of [product, raw]) await this.warmUp(block);
    const rounds: Round[] = [];
    while (rounds.length < this.pace.rounds)
      rounds.push({ product: await this.timed(product), raw: await this.timed(raw) });
    return rounds;
  }

  compared(figure: Figure, rounds: readonly Round[]): Measured {
    const last = rounds.at(-1)?.product;
    const pairs = rounds.map(({ product, raw }) => ({ product: product[figure], raw: raw[figure] }));
    const measured = { ...this.summary(pairs), cpu: last?.cpu };
    return last && figure === 'costUs' ? { ...measured, rate: rateText(last) } : measured;
  }

  private async timed(block: Block): Promise<Timed> {
    await this.settle();
    const before = this.cpuTimes();
    const result = await block({ durationMs: this.pace.blockMs });
    const cpu = this.cpuPerRequest(result.cpuBefore ?? before, result.successes);
    const costUs = Object.entries(cpu)
      .filter(([name]) => name !== 'load' || result.isWorkOfLoad)
      .reduce((sum, [, us]) => sum + us, 0);
    return { ...result, cpu, costUs };
  }

  async warmUp(block: Block): Promise<void> {
    const { warmUpMs } = this.pace;
    await untilSteady(async () => (await block({ durationMs: warmUpMs })).perSecond, this.pace);
  }

  /** Medians over the rounds. */
  summary(pairs: readonly { product: number; raw: number }[]): Measured {
    return {
      product: median(pairs.map((pair) => pair.product)),
      raw: median(pairs.map((pair) => pair.raw)),
      ratio: medianRatio(pairs),
    };
  }

  /** A request to the organization API with a tenant's token. */
  api(tenant: Tenant, method: string, path: string, body?: object): HttpRequest {
    const headers: Record<string, string> = { authorization: `Bearer ${tenant.token}` };
    if (body) headers['content-type'] = 'application/json';
    const fullPath = `/api/v2/public/orgs/${tenant.orgId}${path}`;
    const origin = this.stack.urls.gateway;
    return { origin, method, path: fullPath, headers, ...(body && { body: JSON.stringify(body) }) };
  }

  /** Blocks of requests to the gateway. Each block continues the list where the last one ended. */
  gateway(requests: HttpRequest[], callers: number): Block {
    return async (extent) => this.load.http({ callers, requests, ...extent });
  }

  /** Blocks of one prepared statement per request, through node-postgres with 16 connections. */
  statement(statement: SqlJob['statement'], values: unknown[][], callers: number, stringify = false): Block {
    const connection = { databaseUrl: this.stack.adminDatabaseUrl, connections: RAW_CONNECTIONS };
    const job = { ...connection, kind: 'sql', statement, values, callers, stringify } as const;
    return async (extent) => ({
      ...(await this.load.run<SqlJob>({ ...job, ...extent }, values)),
      isWorkOfLoad: true,
    });
  }

  /** The answer to one GET of a tenant, which must be a success. */
  async read<T>(tenant: Tenant, path: string): Promise<T> {
    const { path: fullPath, headers } = this.api(tenant, 'GET', path);
    const answer = await http(`${this.stack.urls.gateway}${fullPath}`, { headers });
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}`);
    return json<T>(answer);
  }

  /** Rows of an administrator's query. */
  async rows<R extends QueryResultRow>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.sql.query<R>(text, values)).rows;
  }

  /** Resolves when the stack is idle: relays, inboxes and deliveries have no backlog. */
  async settle(): Promise<void> {
    if (this.quick) return;
    const deadline = Date.now() + SETTLE_LIMIT_MS;
    while (Date.now() < deadline) {
      const before = this.cpuTimes();
      await new Promise((resolve) => setTimeout(resolve, SETTLE_LOOK_MS));
      const used = cpuUsedMs(before, this.cpuTimes());
      used.delete('load');
      const totalMs = [...used.values()].reduce((sum, ms) => sum + ms, 0);
      if (totalMs < QUIET_SHARE * SETTLE_LOOK_MS) return;
    }
  }

  cpuTimes(): Map<string, number> {
    const { apps, nats, postgres } = this.stack;
    const watched: Watched[] = Object.values(apps).map((app) => ({
      name: app.name,
      pid: app.pid ?? 0,
      withChildren: false,
    }));
    watched.push({ name: 'nats', pid: nats?.process.pid ?? 0, withChildren: false });
    watched.push({ name: 'postgres', pid: postgres?.process.pid ?? 0, withChildren: true });
    watched.push({ name: 'load', pid: this.load.pid, withChildren: false });
    return cpuTimesMs(watched);
  }

  /** Microseconds of a core that each process used per request. */
  cpuPerRequest(before: Map<string, number>, requests: number): Record<string, number> {
    const used = [...cpuUsedMs(before, this.cpuTimes())].map(([name, ms]) => [name, (ms * 1000) / requests]);
    return Object.fromEntries(used) as Record<string, number>;
  }

  async close(): Promise<void> {
    this.load.stop();
    await this.sql.end();
  }
}

/** Beside a cost: how many per second, and the p99. */
function rateText({ perSecond, p99Ms }: LoadResult): string {
  return `${figureText(perSecond, '/s')}, p99 ${figureText(p99Ms, 'ms')}`;
}
