import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, Pool, type PoolClient, type QueryResultRow } from 'pg';
import { Counter } from 'prom-client';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { errorFields, log } from '@offizin/runtime/log';
import { tracedPart } from '@offizin/runtime/tracing';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import {
  type Database,
  type DatabaseOptions,
  hasSqlState,
  QUERY_TIMEOUT_MS,
  settingsOnConnect,
  type Sql,
  type Statement,
  statement,
  STATEMENT_TIMEOUT_MS,
  stepOf,
  valuesFor,
} from './database';
import { failed } from './database-failures';
import { ReadCoalescer } from './read-coalescer';

/**
 * Reads from a standby, which repeats the log of the primary (decision 0062).
 *
 * Guarantees: a read sees every change that was committed before it began, as on the primary. The connection that reads
 * is asked first whether it has replayed as far as the primary's log was then. A standby that is unreachable, behind or
 * not one of this database fails no read: the primary answers it.
 */

/** How long a read waits for the standby to come as far as the primary. */
const CATCH_UP_MS = 100;
const LONGEST_PAUSE_MS = 10;
/** After a failure, one read in this time tries the standby again. */
const REST_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** A standby that hangs is found by this question, before it is asked to read. */
const STATE_TIMEOUT_MS = 500;
const QUERY_CANCELED = '57014';
/** Values of the caller, and conflicts with the replay: they say nothing about the next read. */
const THIS_READ_ONLY = /^(22|40)/;

interface Position {
  lsn: string;
  /** Rises with each change of the primary. */
  timeline: number;
  /** Of the files: a standby has its primary's. */
  system: string;
  database: string;
}

/** The flushed end of the log: a change is visible, and acknowledged, only after it is flushed. */
const positionOfPrimary = statement<Position, []>(
  'standby_position',
  `SELECT lsn::text, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int AS timeline,
          (SELECT system_identifier::text FROM pg_control_system()) AS system, current_database()::text AS database
   FROM pg_current_wal_flush_lsn() AS lsn`,
);

interface State {
  state: 'reached' | keyof typeof UNFIT;
  lag_bytes: number;
}

/**
 * A standby of an earlier primary may be further in a log that forked off, which the timeline of its last checkpoint
 * shows. So after a failover a standby is read again from its next checkpoint on.
 */
const STATE = {
  name: 'standby_state',
  text: `SELECT CASE
      WHEN NOT pg_is_in_recovery() THEN 'no standby'
      WHEN current_database() <> $4 OR (SELECT system_identifier::text FROM pg_control_system()) <> $3
        THEN 'another database'
      WHEN (SELECT timeline_id FROM pg_control_checkpoint()) <> $2 THEN 'another timeline'
      WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN 'reached'
      ELSE 'behind' END AS state,
    coalesce(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 0)::float8 AS lag_bytes`,
};

const probe = statement<never, []>('standby_probe', 'SELECT');

interface StandbyOptions extends Pick<DatabaseOptions, 'poolSize' | 'applicationName'> {
  url: string;
}

export class StandbyReads implements Sql {
  private readonly pool: Pool;
  /** Reads that wait at the same time share the question. */
  private readonly positions: ReadCoalescer;
  /** Why the primary answers; null while the standby does. */
  private trouble: string | null = null;
  private triedAgainAtMs = 0;

  constructor(
    private readonly primary: Database,
    { url, poolSize, applicationName }: StandbyOptions,
  ) {
    this.positions = new ReadCoalescer(primary);
    const options = {
      connectionString: url,
      max: poolSize,
      application_name: `${applicationName} reads`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      idleTimeoutMillis: 60_000,
      onConnect: settingsOnConnect({
        statement_timeout: STATEMENT_TIMEOUT_MS,
        default_transaction_read_only: 'on',
      }),
    };
    this.pool = new Pool(options);
    // An idle connection that the server closes must not end the process; the pool opens another.
    this.pool.on('error', () => undefined);
  }

  async rows<Row extends QueryResultRow, Args extends readonly unknown[]>(
    question: Statement<Row, Args>,
    ...args: Args
  ): Promise<Row[]> {
    if (!this.mayTry()) return this.fromPrimary('resting', question, args);
    const startedAtMs = performance.now();
    try {
      const rows = await this.fromStandby(question, args, await this.position());
      standbyReads.inc({ outcome: 'standby' });
      this.note(null);
      return rows;
    } catch (error) {
      // Of the primary, which would not answer the read either.
      if (error instanceof Unreachable) throw error;
      // The primary would not be faster, and the caller no longer waits.
      if (hasSqlState(error, QUERY_CANCELED)) throw failed(error);
      const { outcome, isOver } = judged(error);
      if (!isOver) this.note(outcome, error);
      log.debug({ outcome, ms: Math.round(performance.now() - startedAtMs) }, 'read goes to the primary');
      return this.fromPrimary(outcome, question, args);
    }
  }

  observe(): void {
    observeStandby(() => this.lagBytes());
  }

  /** For /readyz: why lists and reports burden the primary. Asks as a read does. */
  async notice(): Promise<string | null> {
    await this.rows(probe);
    return this.trouble === null ? null : `lists and reports come from the primary: ${this.trouble}`;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private mayTry(): boolean {
    if (this.trouble === null) return true;
    if (performance.now() - this.triedAgainAtMs < REST_MS) return false;
    this.triedAgainAtMs = performance.now();
    return true;
  }

  private note(trouble: ReadOutcome | null, error?: unknown): void {
    const before = this.trouble;
    this.trouble = trouble === null ? null : messageOf(error);
    if (trouble === null && before !== null) log.info('the standby answers reads again');
    if (trouble === null) return;
    this.triedAgainAtMs = performance.now();
    if (before === null) log.warn({ outcome: trouble, ...errorFields(error) }, 'reads go to the primary');
  }

  private async fromPrimary<Row extends QueryResultRow, Args extends readonly unknown[]>(
    outcome: ReadOutcome,
    question: Statement<Row, Args>,
    args: Args,
  ): Promise<Row[]> {
    standbyReads.inc({ outcome });
    return this.primary.rows(question, ...args);
  }

  private async fromStandby<Row extends QueryResultRow, Args extends readonly unknown[]>(
    question: Statement<Row, Args>,
    args: Args,
    position: Position,
  ): Promise<Row[]> {
    const { name, text } = question;
    const values = valuesFor(question, args);
    return tracedPart(stepOf(name), () =>
      this.onConnection(async (client) => {
        const state = await caughtUp(client, position);
        if (state !== 'reached') throw new Unfit(state);
        const query = { name, text, values, query_timeout: QUERY_TIMEOUT_MS };
        return (await client.query<Row>(query)).rows;
      }),
    );
  }

  private async onConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let isBroken = false;
    // A checked-out client has no other error listener: without one, a lost connection would end the process.
    const onError = (): void => void (isBroken = true);
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      isBroken ||= !(error instanceof DatabaseError || error instanceof Unfit);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(isBroken);
    }
  }

  private async position(): Promise<Position> {
    const [position] = await this.positions.rows(positionOfPrimary);
    if (!position) throw new Error('the primary did not say how far its log is');
    return position;
  }

  private async lagBytes(): Promise<number> {
    const position = await this.position();
    return this.onConnection(async (client) => (await stateOf(client, position)).lag_bytes);
  }
}

const UNFIT = {
  behind: 'the standby is behind',
  'no standby': 'DATABASE_READ_URL leads to a server that is not a standby',
  'another database': 'DATABASE_READ_URL leads to a standby of another database',
  'another timeline': 'the standby has had no checkpoint since the primary changed',
};

/** The server answers, but must not be read now. */
class Unfit extends Error {
  constructor(readonly state: keyof typeof UNFIT) {
    super(UNFIT[state]);
  }
}

/** Between the questions no snapshot is held: it could stop the replay. */
async function caughtUp(client: PoolClient, position: Position): Promise<State['state']> {
  const endsAtMs = performance.now() + CATCH_UP_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { state } = await stateOf(client, position);
    if (state !== 'behind' || performance.now() + pauseMs > endsAtMs) return state;
    await delay(pauseMs);
  }
}

async function stateOf(client: PoolClient, { lsn, timeline, system, database }: Position): Promise<State> {
  const values = [lsn, timeline, system, database];
  const query = { ...STATE, values, query_timeout: STATE_TIMEOUT_MS };
  const [row] = (await client.query<State>(query)).rows;
  if (!row) throw new Error('the standby did not say how far it is');
  return row;
}

/** `isOver`: the next read may well succeed. */
function judged(error: unknown): { outcome: ReadOutcome; isOver: boolean } {
  if (error instanceof Unfit)
    return { outcome: error.state === 'behind' ? 'behind' : 'unfit', isOver: false };
  if (!(error instanceof DatabaseError)) return { outcome: 'away', isOver: false };
  return { outcome: 'failed', isOver: THIS_READ_ONLY.test(error.code ?? '') };
}

function messageOf(error: unknown): string {
  // One for each address of a host.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/**
 * `standby`: it answered. All others went to the primary: the standby was `behind`, `away`, `unfit` (not a standby of
 * this database), its statement `failed`, or it is `resting` after one of these.
 */
const READ_OUTCOMES = ['standby', 'behind', 'away', 'unfit', 'failed', 'resting'] as const;
type ReadOutcome = (typeof READ_OUTCOMES)[number];

export const standbyReads = new Counter({
  name: 'offizin_standby_reads_total',
  help: 'Reads that a standby may answer: standby, or why the primary did: behind, away, unfit, failed or resting',
  labelNames: ['outcome'] as const,
});

function observeStandby(lagBytes: () => Promise<number>): void {
  for (const outcome of READ_OUTCOMES) standbyReads.inc({ outcome }, 0);
  sampleGauges('standby', lagBytes, [
    {
      name: 'offizin_standby_lag_bytes',
      help: "Part of the primary's log that the standby has not repeated yet",
      value: (bytes) => bytes,
    },
  ]);
}
