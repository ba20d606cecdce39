import type { Client } from 'pg';
import { eventually } from './eventually';

/** Any number that no other session locks. */
const LOCK = 471_100;
const WAITING = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/**
 * Statements that wait in the database while a spec holds them, so that it can kill their service in the middle of a
 * transaction. `admin` is a superuser's session; the lock is its own.
 */
export class HeldWrites {
  private constructor(private readonly admin: Client) {}

  /** Of the updates of these tables; `when` is a condition of SQL on `new`. */
  static async of(admin: Client, tables: readonly string[], when: string): Promise<HeldWrites> {
    await admin.query(`CREATE FUNCTION public.wait_for_spec() RETURNS trigger LANGUAGE plpgsql AS
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
    return (await this.admin.query(WAITING)).rows.length;
  }

  /** Those that wait never commit; later ones do. Call it when their service is dead. */
  async drop(): Promise<void> {
    const { rows } = await this.admin.query<{ pid: number }>(
      `SELECT w.pid, pg_terminate_backend(w.pid) FROM (${WAITING}) w`,
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
