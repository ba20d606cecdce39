import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, ok } from '@offizin/contracts/calls/operation';
import {
  cancelExternalOrder,
  cancelOrderRequest,
  type OrderRequestEnvelope,
  type OrderRequestResponse,
  type ReplaceResponse,
  replaceExternalOrder,
  replaceOrderRequest,
} from '@offizin/contracts/requests/order-requests';
import {
  addDocument,
  type AddDocumentResponse,
  addExternalDocument,
} from '@offizin/contracts/requests/added-documents';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import { appendAudit } from '../../audit/audit.store';
import { SCHEMA } from '../../db/schema';
import { liveTransaction } from '../../callers/live-caller.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { decrypt } from '../../crypto/encryption';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { documentsOf, type StoredDocument } from '../../documents/documents/documents.store';
import { DocumentThreads } from '../../documents/documents/document-threads';
import {
  afterStoring,
  encryptedDocuments,
  type SentDocumentOfCall,
} from '../../documents/documents/sent-documents';
import {
  findOwnRequest,
  lockRequest,
  type OrderRequestRow,
  requestEvent,
} from '../intake/order-requests.store';
import { oneDocument } from '../intake/submission';
import * as content from '../intake/submission-content';
import { isUndecided, tooLate } from './decision';
import { deciderOf, markClosed } from './decision.store';

/**
 * The sender of an undecided request replaces it, adds documents to it, or withdraws it: the integration that handed it
 * in, or the organization for what it handed in directly. The row lock serializes this with decisions, questions and
 * expiry. An approval of the version before cannot commit any more.
 */
@Controller()
export class SenderHandlers {
  constructor(
    private readonly database: Database,
    readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
    readonly fetcher: DocumentFetcher,
    private readonly threads: DocumentThreads,
  ) {}

  @Handles(replaceExternalOrder, replaceOrderRequest)
  async replace({
    caller,
    params,
    body,
    documents: handedIn,
    keyRun,
  }: Call<typeof replaceExternalOrder | typeof replaceOrderRequest>): Promise<Answer<ReplaceResponse>> {
    const { orgId } = caller;
    const payload = content.readPayload(body);
    const shopId = content.shopOf(caller, payload);
    const own = await this.own(caller, params.requestId);
    if (shopId.toLowerCase() !== own.shop_id)
      throw invalid([{ field: 'payload.shop_id', message: 'is not the shop of the request' }]);
    const envelope = envelopeOf(body, own);
    const rules = { handedIn, takesUrl: this.fetcher.takes };
    const submission = content.checked(envelope, payload, shopId, rules);
    const { id } = own;
    answersAbout(keyRun, own);
    const key = await this.dataKeys.keyOf(orgId);
    const documents = await encryptedDocuments(submission.documents, { key, orgId, threads: this.threads });
    const next = {
      action: 'order-request.replace',
      id,
      content: content.contentOf(submission, key, id),
      customer: submission.customer,
      documents,
    };
    const storing = liveTransaction(this.database, caller, async (tx) => {
      const before = await lockRequest(tx, orgId, id);
      if (!before) throw notFound('order request', caller);
      if (!isUndecided(before.status)) throw tooLate(before.status, await deciderOf(tx, caller, id));
      const isSame =
        before.payload_digest.equals(submission.digest) ||
        (await content.isSameBesideKept(tx, before, { key, envelope, submission }));
      const after = isSame ? before : await content.insertNextVersion(tx, caller, before, next);
      const present = await content.presentDocuments(tx, orgId, id);
      const found = isSame ? 'same' : content.questionOf(before);
      return storeAnswer(tx, keyRun, { ...ok(content.replaced(after, present)), found });
    });
    return afterStoring(storing, documents, this);
  }

  /** The same document again is answered with the one that is there. */
  @Handles(addExternalDocument, addDocument)
  async add({
    caller,
    params,
    body,
    documents: handedIn,
    keyRun,
  }: Call<typeof addDocument | typeof addExternalDocument>): Promise<Answer<AddDocumentResponse>> {
    const { orgId } = caller;
    const { kind, name = null } = body;
    const sent = oneDocument(body, '', { handedIn, takesUrl: this.fetcher.takes });
    const sha256 = sent.kind === 'pdf' ? sent.pdf.sha256.toString('hex') : null;
    const own = await this.own(caller, params.requestId);
    const { id } = own;
    answersAbout(keyRun, own);
    const key = await this.dataKeys.keyOf(orgId);
    const isSame = (stored: StoredDocument): boolean =>
      stored.kind === kind &&
      (sent.kind === 'pdf' ? stored.pdf_sha256 === sha256 : isOfUrl(stored, key, sent.url));
    const added: SentDocumentOfCall = { role: 'added', kind, name, sent };
    const documents = await encryptedDocuments([added], { key, orgId, threads: this.threads });
    const next = { action: 'order-request.add-document', id, content: null, documents };
    const storing = liveTransaction(this.database, caller, async (tx) => {
      const before = await lockRequest(tx, orgId, id);
      if (!before) throw notFound('order request', caller);
      const same = (await content.presentDocuments(tx, orgId, id)).find(isSame);
      if (same) return storeAnswer(tx, keyRun, { ...ok(content.takenWith(before, same)), found: 'same' });
      if (!isUndecided(before.status)) throw tooLate(before.status, await deciderOf(tx, caller, id));
      const after = await content.insertNextVersion(tx, caller, before, next);
      const stored = (await documentsOf(tx, orgId, id)).at(-1);
      if (!stored) throw new Error(`order request ${id} has not got its document`);
      const added = created(content.takenWith(after, stored));
      return storeAnswer(tx, keyRun, { ...added, found: content.questionOf(before) });
    });
    return afterStoring(storing, documents, this);
  }

  @Handles(cancelExternalOrder, cancelOrderRequest)
  async cancel({
    caller,
    params,
    body: { reason, message },
    keyRun,
  }: Call<typeof cancelExternalOrder | typeof cancelOrderRequest>): Promise<Answer<OrderRequestResponse>> {
    const { orgId, actorId } = caller;
    const own = await this.own(caller, params.requestId);
    const { id } = own;
    answersAbout(keyRun, own);
    const answer = await liveTransaction(this.database, caller, async (tx) => {
      const before = await lockRequest(tx, orgId, id);
      if (!before) throw notFound('order request', caller);
      // Idempotent: an equal withdrawal returns the first result.
      if (before.status === 'cancelled' && before.reason === reason)
        return { ...content.taken(before), found: 'same' as const };
      const said = { status: 'cancelled', reason, note: message ?? null, message: null } as const;
      const sequence = await markClosed(tx, orgId, { requestId: id, ...said, decidedBy: actorId });
      if (sequence === null) throw tooLate(before.status, await deciderOf(tx, caller, id));
      await appendAudit(tx, caller, 'order-request.cancel', `order-request:${id}`);
      const event = {
        eventType: 'order_request_cancelled',
        title: 'Order request withdrawn',
        description: `An order request was withdrawn by its sender: ${reason}.`,
      } as const;
      const now = { reason, status: 'cancelled' };
      await appendEvent(tx, SCHEMA, requestEvent({ ...before, sequence }, event, now));
      return storeAnswer(tx, keyRun, content.taken({ ...before, status: 'cancelled' }));
    });
    this.relay.wake();
    return answer;
  }

  /** Throws `Refused` (not_found) also for a request of another sender. */
  private async own(caller: Caller, requestId: string): Promise<OrderRequestRow> {
    const own = isId(requestId) ? await findOwnRequest(this.database, caller, requestId) : null;
    if (!own) throw notFound('order request', caller);
    return own;
  }
}

/** A fetch that was given up does not count: the sender may try again. */
function isOfUrl(
  { id, state, url_ciphertext: ciphertext }: StoredDocument,
  key: Buffer,
  url: string,
): boolean {
  return state !== 'failed' && ciphertext !== null && decrypt(key, ciphertext, id).toString() === url;
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
