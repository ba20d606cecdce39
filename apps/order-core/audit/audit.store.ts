import type { Caller } from '@offizin/contracts/caller';
import { type Sql, statement } from '@offizin/pg/database';

const insert = statement<never, [string | null, string, string, string, string]>(
  'audit_append',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id) VALUES ($1, $2, $3, $4, $5)`,
);

/** Writes one entry, in the transaction of what it records. `object` is an id with its noun: `order-request:<id>`. */
export async function appendAudit(
  tx: Sql,
  caller: Caller,
  entry: { orgId: string; action: string; object: string },
): Promise<void> {
  const actor = `${caller.kind}:${caller.actorId}`;
  await tx.rows(insert, entry.orgId, actor, entry.action, entry.object, caller.requestId);
}
