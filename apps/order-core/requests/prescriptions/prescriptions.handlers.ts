import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  getPrescription,
  getReceiptPdf,
  ingestPrescription,
  listPrescriptions,
  readIngestedToken,
  RECEIPT_KEY,
  type Prescription,
  type PrescriptionIngestResponse,
  type PrescriptionListResponse,
} from '@offizin/contracts/requests/prescriptions';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { isSameName } from '@offizin/pg/search-words';
import { appendEvent } from '@offizin/events/outbox';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { appendAudit } from '../../audit/audit.store';
import { documentObject, versionObject } from '../../audit/read-objects';
import { SCHEMA } from '../../db/schema';
import { requireShop } from '../../people/directory/organizations.store';
import { callerNotLive, credentialOf, liveTransaction } from '../../callers/live-caller.store';
import { assertNotOvertaken } from '../../callers/overtaken.store';
import { testRowsFor } from '../../callers/test-rows';
import { DataKeys } from '../../crypto/data-keys.store';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { DocumentReads, pdfAnswer } from '../../documents/documents/document-reads';
import { DocumentThreads } from '../../documents/documents/document-threads';
import { OF_PAYLOAD } from '../../documents/documents/documents.store';
import {
  afterStoring,
  type EncryptedDocument,
  encryptedDocument,
  insertDocument,
} from '../../documents/documents/sent-documents';
import { emailHash } from '../../crypto/encryption';
import { lookAtToken } from '../intake/e-prescription.store';
import { refuseErased } from '../intake/submission-content';
import { SharedWrites } from '../shared-writes/shared-writes';
import * as receipts from '../../documents/documents/receipts.store';
import { checkIngestion, type Ingestion, shopOfIngest } from './ingestion';
import * as store from './prescriptions.store';
import { decryptBody, decryptSummary, encryptPrescription } from './prescription-encryption';

/**
 * Prescriptions: submission, list, detail. Cast: ingestion.ts (rules of a body), prescription-encryption.ts
 * (encryption and hashes), the store.
 *
 * Guarantees: Racing ingests with one key of a shop yield one row and one id. A prescription has one event. No column
 * identifies the customer in plain text. Every read of a prescription or receipt is written to the audit log.
 */
@Controller()
export class PrescriptionsHandlers {
  /** Prescriptions without a receipt. */
  private readonly intake: SharedWrites<
    store.EncryptedPrescription,
    store.WrittenPrescription,
    PrescriptionIngestResponse
  >;

  constructor(
    private readonly database: Database,
    readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
    readonly fetcher: DocumentFetcher,
    private readonly threads: DocumentThreads,
    private readonly documents: DocumentReads,
  ) {
    this.intake = new SharedWrites(database, store.insertPrescriptions);
  }

  @Handles(ingestPrescription)
  async ingest({
    caller,
    query,
    body,
    keyRun,
    documents,
  }: Call<typeof ingestPrescription>): Promise<Answer<PrescriptionIngestResponse>> {
    const shopId = shopOfIngest(body, query.shop_id);
    const ingestion = checkIngestion(body, documents?.get(RECEIPT_KEY), this.fetcher.takes);
    if (!isId(shopId)) throw notFound('shop');
    const { orgId } = caller;
    const key = await this.dataKeys.keyOf(orgId);
    const row = encryptPrescription(key, ingestion, { id: newId(), shopId });
    const receipt = await encryptedDocument(ingestion.receipt, { key, orgId, threads: this.threads });
    if (!receipt) {
      const answer = await this.intake.submit({
        caller,
        row,
        customer: row.emailHash,
        keyRun,
        key: `${shopId.toLowerCase()} ${row.upsertKey.toString('hex')}`,
        audits: [{ action: 'prescription.create', object: objectOf(row.id) }],
        eventsOf: (written) => [receivedEvent(orgId, row.shopId, written)],
        answerOf: () => ok({ id: row.id, upsert: 'ok' }),
      });
      if (answer) {
        this.relay.wake();
        return answer;
      }
    }
    const storing = liveTransaction(this.database, caller, async (tx) => {
      await requireShop(tx, orgId, shopId);
      const id = await insertOrUpdate(tx, caller, { key, ingestion, receipt, row });
      return storeAnswer(tx, keyRun, ok<PrescriptionIngestResponse>({ id, upsert: 'ok' }));
    });
    return afterStoring(storing, receipt ? [{ document: receipt }] : [], this);
  }

  @Handles(listPrescriptions)
  async list({ caller, query }: Call<typeof listPrescriptions>): Promise<Answer<PrescriptionListResponse>> {
    const { orgId } = caller;
    const { shop_id: shopId, customer_email: email } = query;
    await requireShop(this.database, orgId, shopId);
    const key = await this.dataKeys.keyOf(orgId);
    const hash = email === undefined ? undefined : emailHash(key, email);
    const shown = { ...query, test: testRowsFor(caller, shopId) };
    const { data, pagination } = await store.listPrescriptions(this.database.reads, orgId, shown, hash);
    await this.auditRead(caller, 'prescription.list', `prescriptions:${data.length}`);
    const decrypted = data.map(({ encrypted, ...row }) => ({
      ...row,
      ...decryptSummary(key, row.id, Buffer.from(encrypted, 'base64')),
    }));
    return ok({ data: decrypted, pagination }, NOT_STORED);
  }

  @Handles(getPrescription)
  async get({ caller, params }: Call<typeof getPrescription>): Promise<Answer<Prescription>> {
    const { orgId } = caller;
    const { prescriptionId: id } = params;
    const row = isId(id) ? await store.findPrescription(this.database, orgId, id) : null;
    if (!row) throw notFound('prescription');
    const receipt = await receipts.receiptOf(this.database, orgId, row.id);
    await this.auditRead(caller, 'prescription.read', versionObject(objectOf(row.id), row.sequence));
    const key = await this.dataKeys.keyOf(orgId);
    const prescription = {
      id: row.id,
      shop_id: row.shop_id,
      ...decryptSummary(key, row.id, row.summary_ciphertext),
      order_total_amount: row.total_amount,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
      ...testMark(row.is_test),
      receipt,
      data: decryptBody(key, row.id, row.body_ciphertext),
    };
    return ok(prescription, NOT_STORED);
  }

  @Handles(readIngestedToken)
  async token({ caller, params }: Call<typeof readIngestedToken>): Promise<Answer<EPrescription>> {
    const key = await this.dataKeys.keyOf(caller.orgId);
    return lookAtToken(this.database, key, caller, { kind: 'prescription', id: params.prescriptionId });
  }

  @Handles(getReceiptPdf)
  async receipt({ caller, params }: Call<typeof getReceiptPdf>): Promise<Answer<never>> {
    const { orgId } = caller;
    const { prescriptionId: id } = params;
    if (!isId(id) || !(await store.prescriptionExists(this.database, orgId, id)))
      throw notFound('prescription');
    const place = await receipts.storedReceipt(this.database, orgId, id);
    if (place === null) throw notFound('receipt');
    const pdf = await this.documents.read(orgId, place, () =>
      this.auditRead(caller, 'prescription.read-receipt', documentObject(objectOf(id), place)),
    );
    if (!pdf) throw notFound('receipt');
    return pdfAnswer(pdf, `receipt-${id}`);
  }

  /** Commits before the answer is sent; refuses a key that was revoked meanwhile. */
  private async auditRead(caller: Caller, action: string, object: string): Promise<void> {
    await liveTransaction(this.database, caller, async (tx) => {
      await appendAudit(tx, caller, action, object);
    });
  }
}

const NOT_STORED = { 'cache-control': 'no-store' };

interface Ingested {
  key: Buffer;
  ingestion: Ingestion;
  receipt: EncryptedDocument | null;
  row: store.EncryptedPrescription;
}

async function insertOrUpdate(tx: Sql, caller: Caller, ingested: Ingested): Promise<string> {
  const { orgId } = caller;
  const { receipt, row } = ingested;
  await assertNotOvertaken(tx, [{ orgId, begunAtMs: caller.begunAtMs, customer: row.emailHash }]);
  const [written] = await store.insertPrescriptions(tx, [{ ...row, ...credentialOf(caller), orgId }]);
  if (!written) return updateKnown(tx, caller, ingested);
  await insertReceipt(tx, orgId, receipt, { prescriptionId: row.id, version: 1 });
  if (receipt) await receipts.setReceiptCustomer(tx, orgId, row.id, row.emailHash);
  await audit(tx, caller, 'prescription.create', row.id);
  await appendEvent(tx, SCHEMA, receivedEvent(orgId, row.shopId, written));
  return row.id;
}

/** For an existing key: an equal body changes nothing, a different one replaces the stored body under the same id. */
async function updateKnown(tx: Sql, caller: Caller, given: Ingested): Promise<string> {
  const { orgId } = caller;
  const { key, ingestion, receipt, row } = given;
  const known = await store.lockPrescription(tx, orgId, row.shopId, row.upsertKey);
  // Nothing was written because the key or the shop has ended since it was checked.
  if (!known) throw callerNotLive(caller);
  const { id } = known;
  refuseErased(known.body_digest);
  if (ingestion.receipt?.kind === 'url') await receipts.fetchReceiptAgain(tx, orgId, id);
  if (known.body_digest.equals(row.bodyDigest)) return id;
  const emailHash = row.emailHash ?? keptEmailHash(known, given);
  const encrypted = { ...encryptPrescription(key, ingestion, { id, shopId: row.shopId }), emailHash };
  const version = await store.replacePrescription(tx, orgId, encrypted);
  const isKnownReceipt =
    encrypted.receiptDigest !== null && known.receipt_digest?.equals(encrypted.receiptDigest) === true;
  if (!isKnownReceipt) await insertReceipt(tx, orgId, receipt, { prescriptionId: id, version });
  if (receipt) await receipts.setReceiptCustomer(tx, orgId, id, emailHash);
  await audit(tx, caller, 'prescription.update', id);
  return id;
}

/** An ingest that only leaves the e-mail out stays its customer's: an erasure by e-mail finds it. */
function keptEmailHash(known: store.KnownPrescription, { key, ingestion }: Ingested): Buffer | null {
  const { id, customer_email_hash: hash, summary_ciphertext: summary } = known;
  const [before, now] = [decryptSummary(key, id, summary), ingestion.summary].map(
    ({ customer_first_name: first, customer_last_name: last }) => `${first ?? ''} ${last ?? ''}`,
  );
  return isSameName(before ?? '', now ?? '') ? hash : null;
}

async function insertReceipt(
  tx: Sql,
  orgId: string,
  receipt: EncryptedDocument | null,
  of: { prescriptionId: string; version: number },
): Promise<void> {
  await insertDocument(tx, orgId, receipt, { ...of, ...OF_PAYLOAD });
}

async function audit(tx: Sql, caller: Caller, action: string, id: string): Promise<void> {
  await appendAudit(tx, caller, action, objectOf(id));
}

function objectOf(prescriptionId: string): string {
  return `prescription:${prescriptionId}`;
}

function receivedEvent(
  orgId: string,
  shopId: string,
  { id, is_test }: store.WrittenPrescription,
): Parameters<typeof appendEvent>[2] {
  return {
    orgId,
    eventType: 'prescription_received',
    aggregateId: id,
    sequence: 1,
    topic: 'plain',
    title: 'Prescription received',
    description: 'A prescription was handed in.',
    metadata: { prescription_id: id, shop_id: shopId, ...testMark(is_test) },
  };
}
