import { statement } from '@offizin/pg/database';
import { isLiveSql } from '../../../callers/live-caller.store';
import type { OrderRow } from '../order-row';
import {
  changeOf,
  GIVEN_OF_WRITTEN,
  HISTORY_AUDIT_EVENT,
  LACKS_CLAIM,
  list,
  selected,
  WRITTEN,
} from './upsert';

/** The statements that change given fields of an order; rendered/{update,update-many}.sql. Aliases as in upsert.ts. */

const together = changeOf('p.id = o.id', { needsStored: true });
/**
 * Changes several orders, each once. Leaves out an order that is unknown or unchanged, has another version than If-Match
 * names or must claim stock, and a caller that is not live.
 */
export const updateMany = statement<OrderRow & { member: number }, [string]>(
  'order_update_many',
  `WITH given AS MATERIALIZED (
     SELECT m.*, '{}'::jsonb AS rest, ${isLiveSql('m')} AS caller_is_live
     FROM jsonb_to_recordset($1::jsonb) AS m (member integer, id uuid, org_id uuid, patch jsonb, needs_stored boolean,
            force boolean, if_sequences jsonb, actor text, key_id uuid, session_id uuid, event_id uuid, audit_actor text, request_id text,
            traceparent text)
   ), before AS (
     SELECT o.id
     FROM given p JOIN core.orders o ON o.id = p.id AND o.org_id = p.org_id
     WHERE p.caller_is_live AND (p.if_sequences IS NULL OR p.if_sequences @> to_jsonb(o.sequence))
       AND NOT (NOT o.is_test AND ${LACKS_CLAIM} AND (
             SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE)
     -- The lock order of upserts, so that they cannot deadlock.
     ORDER BY o.shop_id, o.external_id
     FOR UPDATE OF o
   ), written AS (
     UPDATE core.orders AS o SET ${together.set}
     FROM before b WHERE o.id = b.id AND ${together.applies}
     RETURNING ${list(WRITTEN)}
   ), changed AS MATERIALIZED (
     SELECT w.*, p.member, ${GIVEN_OF_WRITTEN}
     FROM written w JOIN given p ON p.id = w.id
   ), ${HISTORY_AUDIT_EVENT}
   SELECT c.member, ${selected('c')} FROM changed c`,
);

const updated = changeOf('true', { needsStored: true, isForced: true });
/** Changes one order, also a closed one. Its row must be locked (lockOrder). */
export const updateLocked = statement<
  OrderRow,
  {
    orgId: string;
    id: string;
    patch: string;
    needsStored: boolean;
    actor: string;
    eventId: string;
    auditActor: string;
    requestId: string;
    traceparent: string | null;
  }
>(
  'order_update',
  `WITH given AS NOT MATERIALIZED (
     SELECT $patch::jsonb AS patch, '{}'::jsonb AS rest, $needsStored::boolean AS needs_stored, $actor::text AS actor,
            $eventId::uuid AS event_id, $auditActor::text AS audit_actor, $requestId::text AS request_id,
            $traceparent::text AS traceparent
   ), written AS (
     UPDATE core.orders AS o SET ${updated.set}
     WHERE o.org_id = $orgId AND o.id = $id AND ${updated.applies}
     RETURNING ${list(WRITTEN)}
   ), changed AS NOT MATERIALIZED (
     SELECT w.*, ${GIVEN_OF_WRITTEN} FROM written w, given p
   ), ${HISTORY_AUDIT_EVENT}
   SELECT ${selected('w')} FROM written w`,
);
