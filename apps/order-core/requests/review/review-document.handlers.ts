import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/calls/operation';
import type { PrescriberCheckResponse } from '@offizin/contracts/requests/prescriber-check';
import {
  checkPrescriber,
  noteView,
  readEPrescription,
  readReviewDocument,
  type ReviewMarks,
  setReviewMarks,
} from '@offizin/contracts/requests/review';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit, auditActorOf } from '../../audit/audit.store';
import { ReadAudit } from '../../audit/read-audit';
import { documentObject } from '../../audit/read-objects';
import { DataKeys } from '../../crypto/data-keys.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { DocumentReads } from '../../documents/documents/document-reads';
import { storedPdf } from '../../documents/documents/documents.store';
import { REQUEST_MOVES, requireVersion } from './decision';
import { decided } from './decision.store';
import { ownFirst } from './four-eyes';
import { LiveChanges } from './first-approvals';
import { hasFourEyes } from './four-eyes.store';
import { lookAtToken } from '../intake/e-prescription.store';
import { lockRequest } from '../intake/order-requests.store';
import { prescriptionPdf } from './prescription-pdf';
import { checkOf, identityOf, setCheck } from './prescribers.store';
import { refuseText } from '../../orders/orders/order-patch';
import { openedPayload } from '../intake/submission-content';
import { isMark, marksOf, mergeMarks } from './marks.store';
import { isNewView } from './review-detail.store';

/**
 * The prescription on the review screen: its document, who looked at it, and what was checked on it. A document may be
 * fetched ahead, so that a fetch and a look are two entries of the audit log.
 */
@Controller()
export class ReviewDocumentHandlers {
  readonly audit: ReadAudit;

  constructor(
    readonly database: Database,
    readonly dataKeys: DataKeys,
    readonly documents: DocumentReads,
    private readonly live: LiveChanges,
  ) {
    this.audit = new ReadAudit(database);
  }

  @Handles(readReviewDocument)
  async document({ caller, params, query }: Call<typeof readReviewDocument>): Promise<Answer<never>> {
    const { requestId } = params;
    return prescriptionPdf(this, caller, { requestId, ...query, action: 'prescription.fetch' });
  }

  @Handles(readEPrescription)
  async token({ caller, params }: Call<typeof readEPrescription>): Promise<Answer<EPrescription>> {
    const key = await this.dataKeys.keyOf(caller.orgId);
    return lookAtToken(this.database, key, caller, { kind: 'order-request', id: params.requestId });
  }

  @Handles(noteView)
  async viewed({ caller, params, query, keyRun }: Call<typeof noteView>): Promise<Answer<never>> {
    const { requestId } = params;
    const { orgId, actorId, sessionId = actorId } = caller;
    if (!isId(requestId)) throw notFound('order request');
    return liveTransaction(this.database, caller, async (tx) => {
      const document = await storedPdf(tx, orgId, requestId, query);
      if (!document) throw notFound('document');
      if (await isNewView(tx, { sessionId, documentId: document.id })) {
        await appendAudit(
          tx,
          caller,
          'prescription.view',
          documentObject(`order-request:${requestId}`, document),
        );
      }
      return storeAnswer<never>(tx, keyRun, noContent());
    });
  }

  /** Whatever became of the request: the check is about the prescriber. */
  @Handles(checkPrescriber)
  async prescriber({
    caller,
    params,
    body,
  }: Call<typeof checkPrescriber>): Promise<Answer<PrescriberCheckResponse>> {
    const { requestId } = params;
    const { orgId } = caller;
    const object = `order-request:${requestId}`;
    const key = await this.dataKeys.keyOf(orgId);
    const prescriber_check = await liveTransaction(this.database, caller, async (tx) => {
      const request = isId(requestId) ? await lockRequest(tx, orgId, requestId) : null;
      if (!request) throw notFound('order request');
      requireVersion(body.version, request);
      const identity = identityOf(key, openedPayload(key, request).prescriber, request.is_test);
      if (!identity) throw notFound('prescriber with a name, and a number or postal code');
      const checkedBy = body.checked ? auditActorOf(caller).actor : null;
      if (await setCheck(tx, orgId, { identity, checkedBy }))
        await appendAudit(tx, caller, `prescriber.${body.checked ? '' : 'un'}check`, object);
      return checkOf(tx, orgId, identity);
    });
    this.live.ring(orgId, requestId);
    return ok({ prescriber_check });
  }

  /** The row lock keeps a decision or a new version from coming between check and change. */
  @Handles(setReviewMarks)
  async mark({ caller, params, body }: Call<typeof setReviewMarks>): Promise<Answer<ReviewMarks>> {
    const { requestId } = params;
    const { orgId } = caller;
    if (!isId(requestId)) throw notFound('order request');
    const key = await this.dataKeys.keyOf(orgId);
    const { version: lookedAt, ...changes } = body;
    const isChange = Object.values(changes).some((value) => value !== undefined);
    const marked = await liveTransaction(this.database, caller, async (tx) => {
      const request = await lockRequest(tx, orgId, requestId);
      if (!request) throw notFound('order request');
      if (REQUEST_MOVES[request.status].length === 0) throw await decided(tx, caller, request);
      requireVersion(lookedAt, request);
      if (changes.note) refuseText(request);
      // Those of the first approval are stored with it.
      if (isMark(changes) && request.first_approved_by === caller.actorId && (await hasFourEyes(tx, orgId))) {
        throw ownFirst();
      }
      const { version } = request;
      const of = { orgId, requestId, version, actor: auditActorOf(caller).actor };
      if (!isChange) return marksOf(tx, key, of);
      const marks = await mergeMarks(tx, key, of, changes);
      await appendAudit(tx, caller, 'order-request.mark', `order-request:${requestId}`);
      return marks;
    });
    if (isChange) this.live.ring(orgId, requestId);
    return ok(marked);
  }
}
