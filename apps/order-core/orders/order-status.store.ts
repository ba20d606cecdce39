import type { OrderStatus, OrderStatusPatchBody } from '@offizin/contracts/orders';
import { type Sql, statement } from '@offizin/pg/database';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../audit/audit.store';
import { DEFAULT_WORKFLOW, type Workflow } from './order-status';

/** What a status patch came to; `moved_at` is null when nothing changed or the move was not allowed. */
export interface StatusOutcome {
  old_status: OrderStatus;
  /** The row's version before; compared with If-Match. */
  old_sequence: number;
  old_updated_at: Date;
  status: OrderStatus | null;
  updated_at: Date | null;
  allowed: boolean;
  /** The workflow that decided. */
  workflow: Workflow;
}

/**
 * The status patch in one statement: lock, rule (the workflow comes in as data), change, history, event. Two
 * concurrent patches are each decided against the row as it then is: the second waits at the lock and sees the first.
 */
const patch = statement<
  StatusOutcome,
  [
    string,
    string,
    string,
    string,
    string,
    string | null,
    number | null,
    string,
    boolean,
    string,
    string,
    string | null,
  ]
>(
  'order_patch_status',
  `WITH given AS (
     SELECT $3::jsonb AS patch, $4::jsonb AS default_workflow, $5::text AS actor, $8::uuid AS event_id, $9::boolean AS reopen
   ), before AS (
     SELECT o.*, p.patch, p.actor, p.event_id,
            NOT p.patch ? 'status' OR p.patch ->> 'status' = o.status
              OR coalesce(g.workflow, p.default_workflow) -> o.status ? (p.patch ->> 'status') AS allowed,
            coalesce(g.workflow, p.default_workflow) AS workflow, p.reopen
     FROM core.orders o JOIN core.organizations g ON g.id = o.org_id, given p
     WHERE o.org_id = $1 AND o.id = $2
       AND ($6::uuid IS NULL OR EXISTS (SELECT FROM core.api_keys k WHERE k.id = $6
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())))
     FOR UPDATE OF o
   ), wanted AS (
     SELECT b.*,
            coalesce(b.patch ->> 'status', b.status) AS new_status,
            coalesce(b.patch ->> 'payment_status', b.payment_status) AS new_payment_status,
            coalesce((b.patch ->> 'shipped')::boolean, b.shipped) AS new_shipped,
            coalesce((b.patch ->> 'picked_up')::boolean, b.picked_up) AS new_picked_up
     FROM before b
   ), written AS (
     UPDATE core.orders o SET status = w.new_status, payment_status = w.new_payment_status, shipped = w.new_shipped,
            picked_up = w.new_picked_up, sequence = o.sequence + 1, updated_at = now()
     FROM wanted w
     WHERE o.id = w.id AND (w.allowed OR w.reopen) AND ($7::integer IS NULL OR $7 = w.sequence)
       AND (w.status, w.payment_status, w.shipped, w.picked_up)
           IS DISTINCT FROM (w.new_status, w.new_payment_status, w.new_shipped, w.new_picked_up)
     RETURNING o.*, w.status AS old_status, w.actor, w.event_id, w.patch, w.allowed,
       array_remove(ARRAY[
         CASE WHEN w.status <> w.new_status THEN 'status' END,
         CASE WHEN w.payment_status <> w.new_payment_status THEN 'payment_status' END,
         CASE WHEN w.shipped <> w.new_shipped THEN 'shipped' END,
         CASE WHEN w.picked_up <> w.new_picked_up THEN 'picked_up' END], NULL) AS changed
   ), history AS (
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT w.id, w.sequence, w.actor, CASE WHEN w.allowed THEN 'status_changed' ELSE 'reopened' END, w.patch
     FROM written w
   ), audit AS (
     INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT w.org_id, $10, CASE WHEN w.allowed THEN 'order.status' ELSE 'order.reopen' END, 'order:' || w.id, $11
     FROM written w
   ), event AS (
     INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, lane, body, traceparent)
     SELECT w.event_id, w.org_id, 'order_status_updated', w.id::text, w.sequence,
            CASE WHEN num_nonnulls(w.order_request_id, w.stock_claim_id) = 0 THEN 'plain' ELSE 'stock' END,
            json_build_object('id', w.event_id, 'org_id', w.org_id, 'event_type', 'order_status_updated',
              'title', 'Order status updated',
              'description', 'Order ' || w.external_id || ': ' || w.old_status || ' -> ' || w.status,
              'metadata', json_build_object('order_id', w.id, 'old_status', w.old_status, 'new_status', w.status,
                'changed', w.changed, 'shop_id', w.shop_id, 'order_request_id', w.order_request_id,
                'stock_claim_id', w.stock_claim_id, 'sequence', w.sequence),
              'created_at', core.iso(w.updated_at))::text, $12::text
     FROM written w
   )
   SELECT b.status AS old_status, b.sequence AS old_sequence, b.updated_at AS old_updated_at,
          b.allowed OR b.reopen AS allowed, b.workflow,
          w.status, w.updated_at
   FROM before b LEFT JOIN written w ON w.id = b.id`,
);

export interface StatusPatch {
  orderId: string;
  patch: OrderStatusPatchBody;
  actor: string;
  keyId: string | null;
  /** Version that the caller saw; null when it does not care. */
  ifSequence: number | null;
  eventId: string;
  audit: AuditActor;
  /** Move it even against the workflow; written to the history as a reopening. */
  reopen: boolean;
}

/** Null when there is no such order, or the key is not live any more. */
export async function patchStatus(
  sql: Sql,
  orgId: string,
  given: StatusPatch,
): Promise<StatusOutcome | null> {
  const { orderId, actor, keyId, ifSequence, eventId, reopen, audit } = given;
  const by = [eventId, reopen, audit.actor, audit.requestId, storedTraceparent()] as const;
  const texts = [JSON.stringify(given.patch), JSON.stringify(DEFAULT_WORKFLOW)] as const;
  return (await sql.rows(patch, orgId, orderId, ...texts, actor, keyId, ifSequence, ...by))[0] ?? null;
}
