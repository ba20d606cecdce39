import type { OrderLot } from '@offizin/contracts/orders/lots';
import type { OrderDetail } from '@offizin/contracts/orders/orders';
import { MAX_PROOF_ENTRIES, MAX_PROOF_ROWS } from '@offizin/contracts/requests/request-proof';
import type { KeptMark } from '@offizin/contracts/requests/review-settings';
import { rowOf, rowsOf } from '@offizin/pg/queries';
import type { AuditEntity, OrderEntity } from '../../db/entities';
import type {
  OrderRequestVersionEntity,
  ReviewMarksEntity,
  ReviewNotesEntity,
} from '../../db/request-entities';
import { DECIDING_ACTIONS, LOOK } from '../review/decision';

/** What a proof says besides the row of the request and its documents. No column here names a customer. */

/** `seal` is null until the entry is sealed. */
export type AuditedAct = Pick<AuditEntity, 'position' | 'actor' | 'action' | 'object'> & {
  at: string;
  seal: string | null;
};

/** Every entry about an object begins with its name, and goes on with `:` where it says more (review-detail.store.ts). */
const entries = (object: string, condition: string, limit: number): string =>
  `(SELECT a.position, a.at, a.actor, a.action, a.object FROM core.audit_log a
    WHERE a.org_id = $1 AND a.object ~>=~ ${object} AND a.object ~<~ (${object} || ';') AND ${condition}
    ORDER BY a.position LIMIT ${limit})`;
const IS_LOOK = `a.action ~ '${LOOK}'`;
const BY_PERSON = `left(a.actor, 6) = 'staff:'`;
const IS_DECISION = `a.action IN (${DECIDING_ACTIONS.map((action) => `'${action}'`).join(', ')})`;
const { decisions, acts, looks, otherLooks, order } = MAX_PROOF_ENTRIES;

/**
 * Oldest first. The looks of people are apart from those of programs, which may be very many. The decision is apart from the
 * other acts, so that no number of acts before it hides it.
 */
export const auditedActs = rowsOf<
  AuditedAct,
  [orgId: string, requestObject: string, orderObject: string | null]
>(
  'proof_entries',
  `SELECT e.position::text AS position, core.iso(e.at) AS at, e.actor, e.action, e.object, encode(s.hash, 'hex') AS seal
   FROM (${entries('$2', IS_DECISION, decisions)}
     UNION ALL ${entries('$2', `NOT ${IS_DECISION} AND NOT ${IS_LOOK}`, acts)}
     UNION ALL ${entries('$2', `${IS_LOOK} AND ${BY_PERSON}`, looks)}
     UNION ALL ${entries('$2', `${IS_LOOK} AND NOT ${BY_PERSON}`, otherLooks)}
     UNION ALL ${entries('$3', 'true', order)}) e
   LEFT JOIN core.audit_seals s ON s.position = e.position
   ORDER BY e.position`,
);

/** The present version comes from the request's own row. */
export type ProvenVersion = Pick<OrderRequestVersionEntity, 'number' | 'created_at'> &
  Pick<ReviewNotesEntity, 'document_kind'> & { asked: boolean; issued_on: string | null };

export const versionsOf = rowsOf<ProvenVersion, [orgId: string, requestId: string]>(
  'proof_versions',
  `SELECT v.number, v.created_at, v.asked, n.issued_on::text AS issued_on, n.document_kind
   FROM (SELECT v.number, v.created_at, v.question IS NOT NULL AS asked FROM core.order_request_versions v
         WHERE v.org_id = $1 AND v.order_request_id = $2
         UNION ALL SELECT r.version, coalesce(r.version_at, r.created_at), r.question IS NOT NULL FROM core.order_requests r
         WHERE r.org_id = $1 AND r.id = $2) v
     LEFT JOIN core.review_notes n ON n.org_id = $1 AND n.order_request_id = $2 AND n.version = v.number
   ORDER BY v.number LIMIT ${MAX_PROOF_ROWS}`,
);

export type ProvenMarks = Pick<ReviewMarksEntity, KeptMark | 'version' | 'marked_by' | 'changed_at'>;

export const allMarks = rowsOf<ProvenMarks, [orgId: string, requestId: string]>(
  'proof_marks',
  `SELECT m.version, m.marked_by, m.signature_seen, m.prescriber_checked, m.dose_plausible, m.rest_not_needed, m.changed_at
   FROM core.review_marks m WHERE m.org_id = $1 AND m.order_request_id = $2
   ORDER BY m.version, m.changed_at, m.marked_by LIMIT ${MAX_PROOF_ROWS}`,
);

export type ProvenOrder = Pick<OrderEntity, 'id' | 'sequence' | 'status' | 'shipping_option'> &
  Pick<OrderDetail, 'items' | 'parcels'> & { total_amount: number; lots: OrderLot[] | null };

export const provenOrder = rowOf<ProvenOrder, [orgId: string, orderId: string]>(
  'proof_order',
  `SELECT o.id, o.sequence, o.status, o.items, o.total_amount::float8 AS total_amount, o.shipping_option, o.parcels,
     CASE WHEN o.has_lots THEN core.lots_of(o.id) END AS lots
   FROM core.orders o WHERE o.org_id = $1 AND o.id = $2`,
);
