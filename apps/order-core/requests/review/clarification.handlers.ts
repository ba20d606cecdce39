import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import type { Answer, Call } from '@offizin/contracts/calls/operation';
import {
  type OrderRequestDetail,
  requestClarification,
  retryPrescriptionFetch,
  withdrawClarification,
} from '@offizin/contracts/requests/order-request-review';
import { Database } from '@offizin/pg/database';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { refuseText } from '../../orders/orders/order-patch';
import { SCHEMA } from '../../db/schema';
import { DataKeys } from '../../crypto/data-keys.store';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { retryFetch } from '../../documents/documents/documents.store';
import { markAsked, markWithdrawn } from './clarification.store';
import { requireVersion } from './decision';
import { decided } from './decision.store';
import { requestEvent } from '../intake/order-requests.store';
import { presentDocuments } from '../intake/submission-content';
import { refuseAfterLastVersion } from '../intake/versions.store';
import { changeRequest } from './request-change';

/**
 * Staff asks the partner a question, withdraws it, or retries the fetch of a prescription. The partner answers with a
 * submission (submission.handlers). The row lock serializes question, decision and expiry.
 */
@Controller()
export class ClarificationHandlers {
  constructor(
    readonly database: Database,
    private readonly relay: OutboxRelay,
    readonly dataKeys: DataKeys,
    private readonly fetcher: DocumentFetcher,
  ) {}

  @Handles(requestClarification)
  async ask({
    caller,
    params,
    body: { question, version },
    keyRun,
  }: Call<typeof requestClarification>): Promise<Answer<OrderRequestDetail>> {
    if (question.trim() === '') throw invalid([{ field: 'question', message: 'must not be blank' }]);
    const of = { caller, requestId: params.requestId, keyRun };
    const answer = await changeRequest(this, of, async (tx, before) => {
      // Idempotent: an equal question returns the first result.
      if (before.status === 'needs_clarification' && before.question === question) return null;
      if (before.status === 'pending') {
        requireVersion(version, before);
        refuseAfterLastVersion(before.version);
      }
      refuseText(before);
      const sequence = await markAsked(tx, caller.orgId, before.id, question);
      if (sequence === null) throw await decided(tx, caller, before);
      const event = requestEvent({ ...before, sequence }, ASKED, { status: 'needs_clarification' });
      await appendEvent(tx, SCHEMA, event);
      return 'order-request.request-clarification';
    });
    this.relay.wake();
    return answer;
  }

  @Handles(withdrawClarification)
  async withdraw({
    caller,
    params,
    keyRun,
  }: Call<typeof withdrawClarification>): Promise<Answer<OrderRequestDetail>> {
    return changeRequest(this, { caller, requestId: params.requestId, keyRun }, async (tx, before) => {
      // Already withdrawn or answered: no question is open.
      if (before.status === 'pending') return null;
      if (!(await markWithdrawn(tx, caller.orgId, before.id))) throw await decided(tx, caller, before);
      return 'order-request.withdraw-clarification';
    });
  }

  @Handles(retryPrescriptionFetch)
  async retry({
    caller,
    params,
    keyRun,
  }: Call<typeof retryPrescriptionFetch>): Promise<Answer<OrderRequestDetail>> {
    const of = { caller, requestId: params.requestId, keyRun };
    const answer = await changeRequest(this, of, async (tx, { id }) => {
      const documents = await presentDocuments(tx, caller.orgId, id);
      if (documents.length === 0) throw notFound('document');
      if (documents.every(({ state }) => state === 'stored')) {
        throw new Refused('conflict', 'The documents are there: nothing has to be fetched.');
      }
      return (await retryFetch(tx, caller.orgId, id)) ? 'order-request.retry-fetch' : null;
    });
    this.fetcher.wake();
    return answer;
  }
}

const ASKED = {
  eventType: 'order_request_clarification',
  title: 'Question about an order request',
  description: 'The pharmacist has a question about an order request.',
} as const;
