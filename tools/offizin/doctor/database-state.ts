import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Finding, ok, problem, warning } from './finding';

/** A migration or a vacuum holds such a lock for at most two seconds. */
const LONG_LOCK_MS = 2_500;
/** A finding names at most this many tables or slots. */
const MOST_NAMES = 3;

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/** Of the role in the URL, on every table of its schema. */
export async function rightsFinding(client: Client, of: string, schema: string): Promise<Finding> {
  const { rows } = await client.query<{ name: string; lacking: string }>(
    `SELECT c.relname AS name, string_agg(r.right, ', ') AS lacking
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest($2::text[]) AS r("right")
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, r.right)
     GROUP BY c.relname ORDER BY c.relname`,
    [schema, RIGHTS],
  );
  if (rows.length === 0) return ok(`${of}, rights`, 'on every table');
  const found = `lacks ${namesOf(rows.map(({ name, lacking }) => `${lacking} on ${name}`))}`;
  const advice = `As its administrator: GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO the role in its URL.`;
  return problem(`${of}, rights`, found, advice);
}

/** Tables that a session has locked against writers, at two looks. */
export async function locksFinding(client: Client, of: string, schema: string): Promise<Finding> {
  const seen = await tableLocks(client, schema);
  if (seen.length > 0) await setTimeout(LONG_LOCK_MS);
  const still = seen.length > 0 ? await tableLocks(client, schema) : [];
  const held = still.filter((lock) => seen.includes(lock));
  if (held.length === 0) return ok(`${of}, locks`, 'no table is locked');
  const advice = 'End that session (pg_terminate_backend), or wait for its migration.';
  return problem(`${of}, locks`, `writers wait for ${namesOf(held)}`, advice);
}

async function tableLocks(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ lock: string }>(
    `SELECT DISTINCT c.relname || ', locked by process ' || l.pid AS lock
     FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND n.nspname = $1 AND c.relkind IN ('r', 'p') AND l.pid <> pg_backend_pid()
       AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ lock }) => lock);
}

/** A missing synchronous standby stops every write; an unused replication slot fills the disk. */
export async function replicationFinding(client: Client, of: string): Promise<Finding> {
  const { rows } = await client.query<{ awaited: string; standbys: number; slots: string[] }>(
    `SELECT current_setting('synchronous_standby_names') AS awaited,
            (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
            ARRAY (SELECT slot_name::text FROM pg_replication_slots
                   WHERE NOT active AND wal_status IS DISTINCT FROM 'reserved' ORDER BY 1) AS slots`,
  );
  const { awaited = '', standbys = 0, slots = [] } = rows[0] ?? {};
  const name = `${of}, replication`;
  if (awaited !== '' && standbys === 0)
    return problem(
      name,
      `commits wait for a standby (${awaited}), and none is connected`,
      'Bring the standby back, or empty synchronous_standby_names and reload.',
    );
  if (slots.length > 0)
    return warning(
      name,
      `unused slots keep the log of the server: ${namesOf(slots)}`,
      'Bring their standby back, or drop them (pg_drop_replication_slot) before the disk is full.',
    );
  return ok(name, standbys === 0 ? 'no standby' : `${standbys} standbys connected`);
}

function namesOf(all: readonly string[]): string {
  const rest = all.length - MOST_NAMES;
  const shown = all.slice(0, MOST_NAMES).join('; ');
  return rest > 0 ? `${shown}; and ${rest} more` : shown;
}
