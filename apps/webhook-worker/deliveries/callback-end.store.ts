import { serviceCaller } from '@offizin/contracts/caller';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { type Database, statement } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { newRequestId } from '@offizin/runtime/request-id';
import { SCHEMA } from '../db/schema';

const endSql = statement<{ org_id: string; integration_id: string; shop_id: string }, [string]>(
  'callback_end',
  // As subscription_delete.
  `UPDATE webhooks.subscriptions
   SET deleted_at = now(), is_active = false, secret = '', previous_secret = NULL, revision = revision + 1
   WHERE id = $1 AND integration_id IS NOT NULL AND deleted_at IS NULL
   RETURNING org_id, integration_id, shop_id`,
);

/** Ends the callback of an integration without a live key, once. After true, wake the outbox relay. */
export async function endCallback(database: Database, subscriptionId: string): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [ended] = await tx.rows(endSql, subscriptionId);
    if (!ended) return false;
    const by = serviceCaller('webhook-worker', newRequestId());
    const { org_id: orgId } = ended;
    await appendAuditRecord(tx, SCHEMA, by, { orgId, action: 'callback.end', object: callbackObject(ended) });
    log.info({ subscription_id: subscriptionId, org_id: orgId }, 'callback ended with its key');
    return true;
  });
}

/** A callback in the audit log. */
export function callbackObject({
  integration_id,
  shop_id,
}: {
  integration_id: string;
  shop_id: string;
}): string {
  return `callback:${integration_id}:${shop_id}`;
}
