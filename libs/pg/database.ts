import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClientBase,
  DatabaseError,
  escapeIdentifier,
  escapeLiteral,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResultRow,
} from 'pg';
import { DataSource, type MixedList } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { errorFields, log } from '@offizin/runtime/log';
import { afterPause, wasPaused } from '@offizin/runtime/pause-detector';
import { type SpanStart, tracedPart } from '@offizin/runtime/tracing';
import { readColumnBytes, type TakePiece } from './column-bytes';
import { noteDatabaseTime } from './database-clock';
import { convertDriverError, failed, observePool } from './database-failures';
import { refuseTransactionPooling } from './transaction-pooling';

/**
 * PostgreSQL of one service. Statements use TypeORM's pool directly and are named, so each connection prepares them
 * once.
 */

/** For connections whose packets are dropped; includes the wait for a connection. Source: guarantees.md G11. */
export const QUERY_TIMEOUT_MS = 4_300;
/** Lower, so that a slow statement fails on the server and its connection can be used again. */
export const STATEMENT_TIMEOUT_MS = QUERY_TIMEOUT_MS - 500;
const CONNECT_TIMEOUT_MS = 3_000;
/** Shorter waits for a connection are not deducted from the statement's timeout. */
const NO_WAIT_MS = 100;
/** For background work; each statement still has QUERY_TIMEOUT_MS. */
export const BACKGROUND_TRANSACTION_MS = 60_000;

/** SQL text that can be pasted into psql. `name` is unique in the service. */
export interface Statement<Row extends QueryResultRow, Args extends readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** Of named parameters, `$1` first; null: they are positional. */
  readonly paramNames: readonly string[] | null;
  readonly shape?: (row: Row, args: Args) => void;
}

/** A tuple of at most four, or an object: the text names its keys, `$orgId`. */
export type Params = readonly unknown[] | object;

/** What a call passes: the values of a tuple, or one object. */
export type ArgsOf<P extends Params> = P extends readonly unknown[] ? P : [named: P];

/** All statements that this process has made, by their texts: a spec asks PostgreSQL for their types. */
export const madeStatements = new Map<string, Pick<Statement<never, never>, 'name' | 'paramNames'>>();

export function statement<Row extends QueryResultRow, P extends Params>(
  name: string,
  sql: string,
): Statement<Row, ArgsOf<P>> {
  const { text, paramNames } = numbered(sql);
  madeStatements.set(text, { name, paramNames });
  return { name, text, paramNames };
}

/** The text of a statement that is a file beside the code; psql takes it after `PREPARE name AS`. */
export function sqlFile(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

const PARAM_NAME = /\$([a-z]\w*)/gi;

/** Names get numbers in the order in which they first appear. */
function numbered(sql: string): Pick<Statement<never, never>, 'text' | 'paramNames'> {
  const names = [...new Set(Array.from(sql.matchAll(PARAM_NAME), ([, name = '']) => name))];
  if (names.length === 0) return { text: sql, paramNames: null };
  if (/\$\d/.test(sql)) throw new Error(`a statement has parameters by name and by number: ${sql}`);
  return {
    text: sql.replace(PARAM_NAME, (_, name: string) => `$${names.indexOf(name) + 1}`),
    paramNames: names,
  };
}

/** The values of `$1`, `$2` and so on. */
export function valuesFor(
  { name: statementName, paramNames }: Statement<never, never>,
  args: readonly unknown[],
): unknown[] {
  if (paramNames === null) return [...args];
  const [named] = args as readonly [Readonly<Record<string, unknown>>];
  return paramNames.map((name) => {
    const value = named[name];
    // The driver would send null.
    if (value === undefined) throw new Error(`${statementName}: $${name} has no value`);
    return value;
  });
}

/** The pool, or a transaction on one connection. */
export interface Sql {
  rows<Row extends QueryResultRow, Args extends readonly unknown[]>(
    statement: Statement<Row, Args>,
    ...args: Args
  ): Promise<Row[]>;
}

export interface DatabaseOptions {
  databaseUrl: string;
  poolSize: number;
  /** Also holds the table of migrations. */
  schema: string;
  entities: MixedList<new () => object>;
  migrations: MixedList<new () => object>;
  applicationName: string;
  /** Of each connection, besides the time-outs. */
  settings?: ConnectionSettings;
}

export class Database implements Sql {
  /** For lists and reports: a standby's (standby-reads.ts) where there is one. Sees what this database sees. */
  reads: Sql = this;

  private constructor(
    readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {}

  static async connect(options: DatabaseOptions): Promise<Database> {
    const dataSource = await new DataSource({
      type: 'postgres',
      url: options.databaseUrl,
      schema: options.schema,
      entities: options.entities,
      migrations: options.migrations,
      migrationsTableName: 'migrations',
      applicationName: options.applicationName,
      poolSize: options.poolSize,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      extra: {
        query_timeout: QUERY_TIMEOUT_MS,
        keepAlive: true,
        onConnect: settingsOnConnect({
          statement_timeout: STATEMENT_TIMEOUT_MS,
          idle_in_transaction_session_timeout: 2 * QUERY_TIMEOUT_MS,
          ...options.settings,
        }),
        idleTimeoutMillis: 60_000,
      },
      // An idle connection that the server closes must not end the process; the pool opens another.
      poolErrorHandler: (error: unknown) => log.warn(errorFields(error), 'database connection lost'),
    }).initialize();
    const { driver } = dataSource;
    if (!(driver instanceof PostgresDriver) || !(driver.master instanceof Pool)) {
      throw new Error('The data source has no pool of node-postgres.');
    }
    await refuseTransactionPooling(driver.master);
    const database = new Database(dataSource, driver.master);
    await database.ping();
    return database;
  }

  async rows<Row extends QueryResultRow, Args extends readonly unknown[]>(
    statement: Statement<Row, Args>,
    ...args: Args
  ): Promise<Row[]> {
    const { name, text } = statement;
    const values = valuesFor(statement, args);
    return tracedPart(stepOf(name), () => this.runOnce<Row>({ name, text, values }));
  }

  /** Passes the bytea column of the single row to `take`. False if there is no row or its value is null. */
  async bytes<Args extends readonly string[]>(
    { name, text }: Statement<never, Args>,
    params: Args,
    take: TakePiece,
  ): Promise<boolean> {
    return tracedPart(stepOf(name), () =>
      this.onConnection((client, timeoutMs) => readColumnBytes(client, { text, params, timeoutMs }, take)),
    );
  }

  private async runOnce<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]> {
    return this.onConnection(async (client, query_timeout) => {
      const query = { ...statement, query_timeout };
      return (await client.query<Row>(query)).rows;
    });
  }

  private async onConnection<T>(work: (client: PoolClient, timeoutMs: number) => Promise<T>): Promise<T> {
    const { client, query_timeout } = await this.connection();
    let broken = false;
    // A checked-out client has no other error listener: without one, a lost connection would end the process.
    const onError = (): void => void (broken = true);
    client.on('error', onError);
    try {
      return await work(client, query_timeout);
    } catch (error) {
      broken ||= !(error instanceof DatabaseError);
      throw failed(error);
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /** Throws if the process was paused: the caller has already been answered with a timeout. */
  private async connection(): Promise<{ client: PoolClient; query_timeout: number }> {
    if (wasPaused()) throw await afterPause();
    const startedAt = performance.now();
    const client = await this.pool.connect().catch((error: unknown) => {
      throw failed(error);
    });
    if (wasPaused()) {
      client.release();
      throw await afterPause();
    }
    const waitedMs = performance.now() - startedAt;
    const left = waitedMs > NO_WAIT_MS ? QUERY_TIMEOUT_MS - waitedMs : QUERY_TIMEOUT_MS;
    return { client, query_timeout: Math.max(NO_WAIT_MS, Math.round(left)) };
  }

  /**
   * READ COMMITTED; rolls back if `work` throws. A failed connection is discarded: a ROLLBACK on it would wait for a
   * second timeout. `timeoutMs` includes the wait for a connection and COMMIT. Throws `Unreachable` after it.
   */
  async transaction<T>(work: (tx: Sql) => Promise<T>, timeoutMs = QUERY_TIMEOUT_MS): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    const { client } = await this.connection();
    const tx = new Transaction(client, deadline);
    // See onConnection.
    const onError = (error: Error): void => {
      tx.broken = true;
      log.warn(errorFields(error), 'database connection lost');
    };
    client.on('error', onError);
    try {
      await tx.run('BEGIN');
      const result = await work(tx);
      await tx.run('COMMIT');
      return result;
    } catch (error) {
      if (!tx.broken) await tx.run('ROLLBACK').catch(() => (tx.broken = true));
      throw convertDriverError(error);
    } finally {
      client.off('error', onError);
      client.release(tx.broken);
    }
  }

  observe(): void {
    observePool(this.pool);
  }

  /** For readiness. Measures the database's clock (database-clock.ts). */
  async ping(): Promise<void> {
    const queriedAtMs = performance.now();
    const { rows } = await this.pool.query<{ now_ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms',
    );
    for (const { now_ms: nowMs } of rows) noteDatabaseTime(nowMs, performance.now() - queriedAtMs);
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}

class Transaction implements Sql {
  broken = false;

  constructor(
    private readonly client: PoolClient,
    private readonly deadline: number,
  ) {}

  async rows<Row extends QueryResultRow, Args extends readonly unknown[]>(
    statement: Statement<Row, Args>,
    ...args: Args
  ): Promise<Row[]> {
    const { name, text } = statement;
    const values = valuesFor(statement, args);
    return this.watched(name, async (query_timeout) => {
      const query = { name, text, values, query_timeout };
      return (await this.client.query<Row>(query)).rows;
    });
  }

  async run(text: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): Promise<void> {
    await this.watched(text, (query_timeout) => {
      const query = { text, query_timeout };
      return this.client.query(query);
    });
  }

  private async watched<T>(name: string, query: (timeoutMs: number) => Promise<T>): Promise<T> {
    return tracedPart(stepOf(name), async () => {
      try {
        return await query(this.leftMs());
      } catch (error) {
        if (!(error instanceof DatabaseError)) this.broken = true;
        throw failed(error);
      }
    });
  }

  /** Timeout for the next statement. Throws when the deadline has passed; the connection is then discarded. */
  private leftMs(): number {
    const leftMs = Math.ceil(this.deadline - performance.now());
    if (leftMs <= 0) throw new Error('transaction timeout exceeded');
    return Math.min(leftMs, QUERY_TIMEOUT_MS);
  }
}

/** Without text and values. */
export function stepOf(name: string): Pick<SpanStart, 'name' | 'kind' | 'attributes'> {
  return {
    name: `SQL ${name}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': name },
  };
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('constraint' in error))
    return false;
  return error.code === '23505' && error.constraint === constraint;
}

/** A number did not fit the type it was cast to. */
export function isOutOfRange(error: unknown): boolean {
  return hasSqlState(error, '22003');
}

/** Codes: PostgreSQL, appendix A. */
export function hasSqlState(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/** SQLSTATE classes that do not depend on the statement: connection, resources, object state, operator, system. */
const NOT_THE_STATEMENT = /^(08|53|55|57|58)/;

/** The server refused the statement because of its text or values; nothing was stored. */
export function isRefusedStatement(error: unknown): boolean {
  return error instanceof DatabaseError && !NOT_THE_STATEMENT.test(error.code ?? '');
}

/** Settings of PostgreSQL by their names; times in ms. */
type ConnectionSettings = Readonly<Record<string, string | number>>;

/**
 * `onConnect` of a pool: each new connection gets the settings before anything else. They are a statement, because
 * PgBouncer refuses settings in the start packet, or drops them silently.
 */
export function settingsOnConnect(settings: ConnectionSettings): (client: ClientBase) => Promise<unknown> {
  const text = Object.entries(settings)
    .map(([name, value]) => `SET ${escapeIdentifier(name)} = ${escapeLiteral(String(value))}`)
    .join('; ');
  return (client) => client.query(text);
}
