import { type Sql, statement } from '@offizin/pg/database';
import { rowOf, rowsOf, valueOf, valuesOf } from '@offizin/pg/queries';
import type { AuditCheckpointRow, AuditEntity } from '../db/entities';
import type { AuditSealEntity } from '../db/request-entities';
import type { AuditContent, SealedEntry } from './audit-chain';

/**
 * Positions are bigint and stay text: a forged one may exceed a JavaScript number. ORDER BY must name the column of
 * the table (`a.position`); a bare `position` is the selected text, which sorts 10 before 9.
 */
const CONTENT = `a.org_id::text AS org_id, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') AS at, a.actor,
  a.action, a.object, a.request_id, a.record_id::text AS record_id`;

export type ChainHead = Pick<AuditSealEntity, 'position' | 'hash'>;

/** Held until the transaction ends; false while another replica seals. */
export const tryLockSealing = valueOf<boolean, []>(
  'audit_try_lock',
  `SELECT pg_try_advisory_xact_lock(hashtext('audit log')) AS taken`,
  false,
);
export const chainHead = rowOf<ChainHead, []>(
  'audit_head',
  `SELECT s.position::text AS position, s.hash FROM core.audit_seals s ORDER BY s.position DESC LIMIT 1`,
);
export const sealOfPosition = valueOf<AuditSealEntity['hash'] | null, [position: string]>(
  'audit_seal_at',
  `SELECT hash FROM core.audit_seals WHERE position = $1`,
  null,
);
/** The highest visible position after `after`; null without entries after it. */
export const newestPosition = valueOf<string | null, [after: string]>(
  'audit_newest',
  `SELECT a.position::text AS position FROM core.audit_log a
   WHERE a.position > $1 AND a.position <= (SELECT last_value FROM core.audit_log_position_seq)
   ORDER BY a.position DESC LIMIT 1`,
  null,
);
/**
 * An inserting transaction holds this lock from before it gets a position until its end, when its rows are visible.
 */
const WRITERS = `FROM pg_locks WHERE locktype = 'relation' AND granted AND mode = 'RowExclusiveLock'
     AND relation = 'core.audit_log'::regclass
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Running transactions that may have acquired a position. */
export const openWriters = valuesOf<string, []>(
  'audit_writers',
  `SELECT DISTINCT virtualtransaction AS writer ${WRITERS}`,
);
const stillWriting = statement<{ writer: string }, [readonly string[]]>(
  'audit_still_writing',
  `SELECT virtualtransaction AS writer ${WRITERS} AND virtualtransaction = ANY($1::text[]) LIMIT 1`,
);
export const entriesToSeal = rowsOf<AuditContent, [after: string, upTo: string, limit: number]>(
  'audit_unsealed_entries',
  `SELECT a.position::text AS position, ${CONTENT} FROM core.audit_log a
   WHERE a.position > $1 AND a.position <= $2 ORDER BY a.position LIMIT $3`,
);
const insertSeals = statement<never, [string[], Buffer[]]>(
  'audit_insert_seals',
  `INSERT INTO core.audit_seals (position, hash) SELECT * FROM unnest($1::bigint[], $2::bytea[])`,
);

export async function haveEnded(sql: Sql, transactions: readonly string[]): Promise<boolean> {
  return transactions.length === 0 || (await sql.rows(stillWriting, transactions)).length === 0;
}

export async function insertSealsOf(tx: Sql, seals: readonly ChainHead[]): Promise<void> {
  const positions = seals.map(({ position }) => position);
  await tx.rows(
    insertSeals,
    positions,
    seals.map(({ hash }) => hash),
  );
}

/** Entries and seals of the next `limit` seals after `after`, joined by position. */
const stretch = statement<
  AuditContent & { entry: boolean; seal: AuditSealEntity['hash'] | null },
  [string, number]
>(
  'audit_stretch',
  `WITH seals AS MATERIALIZED (
     SELECT position, hash FROM core.audit_seals WHERE position > $1 ORDER BY position LIMIT $2
   ), entries AS MATERIALIZED (
     SELECT * FROM core.audit_log WHERE position > $1 AND position <= (SELECT max(position) FROM seals)
   )
   SELECT coalesce(s.position, a.position)::text AS position, a.position IS NOT NULL AS entry, s.hash AS seal, ${CONTENT}
   FROM seals s FULL JOIN entries a ON a.position = s.position
   ORDER BY coalesce(s.position, a.position)`,
);
export const unsealedCount = valueOf<number, []>(
  'audit_waiting',
  `SELECT count(*)::int AS count FROM core.audit_log
   WHERE position > coalesce((SELECT max(position) FROM core.audit_seals), -9223372036854775808)`,
  0,
);

export async function sealedStretch(sql: Sql, after: string, limit: number): Promise<SealedEntry[]> {
  const rows = await sql.rows(stretch, after, limit);
  return rows.map(({ position, entry, seal, ...content }) => ({
    position,
    entry: entry ? { position, ...content } : null,
    seal,
  }));
}

/** Position of an entry beyond the sequence, which must be forged; null without such an entry. */
export const forgedPosition = valueOf<AuditEntity['position'] | null, []>(
  'audit_beyond',
  `SELECT a.position::text AS position FROM core.audit_log a
   WHERE a.position > (SELECT last_value FROM core.audit_log_position_seq) ORDER BY a.position LIMIT 1`,
  null,
);

const backlog = statement<{ entries: number; oldest_age_seconds: number | null }, []>(
  'audit_backlog',
  `SELECT count(*)::int AS entries, extract(epoch FROM now() - min(waiting.at))::float8 AS oldest_age_seconds
   FROM (SELECT a.at FROM core.audit_log a
         WHERE a.position > coalesce((SELECT max(s.position) FROM core.audit_seals s), ${-(2n ** 63n)})
         ORDER BY a.position LIMIT 10000) waiting`,
);

/** Number of unsealed entries, counted up to 10,000, and the age of the oldest; null without any. */
export async function sealBacklog(sql: Sql): Promise<{ entries: number; oldest_age_seconds: number | null }> {
  return (await sql.rows(backlog))[0] ?? { entries: 0, oldest_age_seconds: null };
}

/** A position in the chain of seals; everything up to it was verified. */
export interface ChainPlace {
  position: string;
  seal: Buffer;
  /** Entries from the beginning up to this position. */
  checked: number;
}

/** The single row of the installation. Its MAC needs the key of the seals, so only key holders can advance the row. */
export type Checkpoint = ChainPlace & { mac: Buffer };

const CHECKPOINT_ROW = 1;

const checkpoint = statement<Omit<AuditCheckpointRow, 'id'>, []>(
  'audit_checkpoint',
  `SELECT position::text AS position, seal, checked::text AS checked, mac FROM core.audit_checkpoints WHERE id = ${CHECKPOINT_ROW}`,
);
const advanceRow = statement<never, Checkpoint & { from: string }>(
  'audit_checkpoint_advance',
  `INSERT INTO core.audit_checkpoints AS c (id, position, seal, checked, mac) VALUES (${CHECKPOINT_ROW}, $position, $seal, $checked, $mac)
   ON CONFLICT ON CONSTRAINT audit_checkpoints_pkey
   DO UPDATE SET position = excluded.position, seal = excluded.seal, checked = excluded.checked, mac = excluded.mac
   WHERE c.position = $from::bigint`,
);
const rewindRow = statement<never, [string, Buffer, number, Buffer]>(
  'audit_checkpoint_rewind',
  `UPDATE core.audit_checkpoints SET position = $1, seal = $2, checked = $3, mac = $4
   WHERE id = ${CHECKPOINT_ROW} AND position > $1::bigint`,
);

export async function findCheckpoint(sql: Sql): Promise<Checkpoint | null> {
  const [row] = await sql.rows(checkpoint);
  return row ? { ...row, checked: Number(row.checked) } : null;
}

/** Advances only from `from`: another process may have moved the checkpoint back. */
export async function advanceCheckpoint(sql: Sql, to: Checkpoint, from: ChainPlace): Promise<void> {
  await sql.rows(advanceRow, { ...to, from: from.position });
}

export async function rewindCheckpoint(sql: Sql, to: Checkpoint): Promise<void> {
  await sql.rows(rewindRow, to.position, to.seal, to.checked, to.mac);
}
