import {
  type OrderRequestCorrections,
  type OrderRequestDetail,
  type OrderRequestDocument,
  type OrderRequestVersion,
} from '@offizin/contracts/requests/order-request-review';
import { testMark } from '@offizin/contracts/calls/test-mark';
import type { RequestOrder } from '@offizin/contracts/requests/partner-answer';
import { CursorOnlyQuery } from '@offizin/contracts/calls/paging';
import { MAX_USES_SHOWN, type PrescriptionChecks } from '@offizin/contracts/requests/prescription-checks';
import type { Sql } from '@offizin/pg/database';
import { decodeCursor, filteredName, nextCursor } from '@offizin/operations/cursor-pages';
import type { DataKeys } from '../../crypto/data-keys.store';
import { documentsOf, type StoredDocument } from '../../documents/documents/documents.store';
import { decrypt } from '../../crypto/encryption';
import { hasCustomerJustBefore, usedBefore } from './checks.store';
import { correctionsRowId } from './corrections';
import type { OrderRequestRow, RowWithDocuments } from '../intake/order-requests.store';
import { forSender, presentOf } from '../intake/submission-content';
import { offerAsRead, openedAnswer, orderOfRequest, requestOrderOf } from '../intake/read-back.store';
import { earlierVersions, type VersionBounds } from '../intake/versions.store';

/** Limits the payloads decrypted for one answer: a single payload may have megabytes. */
const MAX_VERSION_BYTES = 4 * 1024 * 1024;
const versionList = (requestId: string) => ({
  name: filteredName('versions', { requestId }),
  keyOf: ({ number }: OrderRequestVersion) => String(number),
});

/**
 * One order request for staff: decrypted, with the checks of its prescription and a page of its versions. Reads the order and
 * the documents of all versions unless they came with the row. Throws `Refused` for a cursor of another list.
 */
export async function requestDetail(
  sql: Sql,
  dataKeys: DataKeys,
  row: OrderRequestRow | RowWithDocuments,
  query: CursorOnlyQuery = new CursorOnlyQuery(),
): Promise<OrderRequestDetail> {
  const key = await dataKeys.keyOf(row.org_id);
  const open = (encrypted: Buffer, rowId: string): unknown =>
    JSON.parse(decrypt(key, encrypted, rowId).toString());
  const payloadOf = (encrypted: Buffer) => open(encrypted, row.id) as Record<string, unknown>;
  const documents = 'documents' in row ? row.documents : await documentsOf(sql, row.org_id, row.id);
  const prescriptions = documents.filter(({ kind }) => kind === 'prescription');
  const prescriptionOf = (version: number): OrderRequestDocument | null => {
    const document = prescriptions.find((candidate) => candidate.version === version);
    return document ? shown(document, key) : null;
  };
  const newest = newestOf(prescriptions);
  const list = versionList(row.id);
  const bounds = boundsOf(row, list, query);
  const earlier = bounds.before === 1 ? [] : await earlierVersions(sql, row.org_id, row.id, bounds);
  const payload = payloadOf(row.payload_ciphertext);
  const order = await orderIn(sql, row);
  const versions: OrderRequestVersion[] = earlier.reverse().map(({ number, question, ...version }) => ({
    number,
    question,
    prescription: prescriptionOf(number),
    created_at: version.created_at.toISOString(),
    payload: payloadOf(version.payload_ciphertext),
  }));
  if (query.cursor === undefined) {
    const presentSince = row.version_at ?? row.created_at;
    versions.push({
      number: row.version,
      question: row.question,
      prescription: prescriptionOf(row.version),
      payload,
      created_at: presentSince.toISOString(),
    });
  }
  const next_cursor = nextCursor(list, versions.slice(0, 1), (versions[0]?.number ?? 1) > 1);
  const { id, status, shop_id, source, integration_id, integration, external_reference } = row;
  const { customer_name, total_amount, order_id } = row;
  const { question, version, reason, note, corrections_ciphertext: corrections } = row;
  return {
    id,
    status,
    shop_id,
    source,
    integration_id,
    integration,
    external_reference,
    customer_name,
    total_amount,
    order_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    erased_at: row.erased_at?.toISOString() ?? null,
    ...testMark(row.is_test),
    payload,
    metadata: row.metadata,
    prescription: newest ? shown(newest, key) : null,
    documents: presentOf(documents).map((document) => shown(document, key)),
    checks: await checksOf(sql, row, prescriptions, (payload['e_prescription'] ?? null) !== null),
    version,
    versions,
    versions_pagination: { limit: query.limit, next_cursor },
    question,
    offer: offerAsRead(key, row),
    corrections: corrections ? (open(corrections, correctionsRowId(id)) as OrderRequestCorrections) : null,
    answer: openedAnswer(key, row),
    order,
    reason,
    note,
  };
}

async function orderIn(sql: Sql, row: OrderRequestRow | RowWithDocuments): Promise<RequestOrder | null> {
  if ('request_order' in row) return requestOrderOf(row.request_order);
  return row.order_id === null ? null : requestOrderOf(await orderOfRequest(sql, row.org_id, row.order_id));
}

/** The first page always includes the current version; each later page has at least one version. */
function boundsOf(
  row: OrderRequestRow,
  list: { name: string },
  { limit, cursor }: CursorOnlyQuery,
): VersionBounds {
  if (cursor === undefined) {
    const bytes = MAX_VERSION_BYTES - row.payload_ciphertext.length;
    return { before: row.version, limit: limit - 1, bytes, minimum: 0 };
  }
  const before = Number(decodeCursor(list.name, cursor, (key) => /^\d{1,9}$/.test(key)));
  return { before, limit, bytes: MAX_VERSION_BYTES, minimum: 1 };
}

async function checksOf(
  sql: Sql,
  { org_id: orgId, id, external_reference: reference }: OrderRequestRow,
  prescriptions: readonly StoredDocument[],
  hasToken: boolean,
): Promise<PrescriptionChecks> {
  const document = newestOf(prescriptions);
  const isAltered = presentOf(prescriptions).some(({ signature }) => signature === 'altered');
  const hasContent = hasToken || prescriptions.some(({ pdf_sha256 }) => pdf_sha256 !== null);
  const uses = hasContent ? await usedBefore(sql, orgId, id, MAX_USES_SHOWN) : [];
  const repeated = reference === null && uses.some((use) => use.within_24_hours && !use.withdrawn);
  return {
    pdf_sha256: document?.pdf_sha256 ?? null,
    used_before: uses.map(({ within_24_hours: _recent, ...use }) => use),
    signature: isAltered ? 'altered' : (document?.signature ?? null),
    pages: document?.pages ?? null,
    duplicate_suspect: repeated || (reference === null && (await hasCustomerJustBefore(sql, orgId, id))),
  };
}

/** Of those that the request has now, the first one of the last version that brought any. */
function newestOf(documents: readonly StoredDocument[]): StoredDocument | undefined {
  const present = presentOf(documents);
  const last = Math.max(...present.map(({ version }) => version));
  return present.find(({ version }) => version === last);
}

function shown(document: StoredDocument, key: Buffer): OrderRequestDocument {
  const { id, version, url_ciphertext, failure, fetch_attempts } = document;
  const url = url_ciphertext ? decrypt(key, url_ciphertext, id).toString() : null;
  return { ...forSender(document), version, url, failure, fetch_attempts };
}
