import { MAX_SUBSCRIPTIONS } from '@offizin/contracts/webhooks/webhooks';
import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, rowOf, rowsOf } from '@offizin/pg/queries';
import type { SubscriptionRow } from '../db/entities';

/** The public fields of a subscription, and its encrypted secrets. */
export type SubscriptionRecord = SubscriptionSettings &
  Pick<
    SubscriptionRow,
    | 'id'
    | 'disabled_reason'
    | 'disabled_at'
    | 'failing_since'
    | 'previous_secret_until'
    | 'created_at'
    | 'updated_at'
    | 'secret'
  >;

export type SubscriptionSettings = Pick<
  SubscriptionRow,
  'url' | 'event_types' | 'description' | 'is_active' | 'rate_per_second'
>;

export const SHOWN = `id, url, event_types, description, is_active, rate_per_second, disabled_reason, disabled_at,
  failing_since, created_at, updated_at, secret,
  CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_secret_until`;

/** SQL: the organization's own subscriptions. Callbacks belong to partners, and the organization cannot name them. */
function ofOrganization(orgId: string): string {
  return `org_id = ${orgId} AND integration_id IS NULL AND deleted_at IS NULL`;
}

const lockOrganizationSql = statement<never, [string]>(
  'subscription_lock_organization',
  `SELECT pg_advisory_xact_lock(hashtextextended('webhooks.subscriptions:' || $1, 0))`,
);

type NewSubscription = SubscriptionSettings & { orgId: string; id: string; secret: Buffer };

const insertSql = statement<SubscriptionRecord, NewSubscription & { most: number }>(
  'subscription_insert',
  `INSERT INTO webhooks.subscriptions
     (org_id, id, url, event_types, description, is_active, rate_per_second, secret)
   SELECT $orgId, $id, $url, $event_types, $description, $is_active, $rate_per_second, $secret
   WHERE (SELECT count(*) FROM webhooks.subscriptions WHERE ${ofOrganization('$orgId')}) < $most
   RETURNING ${SHOWN}`,
);

/** null if the organization has reached its limit. */
export async function insertSubscription(
  tx: Sql,
  given: NewSubscription,
): Promise<SubscriptionRecord | null> {
  // A separate statement: only a statement that starts after the lock sees the commit of the previous holder.
  await tx.rows(lockOrganizationSql, given.orgId);
  const rows = await tx.rows(insertSql, { ...given, most: MAX_SUBSCRIPTIONS });
  return rows[0] ?? null;
}

export const listSubscriptions = rowsOf<SubscriptionRecord, [orgId: string]>(
  'subscription_list',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${ofOrganization('$1')} ORDER BY id`,
);

export const findSubscription = rowOf<SubscriptionRecord, [orgId: string, id: string]>(
  'subscription_find',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${ofOrganization('$1')} AND id = $2`,
);

/** Locked until the transaction ends. */
export const lockSubscription = rowOf<SubscriptionRecord, [orgId: string, id: string]>(
  'subscription_lock',
  `SELECT ${SHOWN} FROM webhooks.subscriptions WHERE ${ofOrganization('$1')} AND id = $2 FOR UPDATE`,
);

const saveSql = statement<SubscriptionRecord, SubscriptionSettings & { orgId: string; id: string }>(
  'subscription_save',
  // When the owner switches it on, its failure history is cleared.
  `UPDATE webhooks.subscriptions
   SET url = $url, event_types = $event_types, description = $description, is_active = $is_active,
       rate_per_second = $rate_per_second, revision = revision + 1, updated_at = now(),
       disabled_reason = CASE WHEN $is_active THEN NULL ELSE disabled_reason END,
       disabled_at = CASE WHEN $is_active THEN NULL ELSE disabled_at END,
       failing_since = CASE WHEN $is_active AND NOT is_active THEN NULL ELSE failing_since END
   WHERE ${ofOrganization('$orgId')} AND id = $id
   RETURNING ${SHOWN}`,
);

/** The row must be locked. */
export async function saveSubscription(
  tx: Sql,
  orgId: string,
  id: string,
  settings: SubscriptionSettings,
): Promise<SubscriptionRecord | null> {
  return (await tx.rows(saveSql, { ...settings, orgId, id }))[0] ?? null;
}

export const rotateSecret = rowOf<
  SubscriptionRecord,
  [orgId: string, id: string, secret: Buffer, overlapHours: number]
>(
  'subscription_rotate',
  `UPDATE webhooks.subscriptions
   SET previous_secret = secret, previous_secret_until = now() + make_interval(hours => $4), secret = $3,
       revision = revision + 1, updated_at = now()
   WHERE ${ofOrganization('$1')} AND id = $2
   RETURNING ${SHOWN}`,
);

/** The previous secret signs no more. */
export const finishRotation = rowOf<SubscriptionRecord, [orgId: string, id: string]>(
  'subscription_finish_rotation',
  `UPDATE webhooks.subscriptions
   SET previous_secret = NULL, previous_secret_until = NULL, revision = revision + 1, updated_at = now()
   WHERE ${ofOrganization('$1')} AND id = $2
   RETURNING ${SHOWN}`,
);

/** False if the subscription is unknown. */
export const deleteSubscription = isHitOf<[orgId: string, id: string]>(
  'subscription_delete',
  // The row stays until retention has deleted its deliveries; the secrets are deleted immediately.
  `UPDATE webhooks.subscriptions
   SET deleted_at = now(), is_active = false, secret = '', previous_secret = NULL, revision = revision + 1
   WHERE ${ofOrganization('$1')} AND id = $2
   RETURNING id`,
);

const nextSequenceSql = statement<Pick<SubscriptionRow, 'event_sequence'>, [string, string]>(
  'subscription_next_sequence',
  `UPDATE webhooks.subscriptions SET event_sequence = event_sequence + 1
   WHERE ${ofOrganization('$1')} AND id = $2 RETURNING event_sequence`,
);

/** Returns the sequence of the next event about the subscription. */
export async function nextEventSequence(tx: Sql, orgId: string, id: string): Promise<number> {
  const [row] = await tx.rows(nextSequenceSql, orgId, id);
  if (!row) throw new Error('locked subscription is missing');
  return row.event_sequence;
}
