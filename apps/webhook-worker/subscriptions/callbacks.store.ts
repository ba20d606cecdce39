import { CALLBACK_SOURCES, type CallbackOwner } from '@offizin/contracts/requests/callbacks';
import { type Sql, statement } from '@offizin/pg/database';
import { rowOf, valueOf } from '@offizin/pg/queries';
import { SHOWN, type SubscriptionRecord } from './subscriptions.store';

/** A callback is a subscription of one integration in one shop; the organization's own statements leave it out. */
const OWN = `org_id = $org_id AND integration_id = $integration_id AND shop_id = $shop_id AND deleted_at IS NULL`;

const lockOwnerSql = statement<never, [string, string]>(
  'callback_lock_owner',
  `SELECT pg_advisory_xact_lock(hashtextextended('webhooks.callbacks:' || $1 || $2, 0))`,
);
export const findCallbackOf = rowOf<SubscriptionRecord, CallbackOwner>(
  'callback_find',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${OWN}`,
);
const lockSql = statement<SubscriptionRecord, CallbackOwner>(
  'callback_lock',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${OWN} FOR UPDATE`,
);
const insertSql = statement<
  SubscriptionRecord,
  CallbackOwner & { id: string; url: string; secret: Buffer; eventTypes: readonly string[] }
>(
  'callback_insert',
  `INSERT INTO webhooks.subscriptions (org_id, integration_id, shop_id, id, url, secret, event_types)
   VALUES ($org_id, $integration_id, $shop_id, $id, $url, $secret, $eventTypes::text[])
   RETURNING ${SHOWN}`,
);
const replaceSql = statement<
  SubscriptionRecord,
  CallbackOwner & { url: string; secret: Buffer; overlapHours: number }
>(
  'callback_replace',
  // Both secrets sign for a while, but never for another URL: its owner may be another one.
  `UPDATE webhooks.subscriptions
   SET previous_secret = CASE WHEN url = $url THEN secret END,
       previous_secret_until = CASE WHEN url = $url THEN now() + make_interval(hours => $overlapHours) END,
       url = $url, secret = $secret, is_active = true, disabled_reason = NULL, disabled_at = NULL,
       failing_since = CASE WHEN url = $url AND is_active THEN failing_since END,
       revision = revision + 1, updated_at = now()
   WHERE ${OWN}
   RETURNING ${SHOWN}`,
);
/** The id of the deleted callback; null when the integration has no callback at the shop. */
export const deleteCallbackOf = valueOf<SubscriptionRecord['id'] | null, CallbackOwner>(
  'callback_delete',
  // As subscription_delete.
  `UPDATE webhooks.subscriptions
   SET deleted_at = now(), is_active = false, secret = '', previous_secret = NULL, revision = revision + 1
   WHERE ${OWN}
   RETURNING id`,
  null,
);

/** Locked until the transaction ends, whether there is a callback or not. */
export async function lockCallback(tx: Sql, owner: CallbackOwner): Promise<SubscriptionRecord | null> {
  // A separate statement: only a statement that starts after the lock sees the commit of the previous holder.
  await tx.rows(lockOwnerSql, owner.integration_id, owner.shop_id);
  // The row, too: DELETE and the end of the key lock nothing else.
  return (await tx.rows(lockSql, owner))[0] ?? null;
}

/** The owner must be locked, without a callback. */
export async function insertCallback(
  tx: Sql,
  owner: CallbackOwner,
  { id, url, secret }: { id: string; url: string; secret: Buffer },
): Promise<SubscriptionRecord | null> {
  return (await tx.rows(insertSql, { ...owner, id, url, secret, eventTypes: CALLBACK_SOURCES }))[0] ?? null;
}

/** The owner must be locked, with a callback. */
export async function replaceCallback(
  tx: Sql,
  owner: CallbackOwner,
  change: { url: string; secret: Buffer; overlapHours: number },
): Promise<SubscriptionRecord | null> {
  return (await tx.rows(replaceSql, { ...owner, ...change }))[0] ?? null;
}
