import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { type Sql, statement } from '@offizin/pg/database';
import { columnsOf, type ColumnsOf } from '@offizin/pg/queries';
import type { AuditRecord } from '@offizin/contracts/reports/audit-record';

const insert = statement<
  never,
  { orgId: string | null; actor: string; action: string; object: string; requestId: string }
>(
  'audit_append',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
   VALUES ($orgId, $actor, $action, $object, $requestId)`,
);

export interface AuditActor {
  actor: string;
  requestId: string;
}

export function auditActorOf(caller: Caller): AuditActor {
  return { actor: actorOf(caller), requestId: caller.requestId };
}

/**
 * Writes one entry, into the log of the caller's organization, in the transaction of the recorded change. `object` is a
 * noun with an id: `order-request:<id>`. The seal follows within seconds (sealer.ts).
 */
export async function appendAudit(tx: Sql, caller: Caller, action: string, object: string): Promise<void> {
  await tx.rows(insert, { ...auditActorOf(caller), orgId: caller.orgId, action, object });
}

export interface AuditEntry extends AuditActor {
  orgId: string;
  action: string;
  object: string;
}

const insertTogether = statement<never, ColumnsOf<AuditEntry>>(
  'audit_append_together',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
   SELECT * FROM unnest($orgId::uuid[], $actor::text[], $action::text[], $object::text[], $requestId::text[])`,
);

/** In one statement. */
export async function appendAudits(sql: Sql, entries: readonly AuditEntry[]): Promise<void> {
  await sql.rows(insertTogether, columnsOf(entries, 'orgId', 'actor', 'action', 'object', 'requestId'));
}

/** SQL: adds `person` to `entry`, a row with the organization and an actor. The name is null when no person acted. */
export function joinPerson(entry: string, actor = 'actor'): string {
  return `LEFT JOIN core.staff person ON person.org_id = ${entry}.org_id AND ${entry}.${actor} = 'staff:' || person.id`;
}

const insertRecords = statement<never, ColumnsOf<AuditRecord>>(
  'audit_enter_records',
  // Deletes the set-aside copy of a record that this version can read.
  `WITH readable AS (
     DELETE FROM core.set_aside WHERE event_id = ANY ($id::text[]::uuid[])
   )
   INSERT INTO core.audit_log (org_id, at, actor, action, object, request_id, record_id)
   SELECT record.org_id, record.at, record.actor, record.action, record.object, record.request_id, record.id
   FROM unnest($id::text[]::uuid[], $org_id::uuid[], $at::timestamptz[], $actor::text[], $action::text[],
               $object::text[], $request_id::text[])
     WITH ORDINALITY AS record (id, org_id, at, actor, action, object, request_id, place)
   ORDER BY record.place
   ON CONFLICT (record_id) WHERE record_id IS NOT NULL DO NOTHING`,
);

/** Enters the records that are missing from the log, in the given order. */
export async function enterRecords(sql: Sql, records: readonly AuditRecord[]): Promise<void> {
  const columns = columnsOf(records, 'id', 'org_id', 'at', 'actor', 'action', 'object', 'request_id');
  await sql.rows(insertRecords, columns);
}

const unknownRecords = statement<{ id: string }, [string[]]>(
  'audit_unknown_records',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id)
   WHERE NOT EXISTS (SELECT FROM core.audit_log WHERE record_id = asked.id)`,
);

/** Those of the given ids (UUIDs) that are not in the log. */
export async function unknownRecordIds(sql: Sql, ids: readonly string[]): Promise<string[]> {
  return (await sql.rows(unknownRecords, [...ids])).map(({ id }) => id);
}
