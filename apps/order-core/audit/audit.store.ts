import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { type Sql, statement } from '@offizin/pg/database';
import type { AuditRecord } from '@offizin/contracts/reports/audit-record';

const insert = statement<never, [string | null, string, string, string, string]>(
  'audit_append',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id) VALUES ($1, $2, $3, $4, $5)`,
);

export interface AuditActor {
  actor: string;
  requestId: string;
}

export function auditActorOf(caller: Caller): AuditActor {
  return { actor: actorOf(caller), requestId: caller.requestId };
}

/**
 * Writes one entry in the transaction of the recorded change. `object` is a noun with an id: `order-request:<id>`. The
 * seal follows within seconds (sealer.ts).
 */
export async function appendAudit(
  tx: Sql,
  caller: Caller,
  action: string,
  object: string,
  orgId = caller.orgId,
): Promise<void> {
  const { actor, requestId } = auditActorOf(caller);
  await tx.rows(insert, orgId, actor, action, object, requestId);
}

export interface AuditEntry extends AuditActor {
  orgId: string;
  action: string;
  object: string;
}

type Texts = readonly string[];
const insertTogether = statement<never, [Texts, Texts, Texts, Texts, Texts]>(
  'audit_append_together',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])`,
);

/** In one statement. */
export async function appendAudits(sql: Sql, entries: readonly AuditEntry[]): Promise<void> {
  const column = (name: keyof AuditEntry): Texts => entries.map((entry) => entry[name]);
  await sql.rows(
    insertTogether,
    ...([column('orgId'), column('actor'), column('action')] as const),
    ...([column('object'), column('requestId')] as const),
  );
}

/** SQL: adds `person` to `entry`, a row with the organization and an actor. The name is null when no person acted. */
export function joinPerson(entry: string, actor = 'actor'): string {
  return `LEFT JOIN core.staff person ON person.org_id = ${entry}.org_id AND ${entry}.${actor} = 'staff:' || person.id`;
}

const insertRecords = statement<
  never,
  [string[], string[], string[], string[], string[], string[], string[]]
>(
  'audit_enter_records',
  // Deletes the set-aside copy of a record that this version can read.
  `WITH readable AS (
     DELETE FROM core.set_aside WHERE event_id = ANY ($1::text[]::uuid[])
   )
   INSERT INTO core.audit_log (org_id, at, actor, action, object, request_id, record_id)
   SELECT record.org_id, record.at, record.actor, record.action, record.object, record.request_id, record.id
   FROM unnest($1::text[]::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[])
     WITH ORDINALITY AS record (id, org_id, at, actor, action, object, request_id, place)
   ORDER BY record.place
   ON CONFLICT (record_id) WHERE record_id IS NOT NULL DO NOTHING`,
);

/** Enters the records that are missing from the log, in the given order. */
export async function enterRecords(sql: Sql, records: readonly AuditRecord[]): Promise<void> {
  const all = (read: (record: AuditRecord) => string): string[] => records.map(read);
  await sql.rows(
    insertRecords,
    all(({ id }) => id),
    all(({ org_id }) => org_id),
    all(({ at }) => at),
    all(({ actor }) => actor),
    all(({ action }) => action),
    all(({ object }) => object),
    all(({ request_id }) => request_id),
  );
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
