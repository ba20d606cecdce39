import { testMark } from '@offizin/contracts/calls/test-mark';
import type { PrescriptionListQuery } from '@offizin/contracts/requests/prescriptions';
import { type Sql, statement } from '@offizin/pg/database';
import { columnsOf, type ColumnsOf, isHitOf, rowOf } from '@offizin/pg/queries';
import { given, isoOf, type ListPage, listPage, sortOf, utcText } from '@offizin/pg/list-page';
import { isLiveSql } from '../../callers/live-caller.store';
import type { PrescriptionEntity } from '../../db/request-entities';
import type { GivenRow } from '../shared-writes/shared-writes';

export type PrescriptionRow = Pick<
  PrescriptionEntity,
  | 'id'
  | 'org_id'
  | 'shop_id'
  | 'summary_ciphertext'
  | 'body_ciphertext'
  | 'created_at'
  | 'updated_at'
  | 'is_test'
  | 'sequence'
> & { total_amount: number | null };

export type WrittenPrescription = Pick<PrescriptionRow, 'id' | 'is_test'>;

export interface EncryptedPrescription {
  id: string;
  shopId: string;
  upsertKey: Buffer;
  bodyDigest: Buffer;
  receiptDigest: Buffer | null;
  emailHash: Buffer | null;
  totalAmount: number | null;
  summaryCiphertext: Buffer;
  bodyCiphertext: Buffer;
  ePrescriptionCiphertext: Buffer | null;
}

/** Inserts no row when the shop has already sent this key; a racing ingest waits for the first. None for a caller that is not live. */
const insert = statement<WrittenPrescription, ColumnsOf<GivenRow<EncryptedPrescription>>>(
  'prescription_insert',
  `INSERT INTO core.prescriptions (id, org_id, shop_id, upsert_key, body_digest, receipt_digest, customer_email_hash,
                                   total_amount, summary_ciphertext, body_ciphertext, e_prescription_ciphertext, is_test)
   SELECT m.id, m.org_id, m.shop_id, m.upsert_key, m.body_digest, m.receipt_digest, m.customer_email_hash,
          m.total_amount, m.summary_ciphertext, m.body_ciphertext, m.e_prescription_ciphertext, s.is_test
   FROM unnest($id::uuid[], $orgId::uuid[], $shopId::uuid[], $upsertKey::bytea[], $bodyDigest::bytea[],
               $receiptDigest::bytea[], $emailHash::bytea[], $totalAmount::numeric[], $summaryCiphertext::bytea[],
               $bodyCiphertext::bytea[], $keyId::uuid[], $sessionId::uuid[], $ePrescriptionCiphertext::bytea[])
     AS m(id, org_id, shop_id, upsert_key, body_digest, receipt_digest, customer_email_hash, total_amount,
          summary_ciphertext, body_ciphertext, key_id, session_id, e_prescription_ciphertext)
     JOIN core.shops s ON s.id = m.shop_id AND s.org_id = m.org_id
   WHERE ${isLiveSql('m')}
   -- In one order, so that two statements cannot deadlock.
   ORDER BY m.shop_id, m.upsert_key
   ON CONFLICT ON CONSTRAINT prescriptions_shop_key DO NOTHING
   RETURNING id, is_test`,
);
export const lockPrescription = rowOf<KnownPrescription, [orgId: string, shopId: string, upsertKey: Buffer]>(
  'prescription_lock_by_key',
  `SELECT id, body_digest, receipt_digest, customer_email_hash, summary_ciphertext FROM core.prescriptions
   WHERE org_id = $1 AND shop_id = $2 AND upsert_key = $3 FOR UPDATE`,
);
/** Its sequence is the version of its content. */
const replace = statement<
  Pick<PrescriptionEntity, 'sequence'>,
  Omit<EncryptedPrescription, 'shopId' | 'upsertKey'> & { orgId: string }
>(
  'prescription_replace',
  `UPDATE core.prescriptions SET body_digest = $bodyDigest,
          receipt_digest = coalesce($receiptDigest, receipt_digest), customer_email_hash = $emailHash,
          total_amount = $totalAmount, summary_ciphertext = $summaryCiphertext, body_ciphertext = $bodyCiphertext,
          e_prescription_ciphertext = $ePrescriptionCiphertext, sequence = sequence + 1, updated_at = now()
   WHERE org_id = $orgId AND id = $id RETURNING sequence`,
);
export const findPrescription = rowOf<PrescriptionRow, [orgId: string, id: string]>(
  'prescription_find',
  `SELECT id, org_id, shop_id, total_amount::float8 AS total_amount, summary_ciphertext, body_ciphertext, created_at,
          updated_at, is_test, sequence
   FROM core.prescriptions WHERE org_id = $1 AND id = $2`,
);
export const prescriptionExists = isHitOf<[orgId: string, id: string]>(
  'prescription_exists',
  `SELECT id FROM core.prescriptions WHERE org_id = $1 AND id = $2`,
);

export type KnownPrescription = Pick<
  PrescriptionEntity,
  'id' | 'body_digest' | 'receipt_digest' | 'customer_email_hash' | 'summary_ciphertext'
>;

/** Writes those of new keys. */
export async function insertPrescriptions(
  tx: Sql,
  given: readonly GivenRow<EncryptedPrescription>[],
): Promise<readonly WrittenPrescription[]> {
  return tx.rows(insert, {
    ...columnsOf(given, 'id', 'orgId', 'shopId', 'upsertKey', 'bodyDigest', 'receiptDigest', 'emailHash'),
    ...columnsOf(given, 'totalAmount', 'summaryCiphertext', 'bodyCiphertext'),
    ...columnsOf(given, 'keyId', 'sessionId', 'ePrescriptionCiphertext'),
  });
}

/** Replaces the whole body; a receipt that the update omits stays. Resolves with the new version. */
export async function replacePrescription(
  tx: Sql,
  orgId: string,
  row: EncryptedPrescription,
): Promise<number> {
  const [replaced] = await tx.rows(replace, { ...row, orgId });
  if (!replaced) throw new Error(`prescription ${row.id} is missing`);
  return replaced.sequence;
}

/** A list row from the database: `encrypted` holds the customer's data as base64. */
export interface EncryptedListRow extends Pick<PrescriptionEntity, 'id' | 'shop_id'> {
  order_total_amount: number | null;
  created_at: string;
  updated_at: string;
  test?: true;
  encrypted: string;
}

const LIST_COLUMNS = `p.id, p.shop_id, p.total_amount::float8 AS order_total_amount,
  ${utcText('p.created_at')} AS created_at, ${utcText('p.updated_at')} AS updated_at,
  encode(p.summary_ciphertext, 'base64') AS encrypted, p.is_test`;

function listRow(row: EncryptedListRow & Pick<PrescriptionEntity, 'is_test'>): EncryptedListRow {
  return {
    id: row.id,
    shop_id: row.shop_id,
    order_total_amount: row.order_total_amount,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
    ...testMark(row.is_test),
    encrypted: row.encrypted,
  };
}

export async function listPrescriptions(
  sql: Sql,
  orgId: string,
  query: PrescriptionListQuery & { test: false | undefined },
  emailHash: Buffer | undefined,
): Promise<ListPage<EncryptedListRow>> {
  const { limit, offset, cursor } = query;
  return listPage(sql, {
    name: 'prescription_list',
    from: 'core.prescriptions p',
    columns: LIST_COLUMNS,
    show: listRow,
    filters: given([
      { key: 'org', sql: 'p.org_id = $::uuid', value: orgId },
      { key: 'shop', sql: 'p.shop_id = $::uuid', value: query.shop_id },
      { key: 'test', sql: 'p.is_test = $::boolean', value: query.test },
      { key: 'customer', sql: 'p.customer_email_hash = $::bytea', value: emailHash },
      { key: 'from', sql: 'p.created_at >= $::timestamptz', value: query.created_from },
      { key: 'to', sql: 'p.created_at < $::timestamptz', value: query.created_to },
      { key: 'since', sql: 'p.updated_at >= $::timestamptz', value: query.updated_since },
    ]),
    sort: sortOf(query.sort),
    isOneIndex: false,
    limit,
    offset,
    cursor,
  });
}
