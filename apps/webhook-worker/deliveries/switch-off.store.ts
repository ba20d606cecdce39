import { serviceCaller } from '@offizin/contracts/calls/caller';
import { DISABLED_REASONS, type DisabledReason } from '@offizin/contracts/webhooks/webhooks';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { type Database, type Sql, statement } from '@offizin/pg/database';
import type { NotNull } from '@offizin/pg/queries';
import { appendEvent } from '@offizin/events/outbox';
import { log } from '@offizin/runtime/log';
import { newRequestId } from '@offizin/runtime/request-id';
import type { DeliveryRow, SubscriptionRow } from '../db/entities';
import { SCHEMA } from '../db/schema';

/** See docs/contract.md#events-and-webhooks */
export const ONLY_FAILURES_DAYS = 5;

/** Rows cancelled per statement, so that no statement reaches its time limit. */
const CANCEL_ROWS = 5_000;

const switchOffSql = statement<
  Pick<SubscriptionRow, 'org_id' | 'event_sequence' | 'integration_id' | 'shop_id'>,
  [string, DisabledReason, DisabledReason, number]
>(
  'subscription_switch_off',
  `UPDATE webhooks.subscriptions s
   SET is_active = false, disabled_reason = $2, disabled_at = now(), updated_at = now(),
       event_sequence = s.event_sequence + 1
   WHERE s.id = $1 AND s.is_active
     AND ($2 <> $3 OR (
       s.failing_since < now() - make_interval(days => $4)
       AND NOT EXISTS (
         SELECT FROM webhooks.deliveries d
         WHERE d.subscription_id = s.id AND d.status = 'succeeded' AND d.last_attempt_at > s.failing_since)))
   RETURNING s.org_id, s.event_sequence, s.integration_id, s.shop_id`,
);

/**
 * Switches a subscription off, once, and appends the event about it for the owner's other subscriptions. A callback's
 * owner is a partner, who reads why (callback.get-external). False if it was already off, or if not all attempts
 * failed. After true, wake the outbox relay and cancel pending deliveries.
 */
export async function switchOff(
  database: Database,
  subscriptionId: string,
  reason: DisabledReason,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [row] = await tx.rows(switchOffSql, subscriptionId, reason, 'only_failures', ONLY_FAILURES_DAYS);
    if (!row) return false;
    const { integration_id, shop_id } = row;
    const callback = integration_id !== null && shop_id !== null ? { integration_id, shop_id } : null;
    if (!callback)
      await appendEvent(tx, SCHEMA, {
        orgId: row.org_id,
        eventType: 'webhook_subscription_disabled',
        aggregateId: subscriptionId,
        sequence: row.event_sequence,
        topic: 'plain',
        title: 'Webhook switched off',
        description: `A webhook subscription was switched off: ${DISABLED_REASONS[reason]}.`,
        metadata: { webhook_id: subscriptionId, reason },
      });
    const by = serviceCaller('webhook-worker', newRequestId());
    const audited = callback
      ? { action: 'callback.switch-off', object: callbackObject(callback) }
      : { action: 'webhook.switch-off', object: `webhook:${subscriptionId}` };
    await appendAuditRecord(tx, SCHEMA, by, { orgId: row.org_id, ...audited });
    log.warn({ subscription_id: subscriptionId, org_id: row.org_id, reason }, 'subscription switched off');
    return true;
  });
}

const cancelSql = statement<Pick<DeliveryRow, 'id'>, [string, number]>(
  'subscription_cancel_pending',
  // Waits for no lock: a worker that writes results locks rows of many subscriptions, in another order. A delivery in
  // flight finishes; if it fails, it is cancelled then.
  `UPDATE webhooks.deliveries SET status = 'cancelled', queue = NULL, lease_token = NULL, lease_until = NULL
   WHERE id IN (
     SELECT d.id FROM webhooks.deliveries d
     WHERE d.subscription_id = $1 AND d.status = 'pending' AND (d.lease_until IS NULL OR d.lease_until <= now())
     LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);

/** Cancels pending deliveries; an inactive subscription gets no leases meanwhile. */
export async function cancelPending(sql: Sql, subscriptionId: string): Promise<void> {
  let cancelled: number;
  do {
    cancelled = (await sql.rows(cancelSql, subscriptionId, CANCEL_ROWS)).length;
  } while (cancelled === CANCEL_ROWS);
}

const inactiveSql = statement<Pick<SubscriptionRow, 'id'>, []>(
  'subscription_inactive_with_pending',
  `SELECT s.id FROM webhooks.subscriptions s
   WHERE NOT s.is_active
     AND EXISTS (SELECT FROM webhooks.deliveries d WHERE d.subscription_id = s.id AND d.status = 'pending')`,
);

/** Cancels deliveries left pending by an interrupted switch-off, or by an event that arrived concurrently. */
export async function cancelPendingOfInactive(sql: Sql): Promise<void> {
  for (const { id } of await sql.rows(inactiveSql)) await cancelPending(sql, id);
}

const endSql = statement<
  Pick<SubscriptionRow, 'org_id'> & NotNull<SubscriptionRow, 'integration_id' | 'shop_id'>,
  [string]
>(
  'callback_end',
  // As subscription_delete.
  `UPDATE webhooks.subscriptions
   SET deleted_at = now(), is_active = false, secret = '', previous_secret = NULL, revision = revision + 1
   WHERE id = $1 AND integration_id IS NOT NULL AND shop_id IS NOT NULL AND deleted_at IS NULL
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
