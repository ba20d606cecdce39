import { Client } from 'pg';
import { eventually } from './eventually';
import type { HttpAnswer } from './http';

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

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/**
 * Calls are in flight, waiting for a lock in the database, until `work` has ended; it receives the first answer.
 * Resolves with all answers, in the order of the calls.
 */
export async function whileCallsWait(
  { adminDatabaseUrl, lock, statements = 1, sends }: WaitingCalls,
  work: (first: Promise<unknown>) => Promise<unknown>,
): Promise<TimedAnswer[]> {
  const [holder, observer] = await Promise.all([connected(adminDatabaseUrl), connected(adminDatabaseUrl)]);
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    const answers: Promise<TimedAnswer>[] = [];
    await eventually('statements to wait', async () => {
      // One after the other: calls of one tick share a message, which goes to one replica.
      const next = sends[answers.length];
      if (next) answers.push(timed(next));
      return !next && ((await observer.query(WAITING)).rowCount ?? 0) >= statements;
    });
    await work(Promise.race(answers));
    await holder.query('ROLLBACK');
    return await Promise.all(answers);
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}

/**
 * Kills a process while the calls wait, and ends the lock at the first answer. Resolves with all statuses, and with the time
 * from the kill to the last 504, which says that the outcome is unknown.
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

async function connected(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}
