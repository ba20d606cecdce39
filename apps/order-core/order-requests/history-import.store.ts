import type { ImportedRequest } from '@offizin/contracts/history-import';
import { type Sql, statement } from '@offizin/pg/database';

/** Gives a new request its dates and what was decided then. Each of both is one step of its sequence. */
const place = statement<
  { id: string },
  [string, string, string, string, string | null, string | null, string | null, string | null, string]
>(
  'order_request_import',
  `WITH document AS (
     UPDATE core.documents SET created_at = $3 WHERE org_id = $1 AND order_request_id = $2
   )
   UPDATE core.order_requests SET created_at = $3, updated_at = $4, status = coalesce($5, status),
          sequence = CASE WHEN $5 IS NULL THEN 1 ELSE 2 END, question = $6, reason = $7, order_id = $8,
          decided_by = CASE WHEN $5 IN ('approved', 'rejected') THEN $9 END
   WHERE org_id = $1 AND id = $2
   RETURNING id`,
);

export async function placeInPast(
  tx: Sql,
  orgId: string,
  requestId: string,
  { submitted_at, decision }: Pick<ImportedRequest, 'submitted_at' | 'decision'>,
  by: { orderId: string | null; actorId: string },
): Promise<void> {
  const { status, question, reason, at } = decision ?? {};
  const content = [status ?? null, question ?? null, reason ?? null, by.orderId] as const;
  await tx.rows(place, orgId, requestId, submitted_at, at ?? submitted_at, ...content, by.actorId);
}
