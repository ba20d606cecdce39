import { BACKGROUND_TRANSACTION_MS, type Database, type Sql, statement } from '@offizin/pg/database';
import { type HistoryMonth, missingMonths } from './history-months';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';

const HISTORY = 'core.order_history';

const tryLock = statement<{ taken: boolean }, []>(
  'history_months_lock',
  `SELECT pg_try_advisory_xact_lock(hashtext('${HISTORY}')) AS taken`,
);
/** Callers wait behind a lock that is waited for. */
const limitWait = statement<never, []>('history_months_limit_wait', `SET LOCAL lock_timeout = '1s'`);
const partitions = statement<{ name: string }, []>(
  'history_months_present',
  `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = '${HISTORY}'::regclass`,
);

/**
 * Makes the months that are missing, with what the default partition has of them. In the caller's transaction, which
 * locks that partition until it ends. Resolves with the names; with none while another replica does it.
 */
export async function makeMissingMonths(tx: Sql, now: Date): Promise<string[]> {
  const [lock] = await tx.rows(tryLock);
  if (lock?.taken !== true) return [];
  await tx.rows(limitWait);
  const present = await tx.rows(partitions);
  const missing = missingMonths(
    present.map(({ name }) => name),
    now,
  );
  for (const month of missing) await make(tx, month);
  return missing.map(({ name }) => name);
}

/**
 * ATTACH instead of PARTITION OF, which would lock the whole table. A statement with a plan for any order locks every
 * partition, so it waits for that of the default one until the commit.
 */
async function make(tx: Sql, { name, from, to }: HistoryMonth): Promise<void> {
  const steps = {
    create: `CREATE TABLE core.${name} (LIKE ${HISTORY} INCLUDING ALL)`,
    lock: `LOCK TABLE ${HISTORY}_default IN ACCESS EXCLUSIVE MODE`,
    move: `WITH moved AS (
        DELETE FROM ${HISTORY}_default WHERE order_id >= '${from}' AND order_id < '${to}' RETURNING *
      )
      INSERT INTO core.${name} SELECT * FROM moved`,
    attach: `ALTER TABLE ${HISTORY} ATTACH PARTITION core.${name} FOR VALUES FROM ('${from}') TO ('${to}')`,
  };
  for (const [step, text] of Object.entries(steps))
    await tx.rows(statement<never, []>(`${name}_${step}`, text));
}

const PAUSE_MS = 60_000;

/** Makes partitions of the order history ahead of time; replicas may run it concurrently. */
export function historyMonthMaking(database: Database): PeriodicWork {
  return new PeriodicWork('make months of the order history', PAUSE_MS, () =>
    makeHistoryMonths(database, new Date()),
  );
}

/** Resolves with the names of the partitions that were made. */
export async function makeHistoryMonths(database: Database, now: Date): Promise<string[]> {
  const made = await database.transaction((tx) => makeMissingMonths(tx, now), BACKGROUND_TRANSACTION_MS);
  if (made.length > 0) log.info({ partitions: made }, 'months of the order history made');
  return made;
}
