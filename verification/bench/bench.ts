import { Pool, type QueryResultRow } from 'pg';
import { connectBus } from '@offizin/bus/connection';
import type { AppName } from '@offizin/local-stack/apps';
import type { Stack } from '@offizin/local-stack/stack';
import { http, json } from '@offizin/testkit/http';
import { cpuTimesMs, cpuUsedMs, residentMb, type Watched } from './cpu-time';
import type { HttpRequest, LoadResult, SqlJob } from './load/job';
import { Load } from './load/load';
import { median, medianRatio } from './median';
import type { BenchOptions, Pace } from './options';
import type { Measured } from './row';
import type { Tenant, Tenants } from './seed/tenants';
import { figureText } from './table';
import { untilSteady } from './warm-up';

/** The figure of a block that counts; `costUs` is µs of a core per request, of all processes of the stack together. */
export type Figure = 'perSecond' | 'p50Ms' | 'p99Ms' | 'maxMs' | 'costUs';

/** One block of load: of a length, or of a number of requests where something is prepared. */
export type Block = (extent: Extent) => Promise<BlockResult>;
/**
 * `cpuBefore`: where the block first prepared something, which is no part of what it measures. `isWorkOfLoad`: the load
 * process does the work itself, so its time is part of the cost.
 */
export type BlockResult = LoadResult & { cpuBefore?: Map<string, number>; isWorkOfLoad?: boolean };
export type Extent = { durationMs: number } | { count: number };

/** `beside`: the figure of the third. */
export type Compared = Measured & { beside: number | null };

/** A block with its cost, and µs of a core per request by process. */
type Timed = LoadResult & { costUs: number; cpu: Record<string, number> };

const RAW_CONNECTIONS = 16;
const SETTLE_LOOK_MS = 200;
const SETTLE_LIMIT_MS = 20_000;
/** The stack counts as quiet below this share of a core: deferred work must not run into the other half. */
const QUIET_SHARE = 0.15;

/** Tools of the rows: the running stack, the load process, seeded organizations, and the pace. */
export class Bench {
  readonly load: Load;
  readonly quick: boolean;
  readonly seedLimitMs: number;
  /** The administrator's connections, for preparation and checks. */
  readonly sql: Pool;
  /** Memory of each app before its first request. */
  readonly idleMemoryMb: Partial<Record<AppName, number>>;

  constructor(
    readonly stack: Stack,
    readonly tenants: Tenants,
    readonly pace: Pace,
    options: Pick<BenchOptions, 'quick' | 'seedLimitMs'>,
  ) {
    this.quick = options.quick;
    this.seedLimitMs = options.seedLimitMs;
    // Microseconds: no second run begins with numbers of the one before.
    this.load = new Load(Date.now() * 1_000);
    this.sql = new Pool({ connectionString: stack.adminDatabaseUrl, max: 4 });
    this.sql.on('error', () => undefined);
    const memory = Object.entries(stack.apps).map(([name, { pid }]) => [name, residentMb(pid ?? 0)] as const);
    this.idleMemoryMb = Object.fromEntries(memory);
  }

  /**
   * Product and raw limit in turn, and a third one to be told beside them; medians over the rounds, and where the
   * product's time goes.
   */
  async alternate(figure: Figure, product: Block, raw: Block, beside?: Block): Promise<Compared> {
    for (const block of [product, raw, beside]) if (block) await this.warmUp(block);
    const besides: number[] = [];
    const pairs: { product: number; raw: number }[] = [];
    let last: Timed | null = null;
    for (let round = 0; round < this.pace.rounds; round++) {
      last = await this.timed(product);
      pairs.push({ product: last[figure], raw: (await this.timed(raw))[figure] });
      if (beside) besides.push((await this.timed(beside))[figure]);
    }
    const measured = { ...this.summary(pairs), cpu: last?.cpu, beside: beside ? median(besides) : null };
    return last && figure === 'costUs' ? { ...measured, note: rateText(last) } : measured;
  }

  /** One block of the product alone: its cost, where nothing is held against it. */
  async cost(product: Block): Promise<Timed> {
    await this.warmUp(product);
    return this.timed(product);
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

  /** The product alone, where the compared figure is known: the median over the rounds. */
  async alone(figure: Exclude<Figure, 'costUs'>, product: Block): Promise<number> {
    await this.warmUp(product);
    const figures: number[] = [];
    for (let round = 0; round < this.pace.rounds; round++) {
      await this.settle();
      figures.push((await product({ durationMs: this.pace.blockMs }))[figure]);
    }
    return median(figures);
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
    return { method, path: fullPath, headers, ...(body && { body: JSON.stringify(body) }) };
  }

  /** Blocks of requests to the gateway. Each block continues the list where the last one ended. */
  gateway(requests: HttpRequest[], callers: number): Block {
    const ports = [this.stack.ports.gateway];
    return async (extent) => this.load.http({ ports, callers, requests, ...extent });
  }

  /** Blocks of one prepared statement per request, through node-postgres with 16 connections. */
  statement(statement: SqlJob['statement'], values: unknown[][], callers: number, stringify = false): Block {
    const connection = { databaseUrl: this.stack.adminDatabaseUrl, connections: RAW_CONNECTIONS };
    return async (extent) => ({
      ...(await this.load.sql({ ...connection, statement, values, callers, stringify, ...extent })),
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

  /** The version that the broker reports. */
  async natsInfo(): Promise<{ version: string } | undefined> {
    const { url, user = '', password = '' } = this.stack.natsOperator;
    const connection = await connectBus({
      name: 'operator',
      natsUrl: url,
      natsUser: user,
      natsPassword: password,
    });
    const { info } = connection;
    await connection.close();
    return info;
  }

  async close(): Promise<void> {
    this.load.stop();
    await this.sql.end();
  }
}

/** Beside a cost: how many per second, and how long the slowest take. */
function rateText({ perSecond, p99Ms }: LoadResult): string {
  return `${figureText(perSecond, '/s')}, p99 ${figureText(p99Ms, 'ms')}`;
}
