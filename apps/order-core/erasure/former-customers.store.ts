import type { Metadata } from '@offizin/contracts/calls/metadata';
import { folded } from '@offizin/pg/list-page';
import { rowsOf, valuesOf } from '@offizin/pg/queries';
import type { OrderEntity } from '../db/entities';
import type { OrderRequestEntity, PrescriptionEntity } from '../db/request-entities';

/** What requests, orders and prescriptions of another customer hold of a former one. */

/** A request that lost versions, its order, and the metadata that came with them. */
export type WithoutVersions = Pick<OrderRequestEntity, 'id' | 'order_id'> & { dropped: Metadata };

/** Deletes the customer's earlier versions, with their documents, metadata and offer, from requests of others; returns these requests. */
export const eraseVersions = rowsOf<WithoutVersions, [orgId: string, requestIds: string[], hash: Buffer]>(
  'erasure_request_versions',
  `WITH versions AS (
     DELETE FROM core.order_request_versions
     WHERE org_id = $1 AND order_request_id = ANY($2::uuid[]) AND customer_digest = $3
     RETURNING order_request_id, number
   ), documents AS (
     DELETE FROM core.documents d USING versions v
     WHERE d.org_id = $1 AND d.order_request_id = v.order_request_id AND d.version = v.number
     RETURNING d.order_request_id
   ), marks AS (
     DELETE FROM core.review_marks m USING versions v
     WHERE m.org_id = $1 AND m.order_request_id = v.order_request_id AND m.version = v.number
   ), notes AS (
     DELETE FROM core.review_notes n USING versions v
     WHERE n.org_id = $1 AND n.order_request_id = v.order_request_id AND n.version = v.number
   ), sent AS (
     SELECT r.id, r.order_id, coalesce((
       SELECT jsonb_object_agg(sent.key, sent.value) FROM jsonb_each(r.metadata) sent JOIN versions v
         ON v.order_request_id = r.id AND v.number = coalesce((r.metadata_versions ->> sent.key)::integer, 1)), '{}') AS dropped,
       NOT EXISTS (SELECT FROM versions v WHERE v.order_request_id = r.id AND v.number = r.offer_version) AS keeps_offer
     FROM core.order_requests r WHERE r.org_id = $1 AND r.id IN (SELECT order_request_id FROM versions)
   ), counted AS (
     UPDATE core.order_requests r SET document_erased = r.document_erased OR r.id IN (SELECT order_request_id FROM documents),
            metadata = r.metadata - ARRAY(SELECT jsonb_object_keys(s.dropped)),
            offer_ciphertext = CASE WHEN s.keeps_offer THEN r.offer_ciphertext END,
            offer_state = CASE WHEN s.keeps_offer THEN r.offer_state END,
            offer_version = CASE WHEN s.keeps_offer THEN r.offer_version END,
            offer_valid_until = CASE WHEN s.keeps_offer THEN r.offer_valid_until END
     FROM sent s WHERE r.org_id = $1 AND r.id = s.id
   )
   SELECT id, order_id, dropped FROM sent`,
);

/** SQL: the order of `g` had another customer than now in the version `g.sequence`. */
const OF_FORMER = `LATERAL (
     SELECT h.fields ->> 'customer_email' AS email FROM core.order_history h
     WHERE h.order_id = g.id AND h.sequence <= g.sequence AND h.fields ? 'customer_email'
     ORDER BY h.sequence DESC LIMIT 1) then_customer
   WHERE then_customer.email IS NOT NULL
     AND ${folded('then_customer.email')} IS DISTINCT FROM ${folded('g.customer_email')}`;

/**
 * The keys of metadata that an order of another customer got while it had a former one. What an approval copied belongs
 * to the versions of its request.
 */
export const metadataOfFormer = rowsOf<Pick<OrderEntity, 'id'> & { keys: string[] }, [ids: string[]]>(
  'erasure_order_metadata',
  `WITH said AS (
     SELECT h.order_id, h.sequence, h.fields -> 'metadata' AS metadata,
            lag(h.fields -> 'metadata') OVER (PARTITION BY h.order_id ORDER BY h.sequence) AS before,
            h.action = 'created' AND o.order_request_id IS NOT NULL AS is_copied
     FROM core.order_history h JOIN core.orders o ON o.id = h.order_id
     WHERE h.order_id = ANY($1::uuid[]) AND h.fields ? 'metadata'
   ), given AS (
     SELECT DISTINCT ON (o.id, present.key) o.id, o.customer_email, present.key, said.sequence, said.is_copied
     FROM core.orders o CROSS JOIN jsonb_each(o.metadata) present
       JOIN said ON said.order_id = o.id AND said.metadata -> present.key = present.value
         AND said.before -> present.key IS DISTINCT FROM present.value
     WHERE o.id = ANY($1::uuid[]) ORDER BY o.id, present.key, said.sequence DESC
   )
   SELECT g.id, array_agg(g.key) AS keys FROM given g, ${OF_FORMER} AND NOT g.is_copied GROUP BY g.id`,
);

/** The parcels that an order of another customer got while it had a former one; the history has each as parcelsText. */
export const parcelsOfFormer = rowsOf<Pick<OrderEntity, 'id'> & { parcel_ids: string[] }, [ids: string[]]>(
  'erasure_former_parcels',
  `WITH given AS (
     SELECT o.id, o.customer_email, p.parcel ->> 'id' AS parcel_id, min(h.sequence) AS sequence
     FROM core.orders o CROSS JOIN jsonb_array_elements(o.parcels) AS p (parcel)
       JOIN core.order_history h ON h.order_id = o.id
         AND concat(p.parcel ->> 'carrier', ' ', p.parcel ->> 'tracking_number') = ANY(string_to_array(h.fields ->> 'parcels', ', '))
     WHERE o.id = ANY($1::uuid[]) AND p.parcel ->> 'tracking_number' IS NOT NULL GROUP BY 1, 2, 3
   )
   SELECT g.id, array_agg(g.parcel_id) AS parcel_ids FROM given g, ${OF_FORMER} GROUP BY g.id`,
);

/**
 * Deletes the customer's receipts from prescriptions of others, and returns these. A repeat of a deleted receipt is then
 * stored again; one of the newest, if that is another customer's, stays a repeat.
 */
export const eraseReceipts = valuesOf<PrescriptionEntity['id'], [orgId: string, ids: string[], hash: Buffer]>(
  'erasure_receipts',
  `WITH receipts AS (
     DELETE FROM core.documents
     WHERE org_id = $1 AND prescription_id = ANY($2::uuid[]) AND customer_email_hash = $3 RETURNING prescription_id
   )
   UPDATE core.prescriptions p SET updated_at = now(), receipt_digest = CASE WHEN $3 IS DISTINCT FROM (
     SELECT d.customer_email_hash FROM core.documents d WHERE d.org_id = $1 AND d.prescription_id = p.id
     ORDER BY d.created_at DESC LIMIT 1) THEN p.receipt_digest END
   WHERE p.org_id = $1 AND p.id IN (SELECT prescription_id FROM receipts) RETURNING p.id`,
);
