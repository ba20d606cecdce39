import type { Database } from '@offizin/pg/database';
import { vacuumTables } from '@offizin/pg/vacuum';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { setVacuumed, vacuumDue } from './erasure-jobs.store';

/**
 * Removes the dead row versions that erasures leave: PostgreSQL keeps them on disk until a vacuum. One replica vacuums
 * at a time, during the quiet hour. An erasure that has waited for OVERDUE_HOURS is not kept waiting (decision 0035).
 */
const PAUSE_MS = 5_000;
/** Value of ERASURE_VACUUM_HOUR for "at any hour". */
export const ANY_HOUR = 24;
/** Longer than any of our transactions: one that began before the erasure keeps dead rows alive. */
const SETTLED_SECONDS = 120;
const SETTLED_SECONDS_AT_ANY_HOUR = 2;
const OVERDUE_HOURS = 20;
/** Arbitrary, but unique among the advisory locks of the database. */
const LOCK_KEY = 1_763_850;

/** Tables whose rows an erasure changes or deletes. */
const ERASED_TABLES = [
  'core.orders',
  'core.order_words',
  'core.order_history',
  'core.order_notes',
  'core.order_requests',
  'core.order_request_words',
  'core.order_request_versions',
  'core.documents',
  'core.review_marks',
  'core.review_notes',
  'core.prescriptions',
  'core.daily_sum_deltas',
  'core.customer_days',
  'core.erasures',
  'core.idempotency_keys',
];

export class ErasureVacuum {
  readonly work = new PeriodicWork('vacuum after erasures', PAUSE_MS, () => this.vacuumIfDue(new Date()));

  constructor(
    private readonly database: Database,
    private readonly databaseUrl: string,
    /** UTC, 0 to 23; ANY_HOUR vacuums as soon as an erasure is finished. */
    private readonly hour: number,
  ) {}

  /** Returns true when the tables were vacuumed. */
  async vacuumIfDue(now: Date): Promise<boolean> {
    const atAnyHour = this.hour === ANY_HOUR;
    const settledSeconds = atAnyHour ? SETTLED_SECONDS_AT_ANY_HOUR : SETTLED_SECONDS;
    const isQuiet = atAnyHour || now.getUTCHours() === this.hour;
    const finishedBefore = await vacuumDue(this.database, settledSeconds, isQuiet ? 0 : OVERDUE_HOURS);
    if (!finishedBefore) return false;
    if (!(await vacuumTables(this.databaseUrl, ERASED_TABLES, LOCK_KEY))) return false;
    await setVacuumed(this.database, finishedBefore);
    return true;
  }
}
