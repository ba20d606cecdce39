import {
  MAX_USES_SHOWN,
  MAX_VERSIONS_SHOWN,
  type OrderRequestCorrections,
  type OrderRequestDetail,
  type OrderRequestDocument,
  type OrderRequestVersion,
  type PrescriptionChecks,
} from '@offizin/contracts/order-request-review';
import type { Sql } from '@offizin/pg/database';
import type { DataKeys } from '../documents/data-keys.store';
import { documentsOf, type StoredDocument } from '../documents/documents.store';
import { decrypt } from '../documents/encryption';
import { hasCustomerJustBefore, usedBefore } from './checks.store';
import { correctionsRowId } from './corrections';
import type { OrderRequestRow } from './order-requests.store';
import { earlierVersions } from './versions.store';

/** One order request as staff sees it: decrypted, with all its versions and the checks of its prescription. */
export async function requestDetail(
  sql: Sql,
  dataKeys: DataKeys,
  row: OrderRequestRow,
): Promise<OrderRequestDetail> {
  const key = await dataKeys.keyOf(row.org_id);
  const open = (sealed: Buffer, rowId: string): unknown => JSON.parse(decrypt(key, sealed, rowId).toString());
  const payloadOf = (sealed: Buffer) => open(sealed, row.id) as Record<string, unknown>;
  const documents = await documentsOf(sql, row.org_id, row.id);
  const prescriptionOf = (version: number): OrderRequestDocument | null => {
    const document = documents.find((candidate) => candidate.version === version);
    return document ? shown(document, key) : null;
  };
  const newest = documents.at(-1);
  const earlier = await earlierVersions(sql, row.org_id, row.id, MAX_VERSIONS_SHOWN - 1);
  const payload = payloadOf(row.payload_ciphertext);
  const versions: OrderRequestVersion[] = earlier.reverse().map(({ number, question, ...version }) => ({
    ...{ number, question, prescription: prescriptionOf(number) },
    created_at: version.created_at.toISOString(),
    payload: payloadOf(version.payload_ciphertext),
  }));
  const presentSince = row.version_at ?? row.created_at;
  versions.push({
    ...{ number: row.version, question: row.question, prescription: prescriptionOf(row.version), payload },
    created_at: presentSince.toISOString(),
  });
  const { id, status, shop_id, source, external_reference, customer_name, total_amount, order_id } = row;
  const { question, version, reason, note, corrections_ciphertext: corrections } = row;
  return {
    ...{ id, status, shop_id, source, external_reference, customer_name, total_amount, order_id },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    payload,
    prescription: newest ? shown(newest, key) : null,
    checks: await checksOf(sql, row, newest),
    ...{ version, versions, question },
    corrections: corrections ? (open(corrections, correctionsRowId(id)) as OrderRequestCorrections) : null,
    ...{ reason, note },
  };
}

async function checksOf(
  sql: Sql,
  { org_id: orgId, id, external_reference: reference }: OrderRequestRow,
  document: StoredDocument | undefined,
): Promise<PrescriptionChecks> {
  const uses = document?.pdf_sha256 ? await usedBefore(sql, orgId, id, MAX_USES_SHOWN) : [];
  const repeated = reference === null && uses.some((use) => use.within_24_hours);
  return {
    pdf_sha256: document?.pdf_sha256 ?? null,
    used_before: uses.map(({ order_request_id, shop_id, status, created_at }) => ({
      ...{ order_request_id, shop_id, status, created_at },
    })),
    signature: document?.signature ?? null,
    pages: document?.pages ?? null,
    duplicate_suspect: repeated || (reference === null && (await hasCustomerJustBefore(sql, orgId, id))),
  };
}

function shown(document: StoredDocument, key: Buffer): OrderRequestDocument {
  const { id, version, state, pdf_sha256, url_ciphertext, failure, fetch_attempts } = document;
  const url = url_ciphertext ? decrypt(key, url_ciphertext, id).toString() : document.url;
  return { version, state, pdf_sha256, url, failure, fetch_attempts };
}
