import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call } from '@offizin/contracts/calls/operation';
import {
  acceptExternalOffer,
  acceptOffer,
  declineExternalOffer,
  declineOffer,
  offerLines,
} from '@offizin/contracts/requests/offers';
import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestResponse } from '@offizin/contracts/requests/order-requests';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { decrypt } from '../../crypto/encryption';
import { SCHEMA } from '../../db/schema';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import {
  findOwnRequest,
  lockRequest,
  type OrderRequestRow,
  requestEvent,
} from '../intake/order-requests.store';
import { encryptedOffer, openedOffer, type StoredOffer } from '../intake/read-back.store';
import { checkSubmission } from '../intake/submission';
import * as content from '../intake/submission-content';
import { refuseAfterLastVersion } from '../intake/versions.store';
import { ExpiryRule, isUndecided, requireVersion } from './decision';
import { decided } from './decision.store';
import { LiveChanges } from './first-approvals';
import { keepDocumentMarks } from './marks.store';
import { acceptedPayload, decideAnswer, isSameOffer, type OfferAnswer, offered } from './offer';
import { markDeclined, markOffered } from './offer.store';
import { changeRequest } from './request-change';

/**
 * Staff offers other lines in place of those that were sent; the sender accepts them, which makes the next version, or
 * declines them. The row lock serializes this with versions, withdrawal, decisions and expiry.
 */
@Controller()
export class OfferHandlers {
  constructor(
    readonly database: Database,
    private readonly relay: OutboxRelay,
    readonly dataKeys: DataKeys,
    private readonly fetcher: DocumentFetcher,
    private readonly expiry: ExpiryRule,
    private readonly changes: LiveChanges,
  ) {}

  @Handles(offerLines)
  async offer({
    caller,
    params: { requestId },
    body,
    keyRun,
  }: Call<typeof offerLines>): Promise<Answer<OrderRequestDetail>> {
    const { orgId } = caller;
    const { question = null, version } = body;
    if (question?.trim() === '') throw invalid([{ field: 'question', message: 'must not be blank' }]);
    const key = await this.dataKeys.keyOf(orgId);
    const answer = await changeRequest(this, { caller, requestId, keyRun }, async (tx, before) => {
      const { id, status } = before;
      if (!isUndecided(status)) throw await decided(tx, caller, before);
      refuseErased(before);
      const lines = offered(content.openedPayload(key, before), body);
      // Idempotent: an equal offer returns the first result.
      if (
        before.offer_state === 'open' &&
        before.question === question &&
        isSameOffer(openedOffer(key, before), lines)
      )
        return null;
      if (status === 'pending') {
        requireVersion(version, before);
        refuseAfterLastVersion(before.version);
      }
      const offer = encryptedOffer(key, id, { id: newId(), ...lines, message: null });
      const { valid_hours: hours } = lines;
      const sequence = await markOffered(tx, { orgId, id, question, offer, hours, days: this.expiry.days });
      if (sequence === null) throw await decided(tx, caller, before);
      const event = requestEvent({ ...before, sequence }, OFFERED, { status: 'needs_clarification' });
      await appendEvent(tx, SCHEMA, event);
      return 'order-request.offer';
    });
    this.relay.wake();
    return answer;
  }

  @Handles(acceptExternalOffer, acceptOffer)
  accept(call: AnswerCall): Promise<Answer<OrderRequestResponse>> {
    return this.answer(call, 'accepted');
  }

  @Handles(declineExternalOffer, declineOffer)
  decline(call: AnswerCall): Promise<Answer<OrderRequestResponse>> {
    return this.answer(call, 'declined');
  }

  private async answer(
    { caller, params: { requestId }, body, keyRun }: AnswerCall,
    answer: OfferAnswer,
  ): Promise<Answer<OrderRequestResponse>> {
    const { orgId } = caller;
    const { offer_id: meant = null, message = null } = body;
    const own = isId(requestId) ? await findOwnRequest(this.database, caller, requestId) : null;
    if (!own) throw notFound('order request', caller);
    answersAbout(keyRun, own);
    const key = await this.dataKeys.keyOf(orgId);
    const receipt = await liveTransaction(this.database, caller, async (tx) => {
      const before = await lockRequest(tx, orgId, own.id);
      if (!before) throw notFound('order request', caller);
      refuseErased(before);
      const offer = openedOffer(key, before);
      const { status, offer_state: state } = before;
      const step = decideAnswer({ status, state, id: offer?.id ?? null }, answer, meant);
      if (!offer || step === 'repeat')
        return storeAnswer(tx, keyRun, { ...content.taken(before), found: 'same' });
      const said = { ...offer, message };
      const change =
        answer === 'accepted'
          ? this.accepted(tx, caller, { before, key, said })
          : declined(tx, caller, { before, key, said });
      return storeAnswer(tx, keyRun, content.taken(await change));
    });
    this.relay.wake();
    this.changes.ring(orgId, own.id);
    return receipt;
  }

  /** Its documents, and what was checked on them, stay. */
  private async accepted(
    tx: Sql,
    caller: Caller,
    { before, key, said }: OfferSaid,
  ): Promise<OrderRequestRow> {
    const { id, org_id: orgId, source, external_reference, version, payload_ciphertext: ciphertext } = before;
    const sent = JSON.parse(decrypt(key, ciphertext, id).toString()) as Record<string, unknown>;
    const payload = acceptedPayload(sent, content.storedPayload(sent), said);
    const envelope = { source, external_reference, payload };
    const rules = { takesUrl: this.fetcher.takes };
    const submission = checkSubmission(envelope, content.storedPayload(payload), before.shop_id, rules);
    const digest = await content.digestWithKept(tx, before, { key, envelope, submission });
    const row = await content.insertNextVersion(tx, caller, before, {
      action: 'order-request.accept-offer',
      id,
      content: content.contentOf({ ...submission, digest }, key, id),
      customer: submission.customer,
      documents: [],
      accepted: encryptedOffer(key, id, said),
    });
    await keepDocumentMarks(tx, { orgId, requestId: id, version });
    return row;
  }
}

type AnswerCall = Call<
  typeof acceptExternalOffer | typeof acceptOffer | typeof declineExternalOffer | typeof declineOffer
>;

interface OfferSaid {
  before: OrderRequestRow;
  key: Buffer;
  /** The offer, with what its sender said. */
  said: StoredOffer;
}

async function declined(tx: Sql, caller: Caller, { before, key, said }: OfferSaid): Promise<OrderRequestRow> {
  const { id, org_id: orgId } = before;
  if (!(await markDeclined(tx, orgId, id, encryptedOffer(key, id, said))))
    throw new Error(`order request ${id} was not locked with an open offer`);
  await appendAudit(tx, caller, 'order-request.decline-offer', `order-request:${id}`);
  return { ...before, status: 'pending' };
}

function refuseErased({ erased_at: erasedAt }: OrderRequestRow): void {
  if (erasedAt === null) return;
  throw new Refused(
    'conflict',
    "The customer's data was erased, so the request takes no offer, and no answer to one.",
  );
}

const OFFERED = {
  eventType: 'order_request_clarification',
  title: 'Offer about an order request',
  description: 'The pharmacist offers other lines for an order request.',
} as const;
