import { actorOf, type Caller } from '@offizin/contracts/caller';
import { type Sql, statement } from '@offizin/pg/database';

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
  entry: { orgId: string; action: string; object: string },
): Promise<void> {
  const { actor, requestId } = auditActorOf(caller);
  await tx.rows(insert, entry.orgId, actor, entry.action, entry.object, requestId);
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
