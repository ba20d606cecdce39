import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, rowOf, rowsOf, valueOf, valuesOf } from '@offizin/pg/queries';
import { isId } from '@offizin/pg/ids';
import { formsOfEmail, isSameEmail } from '@offizin/pg/emails';
import { folded } from '@offizin/pg/list-page';
import type { OrderEntity } from '../db/entities';
import type { OrderRequestEntity, PrescriptionEntity } from '../db/request-entities';
import { ERASED_HISTORY_FIELDS } from './erased-content';
import type { ErasedObject } from './erasure-subject';
import { scrubFormer } from './former-customers.store';

/** Finds a customer's objects by e-mail or its keyed hash, and writes the erased content. */

/** SQL: whether the order or request is erased. The lock waits for an erasure under way, and holds up one that comes. */
export function isErasedSql(id: string): string {
  const found = (table: string): string =>
    `(SELECT o.erased_at IS NOT NULL FROM core.${table} o WHERE o.id = ${id} FOR SHARE)`;
  return `coalesce(${found('orders')}, ${found('order_requests')}, false)`;
}

type FoundRequest = Pick<OrderRequestEntity, 'id' | 'order_id'>;
type FoundOrder = Pick<OrderEntity, 'id' | 'order_request_id'>;

const requestsByHash = statement<FoundRequest, [string, Buffer, number]>(
  'erasure_requests',
  `SELECT id, order_id FROM core.order_requests
   WHERE org_id = $1 AND customer_digest = $2 ORDER BY id LIMIT $3`,
);
/** Requests with an earlier version of this customer, although another customer may be current now. */
const requestsByVersion = statement<FoundRequest, [string, Buffer, number]>(
  'erasure_versions',
  `SELECT DISTINCT r.id, r.order_id FROM core.order_request_versions v JOIN core.order_requests r ON r.id = v.order_request_id
   WHERE v.org_id = $1 AND v.customer_digest = $2 AND r.customer_digest IS DISTINCT FROM $2 ORDER BY r.id LIMIT $3`,
);
/** Requests that wait for a second approval, whose first one corrects the e-mail to the customer's. */
const requestsByFirstApproval = statement<Pick<OrderRequestEntity, 'id'>, [string, Buffer, number]>(
  'erasure_first_approvals',
  `SELECT id FROM core.order_requests
   WHERE org_id = $1 AND first_approval_email_hash = $2 ORDER BY id LIMIT $3`,
);
const ordersByEmail = statement<FoundOrder, [string, string[], number]>(
  'erasure_orders',
  `SELECT id, order_request_id FROM core.orders
   WHERE org_id = $1 AND ${isSameEmail('customer_email', '$2')} ORDER BY id LIMIT $3`,
);
/** SQL: the last value of a field that the history of the order `o` has up to `until`. */
const lastOf = (field: string, until: string): string =>
  `(SELECT l.fields ->> '${field}' FROM core.order_history l WHERE l.order_id = o.id AND l.fields ? '${field}'
     AND l.sequence <= ${until} ORDER BY l.sequence DESC LIMIT 1)`;
/** Orders that had the e-mail, and whether they only lost it and kept the customer. */
const ordersByHistory = statement<FoundOrder & { is_theirs: boolean }, [string, string[], number]>(
  'erasure_history_orders',
  `SELECT o.id, o.order_request_id, o.erased_at IS NULL AND o.customer_email IS NULL
          AND max(h.sequence) = (SELECT max(l.sequence) FROM core.order_history l
                                 WHERE l.order_id = o.id AND l.fields ->> 'customer_email' IS NOT NULL)
          AND ${folded('o.customer_name')} IS NOT DISTINCT FROM ${folded(lastOf('customer_name', 'max(h.sequence)'))} AS is_theirs
   FROM core.order_history h JOIN core.orders o ON o.id = h.order_id
   WHERE o.org_id = $1 AND ${isSameEmail("(h.fields ->> 'customer_email')", '$2')}
     AND NOT coalesce(${isSameEmail('o.customer_email', '$2')}, false) GROUP BY o.id ORDER BY o.id LIMIT $3`,
);
/** Prescriptions of this customer, or with a receipt that this customer sent for a prescription of another. */
export const lockPrescriptionsOfCustomer = rowsOf<
  Pick<PrescriptionEntity, 'id'> & { is_current: boolean },
  [orgId: string, hash: Buffer, limit: number]
>(
  'erasure_prescriptions',
  `SELECT id, customer_email_hash IS NOT DISTINCT FROM $2 AS is_current FROM core.prescriptions
   WHERE org_id = $1 AND id IN (
     SELECT p.id FROM core.prescriptions p WHERE p.org_id = $1 AND p.customer_email_hash = $2
     UNION SELECT d.prescription_id FROM core.documents d WHERE d.org_id = $1 AND d.customer_email_hash = $2)
   ORDER BY id LIMIT $3 FOR UPDATE`,
);

const requestById = statement<FoundRequest, [string, string]>(
  'erasure_request_by_id',
  `SELECT id, order_id FROM core.order_requests WHERE org_id = $1 AND id = $2`,
);
const orderById = statement<FoundOrder, [string, string]>(
  'erasure_order_by_id',
  `SELECT id, order_request_id FROM core.orders WHERE org_id = $1 AND id = $2`,
);
const prescriptionById = statement<Pick<PrescriptionEntity, 'id' | 'erased_at'>, [string, string]>(
  'erasure_prescription_by_id',
  `SELECT id, erased_at FROM core.prescriptions WHERE org_id = $1 AND id = $2 FOR UPDATE`,
);

export interface CustomerObjects {
  requestIds: string[];
  /** Requests of another customer: only their earlier versions hold this e-mail. */
  formerRequestIds: string[];
  /** Requests of another customer: their approval holds this e-mail, or may, because their order held it earlier. */
  approvalIds: string[];
  orderIds: string[];
  /** Orders of another customer that held this e-mail earlier. */
  formerOrderIds: string[];
  /** Orders of another customer that were approved from `formerRequestIds`: metadata may have come with an earlier version. */
  inheritingOrderIds: string[];
}

export const NO_OBJECTS: CustomerObjects = {
  requestIds: [],
  formerRequestIds: [],
  approvalIds: [],
  orderIds: [],
  formerOrderIds: [],
  inheritingOrderIds: [],
};

/** An order and its request, found by the id of either. Null when the organization has no such object. */
export async function objectsOfId(
  sql: Sql,
  orgId: string,
  { kind, id }: ErasedObject,
): Promise<CustomerObjects | null> {
  if (!isId(id)) return null;
  if (kind === 'prescription') return (await sql.rows(prescriptionById, orgId, id))[0] ? NO_OBJECTS : null;
  if (kind === 'order') {
    const [order] = await sql.rows(orderById, orgId, id);
    return order
      ? { ...NO_OBJECTS, orderIds: [order.id], requestIds: idsOf([order.order_request_id]) }
      : null;
  }
  const [request] = await sql.rows(requestById, orgId, id);
  return request ? { ...NO_OBJECTS, requestIds: [request.id], orderIds: idsOf([request.order_id]) } : null;
}

/** Locks the prescription; null when it is already erased. */
export async function lockPrescription(tx: Sql, orgId: string, id: string): Promise<string | null> {
  const [row] = await tx.rows(prescriptionById, orgId, id);
  return row && !row.erased_at ? row.id : null;
}

/**
 * At most `limit` objects of each kind; an order always comes with its request. `email` is null when only the hash is
 * known; then no order matches.
 */
export async function objectsOfCustomer(
  sql: Sql,
  orgId: string,
  customer: { email: string | null; hash: Buffer },
  limit: number,
): Promise<CustomerObjects> {
  const forms = formsOfEmail(customer.email);
  const requests = await sql.rows(requestsByHash, orgId, customer.hash, limit);
  const versions = await sql.rows(requestsByVersion, orgId, customer.hash, limit);
  const former = await sql.rows(ordersByHistory, orgId, forms, limit);
  const theirs = former.filter(({ is_theirs }) => is_theirs);
  const orders = [...(await sql.rows(ordersByEmail, orgId, forms, limit)), ...theirs];
  const approvals = await sql.rows(requestsByFirstApproval, orgId, customer.hash, limit);
  const orderIds = idsOf([...orders.map(({ id }) => id), ...requests.map(({ order_id }) => order_id)]);
  const requestIds = idsOf([
    ...requests.map(({ id }) => id),
    ...orders.map(({ order_request_id }) => order_request_id),
  ]);
  return {
    requestIds,
    formerRequestIds: idsOf(versions.map(({ id }) => id)).filter((id) => !requestIds.includes(id)),
    approvalIds: idsOf([
      ...approvals.map(({ id }) => id),
      ...former.map(({ order_request_id }) => order_request_id),
    ]).filter((id) => !requestIds.includes(id)),
    orderIds,
    formerOrderIds: idsOf(former.map(({ id }) => id)).filter((id) => !orderIds.includes(id)),
    inheritingOrderIds: idsOf(versions.map(({ order_id }) => order_id)).filter(
      (id) => !orderIds.includes(id),
    ),
  };
}

function idsOf(ids: (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))].sort();
}

const lockRequests = valuesOf<OrderRequestEntity['id'], [orgId: string, ids: string[]]>(
  'erasure_lock_requests',
  `SELECT id FROM core.order_requests WHERE org_id = $1 AND id = ANY($2::uuid[])
     AND (erased_at IS NULL OR customer_digest IS NOT NULL)
   ORDER BY id FOR UPDATE`,
);
/**
 * Leaves out an order whose request is not locked: without the e-mail of order or history nothing would lead to that
 * request.
 */
const lockOrders = valuesOf<OrderEntity['id'], [orgId: string, ids: string[], requestIds: string[]]>(
  'erasure_lock_orders',
  `SELECT id FROM core.orders o WHERE org_id = $1 AND id = ANY($2::uuid[])
     AND NOT EXISTS (SELECT FROM core.order_requests r
       WHERE r.id = o.order_request_id AND r.erased_at IS NULL AND r.id <> ALL($3::uuid[]))
   ORDER BY shop_id, external_id FOR UPDATE`,
);

/**
 * Locks what `find` finds: requests before orders, and orders by shop and external id, as all callers do. Each lock may
 * have waited for a change, such as an approval, so that only what is found again counts. Null when nothing was found.
 */
export async function lockFound(
  tx: Sql,
  orgId: string,
  find: () => Promise<CustomerObjects>,
): Promise<CustomerObjects | null> {
  const first = await find();
  if (Object.values(first).flat().length === 0) return null;
  const { requestIds, formerRequestIds, approvalIds } = first;
  const requests = await lockRequests(tx, orgId, [...requestIds, ...formerRequestIds, ...approvalIds]);
  // An approval that was under way has made its order.
  const { orderIds, formerOrderIds, inheritingOrderIds } = await find();
  const orders = await lockOrders(
    tx,
    orgId,
    [...orderIds, ...formerOrderIds, ...inheritingOrderIds],
    requests,
  );
  const last = await find();
  const locked = new Set([...requests, ...orders]);
  const kept = (ids: string[]): string[] => ids.filter((id) => locked.has(id));
  return {
    requestIds: kept(last.requestIds),
    formerRequestIds: kept(last.formerRequestIds),
    approvalIds: kept(last.approvalIds),
    orderIds: kept(last.orderIds),
    formerOrderIds: kept(last.formerOrderIds),
    inheritingOrderIds: kept(last.inheritingOrderIds),
  };
}

/** SQL: who made the first of two approvals stays when the second has followed. Raises the attempt of an open request. */
const FIRST_APPROVAL_ERASED = `first_approval_ciphertext = NULL, first_approval_digest = NULL, first_approval_email_hash = NULL,
          first_approved_by = CASE status WHEN 'approved' THEN first_approved_by END,
          first_approved_at = CASE status WHEN 'approved' THEN first_approved_at END,
          attempt = attempt + CASE WHEN status IN ('pending', 'needs_clarification') THEN 1 ELSE 0 END`;

/**
 * Empties approvals of their texts, and takes away the first one of a request that waits for the second. Raises the
 * attempt of such a request: a second approval under way cannot commit. The answer to the sender names no person.
 */
export const eraseApprovals = valuesOf<OrderRequestEntity['id'], [orgId: string, ids: string[]]>(
  'erasure_request_approvals',
  `UPDATE core.order_requests SET corrections_ciphertext = NULL, override_ciphertext = NULL, ${FIRST_APPROVAL_ERASED}, updated_at = now()
   WHERE org_id = $1 AND id = ANY($2::uuid[])
     AND num_nonnulls(corrections_ciphertext, override_ciphertext, first_approval_ciphertext) > 0
   RETURNING id`,
);

export type ErasableRequest = Pick<OrderRequestEntity, 'payload_ciphertext' | 'external_reference'>;

export const erasableRequest = rowOf<ErasableRequest, [orgId: string, requestId: string]>(
  'erasure_request_payload',
  `SELECT payload_ciphertext, external_reference FROM core.order_requests WHERE org_id = $1 AND id = $2`,
);
/** Raises the attempt of an open request: an approval that has read the old payload then cannot commit. */
const eraseRequestRow = statement<never, [string, string, Buffer]>(
  'erasure_request',
  `WITH versions AS (
     DELETE FROM core.order_request_versions WHERE org_id = $1 AND order_request_id = $2
   ), marks AS (
     DELETE FROM core.review_marks WHERE org_id = $1 AND order_request_id = $2
   ), notes AS (
     DELETE FROM core.review_notes WHERE org_id = $1 AND order_request_id = $2
   ), documents AS (
     DELETE FROM core.documents WHERE org_id = $1 AND order_request_id = $2 RETURNING id
   )
   UPDATE core.order_requests SET document_erased = document_erased OR e_prescription_ciphertext IS NOT NULL OR EXISTS (SELECT FROM documents),
          e_prescription_ciphertext = NULL, e_prescription_digest = NULL, customer_name = NULL,
          payload_ciphertext = $3, payload_digest = '', customer_digest = NULL, metadata = '{}', metadata_versions = '{}',
          corrections_ciphertext = NULL, override_ciphertext = NULL, answer_ciphertext = NULL, offer_ciphertext = NULL, offer_state = NULL,
          offer_version = NULL, offer_valid_until = NULL, note = NULL,
          partner_message = NULL, question = NULL, erased_at = now(), updated_at = now(),
          ${FIRST_APPROVAL_ERASED}
   WHERE org_id = $1 AND id = $2`,
);
/** Those of them that are not erased. */
export const ordersToErase = valuesOf<OrderEntity['id'], [ids: string[]]>(
  'erasure_orders_left',
  `SELECT id FROM core.orders WHERE id = ANY($1::uuid[]) AND erased_at IS NULL ORDER BY id`,
);
/** Removes fields from the history of these orders, for any customer. */
const scrubFields = changeOf<[orderIds: string[], fields: readonly string[]]>(
  'erasure_history',
  `UPDATE core.order_history SET fields = fields - $2::text[] WHERE order_id = ANY($1::uuid[]) AND fields ?| $2::text[]`,
);
/** Carrier and time of a parcel stay. */
const eraseParcelRows = statement<never, [string[]]>(
  'erasure_parcels',
  `UPDATE core.orders SET parcels = (
     SELECT jsonb_agg(p.parcel || '{"tracking_number": null, "url": null}' ORDER BY p.place)
     FROM jsonb_array_elements(parcels) WITH ORDINALITY AS p (parcel, place))
   WHERE id = ANY($1::uuid[]) AND parcels <> '[]'`,
);
const eraseNoteRows = statement<never, [string[]]>(
  'erasure_order_notes',
  `UPDATE core.order_notes SET text_ciphertext = NULL
   WHERE order_id = ANY($1::uuid[]) AND text_ciphertext IS NOT NULL`,
);
export const prescriptionBodyOf = valueOf<
  PrescriptionEntity['body_ciphertext'] | null,
  [orgId: string, id: string]
>(
  'erasure_prescription_body',
  `SELECT body_ciphertext FROM core.prescriptions WHERE org_id = $1 AND id = $2`,
  null,
);
const erasePrescriptionRow = statement<never, [string, string, Buffer, Buffer]>(
  'erasure_prescription',
  `WITH documents AS (
     DELETE FROM core.documents WHERE org_id = $1 AND prescription_id = $2
   )
   UPDATE core.prescriptions SET customer_email_hash = NULL, body_digest = '', receipt_digest = NULL, summary_ciphertext = $3,
          e_prescription_ciphertext = NULL,
          body_ciphertext = $4, sequence = sequence + 1, erased_at = now(), updated_at = now()
   WHERE org_id = $1 AND id = $2`,
);

/** Clears the digest, which would confirm a guess. A repeat by the partner is then refused and stores nothing. */
export async function eraseRequest(tx: Sql, orgId: string, id: string, payload: Buffer): Promise<void> {
  await tx.rows(eraseRequestRow, orgId, id, payload);
}

/** Removes all customer fields from the history of orders, for any customer or former ones, and the text of their notes. */
export async function scrubHistory(
  tx: Sql,
  { orderIds, formerOrderIds }: Pick<CustomerObjects, 'orderIds' | 'formerOrderIds'>,
): Promise<void> {
  await scrubFields(tx, orderIds, ERASED_HISTORY_FIELDS);
  await scrubFormer(tx, formerOrderIds, ERASED_HISTORY_FIELDS);
  await tx.rows(eraseNoteRows, [...orderIds, ...formerOrderIds]);
}

/** Numbers and URLs of the parcels. The caller also changes the orders, which makes the next version of each. */
export async function eraseParcels(tx: Sql, orderIds: string[]): Promise<void> {
  await tx.rows(eraseParcelRows, orderIds);
}

export async function erasePrescription(
  tx: Sql,
  orgId: string,
  id: string,
  { summaryCiphertext, bodyCiphertext }: { summaryCiphertext: Buffer; bodyCiphertext: Buffer },
): Promise<void> {
  await tx.rows(erasePrescriptionRow, orgId, id, summaryCiphertext, bodyCiphertext);
}
