import type { Metadata } from '@offizin/contracts/calls/metadata';
import { folded } from '@offizin/pg/list-page';
import { changeOf, rowsOf, valuesOf } from '@offizin/pg/queries';
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

/**
 * SQL: the e-mail of the customer whom the order `o` had in a version: the last one up to it, else the first one after it.
 * An e-mail that is removed is another customer's only if the order has none now.
 */
const emailIn = (sequence: string): string => {
  const found = (
    rows: string,
  ): string => `(SELECT ${folded("l.fields ->> 'customer_email'")} FROM core.order_history l
     WHERE l.order_id = o.id AND l.fields ? 'customer_email' AND (o.customer_email IS NULL OR l.fields ->> 'customer_email' IS NOT NULL)
       AND l.sequence ${rows} LIMIT 1)`;
  return `coalesce(${found(`<= ${sequence} ORDER BY l.sequence DESC`)}, ${found(`> ${sequence} ORDER BY l.sequence`)})`;
};
/** SQL: the order `o` had another customer than now in the version. */
const isOfFormer = (sequence: string): string =>
  `coalesce(${emailIn(sequence)} <> coalesce(${folded('o.customer_email')}, ''), false)`;

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
     SELECT DISTINCT ON (o.id, present.key) o.id, present.key, said.sequence, said.is_copied
     FROM core.orders o CROSS JOIN jsonb_each(o.metadata) present
       JOIN said ON said.order_id = o.id AND said.metadata -> present.key = present.value
         AND said.before -> present.key IS DISTINCT FROM present.value
     WHERE o.id = ANY($1::uuid[]) ORDER BY o.id, present.key, said.sequence DESC
   )
   SELECT g.id, array_agg(g.key) AS keys FROM given g JOIN core.orders o ON o.id = g.id
   WHERE NOT g.is_copied AND ${isOfFormer('g.sequence')} GROUP BY g.id`,
);

/** The parcels that an order of another customer got while it had a former one; the history has each as parcelsText. */
export const parcelsOfFormer = rowsOf<Pick<OrderEntity, 'id'> & { parcel_ids: string[] }, [ids: string[]]>(
  'erasure_former_parcels',
  `WITH given AS (
     SELECT o.id, p.parcel ->> 'id' AS parcel_id, min(h.sequence) AS sequence
     FROM core.orders o CROSS JOIN jsonb_array_elements(o.parcels) AS p (parcel)
       JOIN core.order_history h ON h.order_id = o.id
         AND concat(p.parcel ->> 'carrier', ' ', p.parcel ->> 'tracking_number') = ANY(string_to_array(h.fields ->> 'parcels', ', '))
     WHERE o.id = ANY($1::uuid[]) AND p.parcel ->> 'tracking_number' IS NOT NULL GROUP BY 1, 2
   )
   SELECT g.id, array_agg(g.parcel_id) AS parcel_ids FROM given g JOIN core.orders o ON o.id = g.id
   WHERE ${isOfFormer('g.sequence')} GROUP BY g.id`,
);

/**
 * Removes fields from the history of orders of other customers, where it is that of a former one. A row of the present
 * customer keeps its own: by them a later erasure finds the order, and what it got for that customer. It loses the parcels
 * and metadata that a former customer had first.
 */
export const scrubFormer = changeOf<[orderIds: string[], fields: readonly string[]]>(
  'erasure_former_history',
  `WITH said AS MATERIALIZED (
     SELECT o.id, h.sequence, h.fields, ${isOfFormer('h.sequence')} AS is_former,
            string_to_array(h.fields ->> 'parcels', ', ') AS parcels,
            CASE jsonb_typeof(h.fields -> 'metadata') WHEN 'object' THEN h.fields -> 'metadata' END AS metadata
     FROM core.orders o JOIN core.order_history h ON h.order_id = o.id WHERE o.id = ANY($1::uuid[])
   ), first_parcels AS (
     SELECT DISTINCT ON (said.id, parcel) said.id, parcel, is_former
     FROM said, unnest(parcels) AS parcel ORDER BY said.id, parcel, sequence
   ), first_metadata AS (
     SELECT DISTINCT ON (said.id, m.key, m.value) said.id, m.key, m.value, is_former
     FROM said, jsonb_each(metadata) AS m ORDER BY said.id, m.key, m.value, sequence
   )
   UPDATE core.order_history h SET fields = CASE WHEN said.is_former THEN h.fields - $2::text[] ELSE h.fields
     || CASE WHEN said.parcels IS NULL THEN '{}' ELSE jsonb_build_object('parcels', (
       SELECT string_agg(p.parcel, ', ' ORDER BY p.place) FROM unnest(said.parcels) WITH ORDINALITY AS p (parcel, place)
         JOIN first_parcels f ON f.id = said.id AND f.parcel = p.parcel AND NOT f.is_former)) END
     || CASE WHEN said.metadata IS NULL THEN '{}' ELSE jsonb_build_object('metadata', (
       SELECT coalesce(jsonb_object_agg(m.key, m.value), '{}') FROM jsonb_each(said.metadata) m
         JOIN first_metadata f ON f.id = said.id AND f.key = m.key AND f.value = m.value AND NOT f.is_former)) END END
   FROM said WHERE h.order_id = said.id AND h.sequence = said.sequence`,
);

/** Removes metadata from the history of an order, where it has these values. */
export const scrubMetadata = changeOf<[orderId: string, metadata: string]>(
  'erasure_history_metadata',
  `UPDATE core.order_history h SET fields = jsonb_set(h.fields, '{metadata}', (
     SELECT coalesce(jsonb_object_agg(m.key, m.value), '{}') FROM jsonb_each(h.fields -> 'metadata') m
     WHERE $2::jsonb -> m.key IS DISTINCT FROM m.value))
   WHERE h.order_id = $1 AND jsonb_typeof(h.fields -> 'metadata') = 'object'`,
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
