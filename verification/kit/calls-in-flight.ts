import type { Client } from 'pg';
import { queryAt, withClient } from '@offizin/local-stack/database-client';
import { eventually } from './eventually';
import type { HttpAnswer } from './http';

/**
 * Calls of a test that are under way when their service dies. Some wait for a lock (whileCallsWait), some have keys, are
 * cut off and repeated (CutOffCalls), and some are statements that the database holds (HeldWrites).
 */
interface WaitingCalls {
  adminDatabaseUrl: string;
  /** A statement that locks what all calls need. */
  lock: string;
  /** Statements that must wait before `work` begins: one per replica of the service. */
  statements?: number;
  sends: readonly (() => Promise<HttpAnswer>)[];
}

interface TimedAnswer {
  status: number;
  /** As of performance.now(). */
  endedAtMs: number;
}

/** From the death of a process until the answer of its callers: one second, and one for a busy machine. */
export const ANSWERED_WITHIN_MS = 2_000;

const WAITING_FOR_LOCK = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/**
 * Calls are in flight, waiting for a lock in the database, until `work` has ended; it receives the first answer.
 * Resolves with all answers, in the order of the calls.
 */
export async function whileCallsWait(
  { adminDatabaseUrl, lock, statements = 1, sends }: WaitingCalls,
  work: (first: Promise<unknown>) => Promise<unknown>,
): Promise<TimedAnswer[]> {
  return withClient(adminDatabaseUrl, async (holder) => {
    await holder.query('BEGIN');
    await holder.query(lock);
    const answers: Promise<TimedAnswer>[] = [];
    await eventually('statements to wait', async () => {
      // One after the other: calls of one tick share a message, which goes to one replica.
      const next = sends[answers.length];
      if (next) answers.push(timed(next));
      return !next && (await queryAt(adminDatabaseUrl, WAITING_FOR_LOCK)).length >= statements;
    });
    await work(Promise.race(answers));
    await holder.query('ROLLBACK');
    return Promise.all(answers);
  });
}

/**
 * Kills a process while the calls wait, and ends the lock at the first answer. Resolves with all statuses, and with the
 * time from the kill to the last 504: the outcome is unknown.
 */
export async function killAmong(
  calls: WaitingCalls,
  kill: () => void,
): Promise<{ statuses: number[]; answeredAfterMs: number }> {
  let killedAtMs = 0;
  const answers = await whileCallsWait(calls, (first) => {
    killedAtMs = performance.now();
    kill();
    return first;
  });
  const unknown = answers.filter(({ status }) => status === 504);
  return {
    statuses: [...new Set(answers.map(({ status }) => status))].sort(),
    answeredAfterMs: Math.max(...unknown.map(({ endedAtMs }) => endedAtMs - killedAtMs)),
  };
}

/** A statement that locks the rows with these values. */
export function lockOf(table: string, column: string, values: readonly string[]): string {
  const list = values.map((value) => `'${value}'`).join();
  return `SELECT FROM ${table} WHERE ${column} IN (${list}) FOR UPDATE`;
}

async function timed(send: () => Promise<HttpAnswer>): Promise<TimedAnswer> {
  const { status } = await send();
  return { status, endedAtMs: performance.now() };
}

/** Keyed calls that are in flight when their service is killed; their callers repeat them when it is back. */
export class CutOffCalls {
  private isKilled = false;

  constructor(private readonly sends: readonly (() => Promise<HttpAnswer>)[]) {}

  get count(): number {
    return this.sends.length;
  }

  /** Runs until the service is killed; a call that was answered earlier is sent again. */
  sendAll(): void {
    for (const send of this.sends) void this.sendUntilKilled(send);
  }

  /** Sends nothing more. */
  killing(): void {
    this.isKilled = true;
  }

  private async sendUntilKilled(send: () => Promise<HttpAnswer>): Promise<void> {
    // Its outcome does not matter here: the repeat shows it.
    while (!this.isKilled) await send().catch(() => undefined);
  }
}

/** Any number that no other session locks. */
const LOCK = 471_100;
const HELD = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/**
 * Statements that wait in the database while a spec holds them, so that it can kill their service in the middle of a
 * transaction. `admin` is a superuser's session; the lock is its own.
 */
export class HeldWrites {
  private constructor(private readonly admin: Client) {}

  /** Of the updates of these tables; `when` is a condition of SQL on `new`. */
  static async of(admin: Client, tables: readonly string[], when: string): Promise<HeldWrites> {
    await admin.query(`CREATE OR REPLACE FUNCTION public.wait_for_spec() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NEW; END $$`);
    for (const table of tables)
      await admin.query(`CREATE TRIGGER wait_for_spec BEFORE UPDATE ON ${table} FOR EACH ROW
        WHEN (${when}) EXECUTE FUNCTION public.wait_for_spec()`);
    return new HeldWrites(admin);
  }

  async hold(): Promise<void> {
    await this.admin.query(`SELECT pg_advisory_lock(${LOCK})`);
  }

  /** How many wait. */
  async waiting(): Promise<number> {
    return (await this.admin.query(HELD)).rows.length;
  }

  /** Those that wait never commit; later ones do. Call it when their service is dead. */
  async drop(): Promise<void> {
    const { rows } = await this.admin.query<{ pid: number }>(
      `SELECT w.pid, pg_terminate_backend(w.pid) FROM (${HELD}) w`,
    );
    const running = `SELECT FROM pg_stat_activity WHERE pid = ANY ($1)`;
    const pids = rows.map(({ pid }) => pid);
    await eventually(
      'their sessions to end',
      async () => (await this.admin.query(running, [pids])).rowCount === 0,
    );
    await this.admin.query(`SELECT pg_advisory_unlock(${LOCK})`);
  }
}
