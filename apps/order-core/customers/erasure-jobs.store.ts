import type { Caller } from '@offizin/contracts/caller';
import type { EraseCustomerResponse } from '@offizin/contracts/customers';
import { type Sql, statement } from '@offizin/pg/database';
import type { ErasedObject } from './erasure-subject';

/** Erasures that were asked for. The row is the job: it holds what to look for, who asked, and how far it came. */

export interface ErasureJob {
  id: string;
  org_id: string;
  /** Null for an erasure by id. */
  email_hash: Buffer | null;
  /** Null for an erasure by id, and where only the hash is known and no order holds the e-mail. */
  email_ciphertext: Buffer | null;
  object_kind: ErasedObject['kind'] | null;
  object_id: string | null;
  actor_kind: Caller['kind'];
  actor_id: string;
  request_id: string;
}

export interface ErasureCounts {
  orders: number;
  orderRequests: number;
  prescriptions: number;
}

const insert = statement<
  { id: string },
  [string, string, Buffer | null, Buffer | null, string | null, string | null, string, string, string]
>(
  'erasure_insert',
  `INSERT INTO core.erasures (id, org_id, email_hash, email_ciphertext, object_kind, object_id, actor_kind, actor_id,
                              request_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING RETURNING id`,
);
const claim = statement<ErasureJob, [string | null]>(
  'erasure_claim',
  `SELECT id, org_id, email_hash, email_ciphertext, object_kind, object_id, actor_kind, actor_id, request_id
   FROM core.erasures
   WHERE finished_at IS NULL AND ($1::uuid IS NULL OR id = $1)
   ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
);
const count = statement<never, [string, number, number, number]>(
  'erasure_count',
  `UPDATE core.erasures SET orders = orders + $2, order_requests = order_requests + $3,
          prescriptions = prescriptions + $4
   WHERE id = $1`,
);
const finish = statement<never, [string]>(
  'erasure_finish',
  `UPDATE core.erasures SET finished_at = now(), email_ciphertext = NULL WHERE id = $1`,
);
const progress = statement<EraseCustomerResponse, [string, string]>(
  'erasure_progress',
  `SELECT id, CASE WHEN finished_at IS NULL THEN 'running' ELSE 'done' END AS status, orders, order_requests,
          prescriptions
   FROM core.erasures WHERE org_id = $1 AND id = $2`,
);

/** False when an erasure of this id is stored already. */
export async function insertErasure(tx: Sql, job: ErasureJob): Promise<boolean> {
  const { id, org_id, email_hash, email_ciphertext, object_kind, object_id } = job;
  const subject = [email_hash, email_ciphertext, object_kind, object_id] as const;
  const actor = [job.actor_kind, job.actor_id, job.request_id] as const;
  return (await tx.rows(insert, id, org_id, ...subject, ...actor)).length === 1;
}

/** The job of this id, or the oldest; null when there is none left or another process is at it. */
export async function claimErasure(tx: Sql, id: string | null): Promise<ErasureJob | null> {
  return (await tx.rows(claim, id))[0] ?? null;
}

export async function countErased(tx: Sql, id: string, counts: ErasureCounts): Promise<void> {
  await tx.rows(count, id, counts.orders, counts.orderRequests, counts.prescriptions);
}

/** With it, the job forgets the e-mail. */
export async function finishErasure(tx: Sql, id: string): Promise<void> {
  await tx.rows(finish, id);
}

export async function erasureProgress(
  sql: Sql,
  orgId: string,
  id: string,
): Promise<EraseCustomerResponse | null> {
  return (await sql.rows(progress, orgId, id))[0] ?? null;
}
