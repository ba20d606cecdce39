import type { AuditRecord } from '@offizin/contracts/audit-record';
import { type Sql, statement } from '@offizin/pg/database';

const enter = statement<never, [string[], string[], string[], string[], string[], string[], string[]]>(
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
    enter,
    all(({ id }) => id),
    all(({ org_id }) => org_id),
    all(({ at }) => at),
    all(({ actor }) => actor),
    all(({ action }) => action),
    all(({ object }) => object),
    all(({ request_id }) => request_id),
  );
}

const unknown = statement<{ id: string }, [string[]]>(
  'audit_unknown_records',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id)
   WHERE NOT EXISTS (SELECT FROM core.audit_log WHERE record_id = asked.id)`,
);

/** Those of the given ids (UUIDs) that are not in the log. */
export async function unknownRecordIds(sql: Sql, ids: readonly string[]): Promise<string[]> {
  return (await sql.rows(unknown, [...ids])).map(({ id }) => id);
}
