import { CALLBACK_EVENT_TYPES, type CallbackOwner } from '@offizin/contracts/requests/callbacks';
import { type Sql, statement } from '@offizin/pg/database';
import { SHOWN, type SubscriptionRecord } from './subscriptions.store';

/** A callback is a subscription of one integration in one shop; the organization's own statements leave it out. */
type Owner = [orgId: string, integrationId: string, shopId: string];

const OWN = `org_id = $1 AND integration_id = $2 AND shop_id = $3 AND deleted_at IS NULL`;

const lockOwnerSql = statement<never, [string, string]>(
  'callback_lock_owner',
  `SELECT pg_advisory_xact_lock(hashtextextended('webhooks.callbacks:' || $1 || $2, 0))`,
);
const findSql = statement<SubscriptionRecord, Owner>(
  'callback_find',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${OWN}`,
);
const lockSql = statement<SubscriptionRecord, Owner>(
  'callback_lock',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${OWN} FOR UPDATE`,
);
const insertSql = statement<SubscriptionRecord, [...Owner, string, string, Buffer, readonly string[]]>(
  'callback_insert',
  `INSERT INTO webhooks.subscriptions (org_id, integration_id, shop_id, id, url, secret, event_types)
   VALUES ($1, $2, $3, $4, $5, $6, $7::text[])
   RETURNING ${SHOWN}`,
);
const replaceSql = statement<SubscriptionRecord, [...Owner, string, Buffer, number]>(
  'callback_replace',
  // Both secrets sign for a while, but never for another URL: its owner may be another one.
  `UPDATE webhooks.subscriptions
   SET previous_secret = CASE WHEN url = $4 THEN secret END,
       previous_secret_until = CASE WHEN url = $4 THEN now() + make_interval(hours => $6) END,
       url = $4, secret = $5, is_active = true, disabled_reason = NULL, disabled_at = NULL,
       failing_since = CASE WHEN url = $4 AND is_active THEN failing_since END,
       revision = revision + 1, updated_at = now()
   WHERE ${OWN}
   RETURNING ${SHOWN}`,
);
const deleteSql = statement<{ id: string }, Owner>(
  'callback_delete',
  // As subscription_delete.
  `UPDATE webhooks.subscriptions
   SET deleted_at = now(), is_active = false, secret = '', previous_secret = NULL, revision = revision + 1
   WHERE ${OWN}
   RETURNING id`,
);

/** Locked until the transaction ends, whether there is a callback or not. */
export async function lockCallback(tx: Sql, owner: CallbackOwner): Promise<SubscriptionRecord | null> {
  // A separate statement: only a statement that starts after the lock sees the commit of the previous holder.
  await tx.rows(lockOwnerSql, owner.integration_id, owner.shop_id);
  // The row, too: DELETE and the end of the key lock nothing else.
  return (await tx.rows(lockSql, ...idsOf(owner)))[0] ?? null;
}

export async function findCallbackOf(sql: Sql, owner: CallbackOwner): Promise<SubscriptionRecord | null> {
  return (await sql.rows(findSql, ...idsOf(owner)))[0] ?? null;
}

/** The owner must be locked, without a callback. */
export async function insertCallback(
  tx: Sql,
  owner: CallbackOwner,
  { id, url, secret }: { id: string; url: string; secret: Buffer },
): Promise<SubscriptionRecord | null> {
  return (await tx.rows(insertSql, ...idsOf(owner), id, url, secret, CALLBACK_EVENT_TYPES))[0] ?? null;
}

/** The owner must be locked, with a callback. */
export async function replaceCallback(
  tx: Sql,
  owner: CallbackOwner,
  { url, secret, overlapHours }: { url: string; secret: Buffer; overlapHours: number },
): Promise<SubscriptionRecord | null> {
  return (await tx.rows(replaceSql, ...idsOf(owner), url, secret, overlapHours))[0] ?? null;
}

/** The id of the deleted callback; null when the integration has no callback at the shop. */
export async function deleteCallbackOf(tx: Sql, owner: CallbackOwner): Promise<string | null> {
  return (await tx.rows(deleteSql, ...idsOf(owner)))[0]?.id ?? null;
}

function idsOf({ org_id, integration_id, shop_id }: CallbackOwner): Owner {
  return [org_id, integration_id, shop_id];
}
