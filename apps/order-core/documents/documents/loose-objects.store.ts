import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, type NotNull, rowOf, valueOf } from '@offizin/pg/queries';
import type { DocumentEntity, LooseObjectEntity } from '../../db/entities';

/**
 * Documents that move between database and document store. Each object has a row in core.loose_objects unless a
 * document names it. A process that dies leaves a row, which becomes due.
 */

/**
 * Longer than a store accepts a signed request (15 minutes). Writes are signed with the time of the lease, so none can
 * arrive after its end, not even of a process that was paused. Source: Amazon S3, RequestTimeTooSkewed.
 */
const UPLOAD_LEASE = `interval '20 minutes'`;
/** A deletion may be repeated by anybody at any time. */
const DELETION_LEASE = `interval '1 minute'`;

/** Of documents `d` and their requests `r`; $1 is the number of days. The first line bounds the index scan. */
const MAY_MOVE = `d.created_at <= now() - make_interval(days => $1)
  AND d.ciphertext IS NOT NULL AND d.order_request_id IS NOT NULL
  AND r.status IN ('approved', 'rejected', 'expired', 'cancelled') AND r.updated_at <= now() - make_interval(days => $1)`;
const FROM_REQUESTS = `FROM core.documents d JOIN core.order_requests r ON r.id = d.order_request_id`;

/** Null document: the object is to be deleted. */
export interface LooseObject extends Pick<LooseObjectEntity, 'name' | 'document_id' | 'attempts'> {
  /** By the clock of the database. Of an upload only. */
  leased_at: Date;
}

/** What a lease returns. */
const LEASED = `name, document_id, attempts, due_at - ${UPLOAD_LEASE} AS leased_at`;

const leaseNew = statement<LooseObject, [number, string]>(
  'loose_object_lease_new',
  `WITH next AS (
     SELECT d.id ${FROM_REQUESTS}
     WHERE ${MAY_MOVE} AND NOT EXISTS (SELECT FROM core.loose_objects o WHERE o.document_id = d.id)
     ORDER BY d.created_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED
   )
   INSERT INTO core.loose_objects (name, document_id, attempts, due_at)
   SELECT $2::uuid, id, 1, now() + ${UPLOAD_LEASE} FROM next ON CONFLICT DO NOTHING
   RETURNING ${LEASED}`,
);
/** Leases an object whose upload was not finished, or that is to be deleted. */
export const leaseObject = rowOf<LooseObject, []>(
  'loose_object_lease',
  `UPDATE core.loose_objects SET attempts = attempts + 1,
          due_at = now() + CASE WHEN document_id IS NULL THEN ${DELETION_LEASE} ELSE ${UPLOAD_LEASE} END
   WHERE name = (SELECT name FROM core.loose_objects WHERE due_at <= now()
                 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING ${LEASED}`,
);
/** Whose the document is; null when it has been erased or has no bytes here. */
export const organizationOfBytes = valueOf<DocumentEntity['org_id'] | null, [documentId: string]>(
  'loose_object_organization',
  `SELECT org_id FROM core.documents WHERE id = $1 AND ciphertext IS NOT NULL`,
  null,
);
/** All or nothing: the document loses its bytes, and its object is no longer loose. */
const nameObject = statement<Pick<LooseObjectEntity, 'name'>, [string, string, number]>(
  'loose_object_named',
  `WITH mine AS (
     SELECT name FROM core.loose_objects WHERE name = $2 AND attempts = $3 FOR UPDATE
   ), moved AS (
     UPDATE core.documents d SET ciphertext = NULL, object_name = mine.name FROM mine
     WHERE d.id = $1 AND d.ciphertext IS NOT NULL RETURNING d.object_name
   )
   DELETE FROM core.loose_objects o USING moved WHERE o.name = moved.object_name RETURNING o.name`,
);
const abandon = statement<never, [string, number]>(
  'loose_object_abandon',
  `UPDATE core.loose_objects SET document_id = NULL, due_at = now() WHERE name = $1 AND attempts = $2`,
);
/** After the object was deleted. */
export const forgetObject = changeOf<[name: string]>(
  'loose_object_forget',
  `DELETE FROM core.loose_objects WHERE name = $1`,
);

/** Leases a new object for the oldest document that may move; null when none may. */
export async function leaseNewObject(sql: Sql, name: string, afterDays: number): Promise<LooseObject | null> {
  return (await sql.rows(leaseNew, afterDays, name))[0] ?? null;
}

/** False when the document was erased meanwhile, or another process has the lease. */
export async function giveToStore(
  sql: Sql,
  documentId: string,
  { name, attempts }: LooseObject,
): Promise<boolean> {
  return (await sql.rows(nameObject, documentId, name, attempts)).length > 0;
}

/** The object is to be deleted, unless another process has the lease. */
export async function abandonObject(sql: Sql, { name, attempts }: LooseObject): Promise<void> {
  await sql.rows(abandon, name, attempts);
}

export type MovedDocument = Pick<DocumentEntity, 'id' | 'org_id'> &
  NotNull<DocumentEntity, 'object_name' | 'size_bytes'>;

const nextMoved = statement<MovedDocument, [string]>(
  'document_next_moved',
  `SELECT id, org_id, object_name, size_bytes FROM core.documents
   WHERE object_name IS NOT NULL AND object_name > $1 AND size_bytes IS NOT NULL ORDER BY object_name LIMIT 1`,
);
const takeBack = statement<Pick<LooseObjectEntity, 'name'>, [string, string, Buffer]>(
  'document_take_back',
  `WITH back AS (
     UPDATE core.documents SET ciphertext = $3, object_name = NULL WHERE id = $1 AND object_name = $2::uuid RETURNING id
   )
   INSERT INTO core.loose_objects (name) SELECT $2::uuid FROM back RETURNING name`,
);
/** True while the document store has, or may have, anything of ours. */
export const needsStore = valueOf<boolean, []>(
  'documents_any_moved',
  `SELECT EXISTS (SELECT FROM core.documents WHERE object_name IS NOT NULL)
       OR EXISTS (SELECT FROM core.loose_objects) AS is_moved`,
  false,
);

const LOWEST_NAME = '00000000-0000-0000-0000-000000000000';

/** The next one after `name`, or the first of all. Replicas that begin anywhere seldom take the same one. */
export async function movedDocumentAfter(sql: Sql, name: string): Promise<MovedDocument | null> {
  const [after] = await sql.rows(nextMoved, name);
  return after ?? (await sql.rows(nextMoved, LOWEST_NAME))[0] ?? null;
}

/** The document has its bytes here again, and its object is to be deleted. */
export async function giveBack(sql: Sql, document: MovedDocument, ciphertext: Buffer): Promise<void> {
  await sql.rows(takeBack, document.id, document.object_name, ciphertext);
}

interface StoreBacklog {
  to_move: number;
  in_store: number;
  deletion_age_seconds: number | null;
}

const backlog = statement<StoreBacklog, [number | null]>(
  'document_store_backlog',
  `SELECT (SELECT count(*)::int FROM (SELECT ${FROM_REQUESTS} WHERE ${MAY_MOVE} LIMIT 1000) d) AS to_move,
          (SELECT count(*)::int FROM (SELECT FROM core.documents WHERE object_name IS NOT NULL LIMIT 100000) d) AS in_store,
          (SELECT extract(epoch FROM now() - min(created_at))::float8 FROM core.loose_objects
           WHERE document_id IS NULL) AS deletion_age_seconds`,
);

/** Null days: no document may move. */
export async function storeBacklog(sql: Sql, afterDays: number | null): Promise<StoreBacklog> {
  const [row] = await sql.rows(backlog, afterDays);
  if (!row) throw new Error('the backlog has no row');
  return row;
}
