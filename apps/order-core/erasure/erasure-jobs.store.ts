import type { EraseCustomerResponse } from '@offizin/contracts/people/customers';
import type { ErasureLedgerEntry } from '@offizin/contracts/people/erasure-ledger';
import { QUERY_TIMEOUT_MS, type Sql, statement } from '@offizin/pg/database';
import { changeOf, isHitOf, rowOf, valueOf, valuesOf } from '@offizin/pg/queries';
import type { ErasureEntity } from '../db/request-entities';
import { folded } from '@offizin/pg/list-page';
import { QUICK_CALL_MS } from '../callers/overtaken.store';
import { emailHash } from '../crypto/encryption';

/** Requested erasures. The row is the job: its subject, its caller and its progress. */

export type ErasureJob = Pick<
  ErasureEntity,
  | 'id'
  | 'org_id'
  | 'email_hash'
  | 'email_ciphertext'
  | 'object_kind'
  | 'object_id'
  | 'actor_kind'
  | 'actor_id'
  | 'request_id'
>;

export interface ErasureCounts {
  orders: number;
  orderRequests: number;
  prescriptions: number;
}

/** Returns false when an erasure with this id exists. */
export const insertErasure = isHitOf<ErasureJob>(
  'erasure_insert',
  `INSERT INTO core.erasures (id, org_id, email_hash, email_ciphertext, object_kind, object_id, actor_kind, actor_id,
                              request_id)
   VALUES ($id, $org_id, $email_hash, $email_ciphertext, $object_kind, $object_id, $actor_kind, $actor_id, $request_id)
   ON CONFLICT (id) DO NOTHING RETURNING id`,
);
/** The oldest first. */
export const unfinishedErasures = valuesOf<ErasureEntity['id'], []>(
  'erasures_unfinished',
  `SELECT id FROM core.erasures WHERE finished_at IS NULL ORDER BY created_at LIMIT 1000`,
);
/** Null when it is finished or another process holds it. */
export const lockErasure = rowOf<ErasureJob, [id: string]>(
  'erasure_lock',
  `SELECT id, org_id, email_hash, email_ciphertext, object_kind, object_id, actor_kind, actor_id, request_id
   FROM core.erasures
   WHERE finished_at IS NULL AND id = $1 FOR UPDATE SKIP LOCKED`,
);
const count = statement<Pick<ErasureEntity, 'events'>, ErasureCounts & { id: string; newEvents: number }>(
  'erasure_count',
  `UPDATE core.erasures SET orders = orders + $orders, order_requests = order_requests + $orderRequests,
          prescriptions = prescriptions + $prescriptions, events = events + $newEvents
   WHERE id = $id RETURNING events`,
);
/**
 * A quick call that was under way when the erasure was asked for has begun its write by then, and a slower one asks before
 * its write (overtaken.store.ts). Half as long again, because a write may wait for a connection after the question.
 */
const UNDER_WAY = `e.created_at + interval '${1.5 * QUICK_CALL_MS} milliseconds'`;
/** A transaction of a call that has written nothing yet ends by then. Others that only read may take longer. */
const READ = `interval '${QUERY_TIMEOUT_MS} milliseconds'`;
/**
 * Whether a look that begins now sees all that was written until then. Sessions of either login count (deploy/postgres/roles.sql);
 * one whose state cannot be seen may be a write.
 */
export const isSettled = valueOf<boolean, [id: string]>(
  'erasure_is_settled',
  `SELECT now() > ${UNDER_WAY} AND NOT EXISTS (
     SELECT FROM pg_stat_activity a
     WHERE a.datname = current_database() AND a.usename IN (current_user, current_user || '_2') AND a.pid <> pg_backend_pid()
       AND (a.state IS NULL OR (a.xact_start < ${UNDER_WAY}
         AND (a.backend_xid IS NOT NULL OR a.xact_start > now() - ${READ})))) AS is_settled
   FROM core.erasures e WHERE e.id = $1`,
  false,
);
/** Also deletes the e-mail from the job. */
export const finishErasure = changeOf<[id: string]>(
  'erasure_finish',
  `UPDATE core.erasures SET finished_at = now(), email_ciphertext = NULL WHERE id = $1`,
);
export const erasureProgress = rowOf<EraseCustomerResponse, [orgId: string, id: string]>(
  'erasure_progress',
  `SELECT id, CASE WHEN finished_at IS NULL THEN 'running' ELSE 'done' END AS status, orders, order_requests,
          prescriptions
   FROM core.erasures WHERE org_id = $1 AND id = $2`,
);

/** Returns the number of events that the erasure then has. */
export async function countErased(
  tx: Sql,
  id: string,
  counts: ErasureCounts,
  newEvents: number,
): Promise<number> {
  return (await tx.rows(count, { ...counts, id, newEvents }))[0]?.events ?? 0;
}

const unknown = statement<{ id: string }, [string[], string[]]>(
  'erasure_unknown',
  `SELECT e.id FROM unnest($1::uuid[], $2::uuid[]) AS e (id, org_id) JOIN core.organizations g ON g.id = e.org_id
   WHERE NOT EXISTS (SELECT FROM core.erasures k WHERE k.id = e.id)`,
);
export const isAnyUnfinished = valueOf<boolean, [ids: string[]]>(
  'erasure_unfinished',
  `SELECT EXISTS (SELECT FROM core.erasures WHERE finished_at IS NULL AND id = ANY($1::uuid[])) AS is_any`,
  false,
);
/**
 * Returns the time before which finished erasures need a vacuum; null when none has waited for `waitedHours`. Uses
 * the database's clock: a vacuum that starts now covers every erasure that finished before.
 */
export const vacuumDue = valueOf<Date | null, [settledSeconds: number, waitedHours: number]>(
  'erasure_vacuum_due',
  `SELECT now() - $1 * interval '1 second' AS finished_before FROM core.erasures
   WHERE vacuumed_at IS NULL AND finished_at < now() - greatest($1 * interval '1 second', $2 * interval '1 hour')
   LIMIT 1`,
  null,
);
export const setVacuumed = changeOf<[finishedBefore: Date]>(
  'erasure_vacuumed',
  `UPDATE core.erasures SET vacuumed_at = now() WHERE vacuumed_at IS NULL AND finished_at < $1`,
);

/** Ids of erasures that this database does not know, limited to organizations that it knows. */
export async function unknownErasures(sql: Sql, entries: readonly ErasureLedgerEntry[]): Promise<string[]> {
  const [ids, orgIds] = [entries.map(({ id }) => id), entries.map(({ org_id }) => org_id)];
  return (await sql.rows(unknown, ids, orgIds)).map(({ id }) => id);
}

/**
 * Finds the e-mails behind keyed hashes: a finished erasure holds only the hash, but orders hold e-mails in plain
 * text. Walks the distinct e-mails of the organization's orders and of all history, in steps along their indexes.
 */
const STEP_ROWS = 2_000;

const emailsOfOrders = statement<{ email: string }, [string, string, number]>(
  'erasure_order_emails',
  `SELECT DISTINCT ${folded('customer_email')} AS email FROM core.orders
   WHERE org_id = $1 AND customer_email IS NOT NULL AND ${folded('customer_email')} > $2
   ORDER BY email LIMIT $3`,
);
const EMAIL_IN_HISTORY = folded("(h.fields ->> 'customer_email')");
/** In the order of the index, which does not contain the organization. */
const emailsOfHistory = statement<{ email: string; is_own: boolean }, [string, string, number]>(
  'erasure_history_emails',
  `SELECT email, bool_or(org_id = $1) AS is_own FROM (
     SELECT ${EMAIL_IN_HISTORY} AS email, o.org_id FROM core.order_history h JOIN core.orders o ON o.id = h.order_id
     WHERE h.fields ->> 'customer_email' IS NOT NULL AND ${EMAIL_IN_HISTORY} > $2
   ) AS found GROUP BY email ORDER BY email LIMIT $3`,
);

/** E-mails by hash in hexadecimal; hashes without a match are missing. */
export async function emailsByHash(
  sql: Sql,
  orgId: string,
  key: Buffer,
  hashes: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (hashes.size === 0) return found;
  const note = (email: string): void => {
    const hash = emailHash(key, email).toString('hex');
    if (hashes.has(hash)) found.set(hash, email);
  };
  await walk(async (after) => {
    const rows = await sql.rows(emailsOfOrders, orgId, after, STEP_ROWS);
    for (const { email } of rows) note(email);
    return rows.at(-1)?.email;
  });
  await walk(async (after) => {
    const rows = await sql.rows(emailsOfHistory, orgId, after, STEP_ROWS);
    for (const { email, is_own } of rows) if (is_own) note(email);
    return rows.at(-1)?.email;
  });
  return found;
}

/** Each step starts after the last text of the previous step; the walk ends when a step finds nothing. */
async function walk(step: (after: string) => Promise<string | undefined>): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) after = await step(after);
}
