import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, type KeyRun, ok } from '@offizin/contracts/calls/operation';
import {
  cancelExternalOrder,
  cancelOrderRequest,
  type CancelOrderRequestBody,
  type OrderRequestEnvelope,
  type OrderRequestResponse,
  replaceExternalOrder,
  replaceOrderRequest,
} from '@offizin/contracts/requests/order-requests';
import {
  addDocument,
  type AddDocumentResponse,
  addExternalDocument,
} from '@offizin/contracts/requests/added-documents';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import { appendAudit } from '../../audit/audit.store';
import { SCHEMA } from '../../db/schema';
import { assertCallerIsLive } from '../../callers/live-caller.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { decrypt } from '../../crypto/encryption';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { documentsOf, type StoredDocument } from '../../documents/documents/documents.store';
import { DocumentThreads, forgetPdf } from '../../documents/documents/document-threads';
import { findOwnRequest, lockRequest, namesOf, type OrderRequestRow } from '../intake/order-requests.store';
import { digestOfSent, type Submission } from '../intake/submission';
import * as content from '../intake/submission-content';
import { isUndecided, tooLate } from './decision';
import { deciderOf, markClosed } from './decision.store';

/**
 * The sender of an undecided request replaces it, adds documents to it, or withdraws it: the integration that handed it in, or the organization for
 * what it handed in directly. The row lock serializes this with decisions, questions and expiry. An approval of the version
 * before cannot commit any more.
 */
@Controller()
export class SenderHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
    private readonly fetcher: DocumentFetcher,
    private readonly threads: DocumentThreads,
  ) {}

  @Handles(replaceExternalOrder)
  async replaceExternal({
    caller,
    params,
    body,
    document,
  }: Call<typeof replaceExternalOrder>): Promise<Answer<OrderRequestResponse>> {
    const payload = content.readPayload(body);
    const shopId = content.shopOfConnector(caller, payload);
    const before = await this.own(caller, params.requestId);
    const envelope = envelopeOf(body, before);
    const submission = content.checked(envelope, document, payload, shopId, this.fetcher.takes);
    return this.replace(caller, before, { envelope, submission });
  }

  @Handles(replaceOrderRequest)
  async replaceDirectly({
    caller,
    params,
    body,
    document,
    keyRun,
  }: Call<typeof replaceOrderRequest>): Promise<Answer<OrderRequestResponse>> {
    const payload = content.readPayload(body);
    const shopId = content.shopInPayload(caller, payload);
    const before = await this.own(caller, params.requestId);
    if (shopId.toLowerCase() !== before.shop_id)
      throw invalid([{ field: 'payload.shop_id', message: 'is not the shop of the request' }]);
    const envelope = envelopeOf(body, before);
    const submission = content.checked(envelope, document, payload, shopId, this.fetcher.takes);
    return this.replace(caller, before, { envelope, submission }, keyRun);
  }

  @Handles(addExternalDocument)
  async addExternal(call: Call<typeof addExternalDocument>): Promise<Answer<AddDocumentResponse>> {
    return this.add(call);
  }

  @Handles(addDocument)
  async addDirectly(call: Call<typeof addDocument>): Promise<Answer<AddDocumentResponse>> {
    return this.add(call);
  }

  /** The same document again is answered with the one that is there. */
  private async add({
    caller,
    params,
    body,
    document: large,
    keyRun,
  }: Call<typeof addDocument | typeof addExternalDocument>): Promise<Answer<AddDocumentResponse>> {
    const { orgId } = caller;
    const { kind, name = null } = body;
    const sent = content.addedDocument(body, large, this.fetcher.takes);
    const sha256 = sent.kind === 'pdf' ? sent.pdf.sha256.toString('hex') : null;
    const { id } = await this.own(caller, params.requestId);
    answersAbout(keyRun, id);
    const key = await this.dataKeys.keyOf(orgId);
    const isSame = (stored: StoredDocument): boolean =>
      stored.kind === kind &&
      (sent.kind === 'pdf' ? stored.pdf_sha256 === sha256 : isOfUrl(stored, key, sent.url));
    const document = await content.encryptedDocument(sent, { key, orgId, threads: this.threads });
    const next = { action: 'order-request.add-document', id, content: null, document, added: { kind, name } };
    const storing = this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      const before = await lockRequest(tx, orgId, id);
      if (!before) throw notFound('order request');
      const same = (await content.presentDocuments(tx, orgId, id)).find(isSame);
      if (same) return storeAnswer(tx, keyRun, ok(content.takenWith(before, same)));
      if (!isUndecided(before.status)) throw tooLate(before.status, await deciderOf(tx, caller, id));
      const after = await content.insertNextVersion(tx, caller, before, next);
      const stored = (await documentsOf(tx, orgId, id)).at(-1);
      if (!stored) throw new Error(`order request ${id} has not got its document`);
      return storeAnswer(tx, keyRun, created(content.takenWith(after, stored)));
    });
    const answer = await storing.finally(() => document && 'pdf' in document && forgetPdf(document.pdf));
    this.relay.wake();
    if (sent.kind === 'url') this.fetcher.wake();
    return answer;
  }

  @Handles(cancelExternalOrder)
  async cancelExternal({
    caller,
    params,
    body,
  }: Call<typeof cancelExternalOrder>): Promise<Answer<OrderRequestResponse>> {
    return this.cancel(caller, params.requestId, body);
  }

  @Handles(cancelOrderRequest)
  async cancelDirectly({
    caller,
    params,
    body,
    keyRun,
  }: Call<typeof cancelOrderRequest>): Promise<Answer<OrderRequestResponse>> {
    return this.cancel(caller, params.requestId, body, keyRun);
  }

  private async cancel(
    caller: Caller,
    requestId: string,
    { reason, message }: CancelOrderRequestBody,
    keyRun?: KeyRun,
  ): Promise<Answer<OrderRequestResponse>> {
    const { orgId, actorId } = caller;
    const { id } = await this.own(caller, requestId);
    answersAbout(keyRun, id);
    const answer = await this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      const before = await lockRequest(tx, orgId, id);
      if (!before) throw notFound('order request');
      // Idempotent: an equal withdrawal returns the first result.
      if (before.status === 'cancelled' && before.reason === reason) return content.taken(before);
      const said = { status: 'cancelled', reason, note: message ?? null, message: null } as const;
      const sequence = await markClosed(tx, orgId, { requestId: id, ...said, decidedBy: actorId });
      if (sequence === null) throw tooLate(before.status, await deciderOf(tx, caller, id));
      await appendAudit(tx, caller, 'order-request.cancel', `order-request:${id}`);
      await appendEvent(tx, SCHEMA, {
        orgId,
        eventType: 'order_request_cancelled',
        aggregateId: id,
        sequence,
        topic: 'plain',
        title: 'Order request withdrawn',
        description: `An order request was withdrawn by its sender: ${reason}.`,
        metadata: { ...namesOf(before), reason, status: 'cancelled' },
        integrationId: before.integration_id,
      });
      return storeAnswer(tx, keyRun, content.taken({ ...before, status: 'cancelled' }));
    });
    this.relay.wake();
    return answer;
  }

  private async replace(
    caller: Caller,
    { id }: OrderRequestRow,
    { envelope, submission }: { envelope: OrderRequestEnvelope; submission: Submission },
    keyRun?: KeyRun,
  ): Promise<Answer<OrderRequestResponse>> {
    const { orgId } = caller;
    answersAbout(keyRun, id);
    const key = await this.dataKeys.keyOf(orgId);
    const document = await content.encryptedDocument(submission.prescription, {
      key,
      orgId,
      threads: this.threads,
    });
    const next = {
      action: 'order-request.replace',
      id,
      content: content.contentOf(submission, key, id),
      document,
    };
    const storing = this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      const before = await lockRequest(tx, orgId, id);
      if (!before) throw notFound('order request');
      if (!isUndecided(before.status)) throw tooLate(before.status, await deciderOf(tx, caller, id));
      const isSame =
        before.payload_digest.equals(submission.digest) ||
        before.payload_digest.equals(await digestBesideKept(tx, before, { envelope, submission }));
      const after = isSame ? before : await content.insertNextVersion(tx, caller, before, next);
      return storeAnswer(tx, keyRun, content.taken(after));
    });
    const answer = await storing.finally(() => document && 'pdf' in document && forgetPdf(document.pdf));
    this.relay.wake();
    if (submission.prescription?.kind === 'url') this.fetcher.wake();
    return answer;
  }

  /** Throws `Refused` (not_found) also for a request of another sender. */
  private async own(caller: Caller, requestId: string): Promise<OrderRequestRow> {
    const own = isId(requestId) ? await findOwnRequest(this.database, caller, requestId) : null;
    if (!own) throw notFound('order request');
    return own;
  }
}

/** Of a replacement beside what it leaves out and the request keeps: the PDF of the payload, and metadata. */
async function digestBesideKept(
  tx: Sql,
  { org_id: orgId, id, metadata }: OrderRequestRow,
  { envelope, submission: { prescription } }: { envelope: OrderRequestEnvelope; submission: Submission },
): Promise<Buffer> {
  const { metadata: given = {} } = envelope;
  const kept = Object.keys(metadata).length > 0 ? metadata : undefined;
  const isKept = given
    ? Object.entries(given).every(([key, value]) => (metadata[key] ?? null) === value)
    : !kept;
  const sent = isKept ? { ...envelope, metadata: kept } : envelope;
  if (prescription)
    return digestOfSent(sent, prescription.kind === 'pdf' ? prescription.pdf.sha256.toString('hex') : null);
  const [first] = await content.presentDocuments(tx, orgId, id);
  return digestOfSent(sent, first?.number === 1 ? first.pdf_sha256 : null);
}

/** A fetch that was given up does not count: the sender may try again. */
function isOfUrl({ id, state, url_ciphertext: sealed }: StoredDocument, key: Buffer, url: string): boolean {
  return state !== 'failed' && sealed !== null && decrypt(key, sealed, id).toString() === url;
}

/** Reference and source stay those of the request. */
function envelopeOf(
  body: OrderRequestEnvelope,
  { source, external_reference }: OrderRequestRow,
): OrderRequestEnvelope {
  const kept = { source, external_reference };
  const changed = (['source', 'external_reference'] as const).filter(
    (field) => (body[field] ?? kept[field]) !== kept[field],
  );
  if (changed.length === 0) return { ...body, ...kept };
  throw invalid(changed.map((field) => ({ field, message: 'is another than that of the request' })));
}
