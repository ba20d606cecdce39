import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import {
  findExternalOrder,
  OrderRequestPayload,
  type OrderRequestEnvelope,
  type OrderRequestProgress,
  type OrderRequestReceipt,
  type OrderRequestStatus,
  readExternalOrder,
  submitExternalOrder,
  submitOrderRequest,
} from '@offizin/contracts/order-requests';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/pg/outbox';
import { OutboxRelay } from '@offizin/pg/outbox-relay';
import { validate } from '@offizin/runtime/validate';
import { SCHEMA } from '../db/schema';
import { assertKeyIsLive } from '../directory/directory.store';
import { DataKeys } from '../documents/data-keys.store';
import { DocumentFetcher } from '../documents/document-fetcher';
import { insertPdf, insertPdfUrl } from '../documents/documents.store';
import { encrypt } from '../documents/encryption';
import { sha256 } from '../documents/pdf';
import * as store from './order-requests.store';
import { checkSubmission, type Submission } from './submission';

const MESSAGES: Record<OrderRequestStatus, string> = {
  pending: 'The request was received and waits for the pharmacist.',
  approved: 'The request was approved and became an order.',
  rejected: 'The request was rejected.',
  needs_clarification: 'The pharmacist has a question.',
  expired: 'The request expired before it was decided.',
};

/**
 * Handing in order requests, from a shop's connector or directly, and reading them back. Request, document and event
 * are stored in one transaction; the same reference again gives the same id, whoever races.
 */
@Controller()
export class SubmissionHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
    private readonly fetcher: DocumentFetcher,
  ) {}

  @Handles(submitExternalOrder)
  async submitExternal({
    caller,
    body,
  }: Call<typeof submitExternalOrder>): Promise<Answer<OrderRequestReceipt>> {
    const payload = readPayload(body);
    const { shopId } = caller;
    if (shopId === null) throw notFound('shop');
    const mismatches = [
      { field: 'payload.shop_id', given: payload.shop_id, own: shopId },
      { field: 'payload.org_id', given: payload.org_id, own: caller.orgId },
    ].filter(({ given, own }) => given !== undefined && given !== own);
    if (mismatches.length > 0) {
      throw invalid(mismatches.map(({ field }) => ({ field, message: "does not match this shop's own" })));
    }
    return this.submit(caller, shopId, checkSubmission(body, payload, shopId));
  }

  @Handles(submitOrderRequest)
  async submitDirectly({
    caller,
    body,
  }: Call<typeof submitOrderRequest>): Promise<Answer<OrderRequestReceipt>> {
    const payload = readPayload(body);
    const { shop_id: shopId, org_id: orgId } = payload;
    if (shopId === undefined) throw invalid([{ field: 'payload.shop_id', message: 'is required' }]);
    if (orgId !== undefined && orgId !== caller.orgId) {
      throw invalid([{ field: 'payload.org_id', message: 'does not match the organization' }]);
    }
    if (!isId(shopId)) throw notFound('shop');
    return this.submit(caller, shopId, checkSubmission(body, payload, shopId));
  }

  @Handles(readExternalOrder)
  async read({ caller, params }: Call<typeof readExternalOrder>): Promise<Answer<OrderRequestProgress>> {
    if (!isId(params.requestId)) throw notFound('order request');
    return this.progress(caller, { id: params.requestId });
  }

  @Handles(findExternalOrder)
  async findByReference({
    caller,
    query,
  }: Call<typeof findExternalOrder>): Promise<Answer<OrderRequestProgress>> {
    return this.progress(caller, { reference: query.external_reference });
  }

  private async progress(
    caller: Caller,
    by: { id: string } | { reference: string },
  ): Promise<Answer<OrderRequestProgress>> {
    await assertKeyIsLive(this.database, caller);
    const row = await store.findProgress(this.database, caller.orgId, caller.shopId ?? '', by);
    if (!row) throw notFound('order request');
    const { id, status, external_reference, order_status, reason } = row;
    const message = row.partner_message ?? MESSAGES[status];
    const updated_at = row.updated_at.toISOString();
    return ok({ id, status, message, external_reference, order_status, reason, question: null, updated_at });
  }

  private async submit(
    caller: Caller,
    shopId: string,
    submission: Submission,
  ): Promise<Answer<OrderRequestReceipt>> {
    const id = newId();
    const { orgId } = caller;
    const key = await this.dataKeys.keyOf(orgId);
    const request = {
      ...{ id, shopId, source: submission.source, externalReference: submission.externalReference },
      ...{ customerName: submission.customerName, totalAmount: submission.totalAmount },
      payloadCiphertext: encrypt(key, Buffer.from(JSON.stringify(submission.payload)), id),
      payloadDigest: submission.digest,
    };
    const stored = await this.database.transaction(async (tx) => {
      await assertKeyIsLive(tx, caller);
      if (!(await store.isActiveShop(tx, orgId, shopId))) throw notFound('shop');
      const inserted = await store.insertOrderRequest(tx, orgId, request);
      if (!inserted) return firstOfReference(tx, shopId, submission);
      await insertPrescription(tx, orgId, id, submission, key);
      await appendEvent(tx, SCHEMA, submittedEvent(inserted));
      return inserted;
    });
    this.relay.ring();
    if (submission.prescription?.kind === 'url') this.fetcher.ring();
    const { status, external_reference } = stored;
    return ok({ id: stored.id, status, message: MESSAGES[status], external_reference });
  }
}

/** Known keys are checked, further ones kept: the payload is stored whole. */
export function readPayload(envelope: OrderRequestEnvelope): OrderRequestPayload {
  return validate(OrderRequestPayload, envelope.payload, { keepUnknown: true, prefix: 'payload' });
}

/** The request that took the reference: the answer to a repeat, and a refusal for a different request. */
async function firstOfReference(
  tx: Sql,
  shopId: string,
  submission: Submission,
): Promise<store.OrderRequestRow> {
  const reference = submission.externalReference ?? '';
  const first = await store.findRequestByReference(tx, shopId, submission.source, reference);
  if (!first) throw new Error('a reference was taken and then not found');
  if (first.payload_digest.equals(submission.digest)) return first;
  throw new Refused('reference_conflict', `The reference ${reference} was sent before with another content.`);
}

async function insertPrescription(
  tx: Sql,
  orgId: string,
  requestId: string,
  { prescription }: Submission,
  key: Buffer,
): Promise<void> {
  if (!prescription) return;
  const id = newId();
  if (prescription.kind === 'url') {
    await insertPdfUrl(tx, orgId, id, requestId, prescription.url);
    return;
  }
  const { bytes } = prescription;
  const ciphertext = encrypt(key, bytes, id);
  await insertPdf(tx, orgId, {
    id,
    orderRequestId: requestId,
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    ciphertext,
  });
}

function submittedEvent(row: store.OrderRequestRow): Parameters<typeof appendEvent>[2] {
  return {
    orgId: row.org_id,
    eventType: 'order_request_submitted',
    aggregateId: row.id,
    sequence: row.sequence,
    lane: 'plain',
    title: 'Order request submitted',
    description: 'A new order request waits for review.',
    metadata: { order_request_id: row.id, shop_id: row.shop_id, source: row.source, status: row.status },
  };
}
