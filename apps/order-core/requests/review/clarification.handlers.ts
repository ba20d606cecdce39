import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, type KeyRun, ok } from '@offizin/contracts/calls/operation';
import {
  type OrderRequestDetail,
  requestClarification,
  retryPrescriptionFetch,
  withdrawClarification,
} from '@offizin/contracts/requests/order-request-review';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/events/outbox';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { appendAudit } from '../../audit/audit.store';
import { SCHEMA } from '../../db/schema';
import { assertCallerIsLive } from '../../callers/live-caller.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { retryFetch } from '../../documents/documents/documents.store';
import { markAsked, markWithdrawn } from './clarification.store';
import { requireVersion } from './decision';
import { decided } from './decision.store';
import { findRequest, lockRequest, namesOf, type OrderRequestRow } from '../intake/order-requests.store';
import { presentDocuments } from '../intake/submission-content';
import { requestDetail } from './request-detail.store';

/**
 * Staff asks the partner a question, withdraws it, or retries the fetch of a prescription. The partner answers with a
 * submission (submission.handlers). The row lock serializes question, decision and expiry.
 */
@Controller()
export class ClarificationHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
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
    const answer = await this.change(of, async (tx, before) => {
      // Idempotent: an equal question returns the first result.
      if (before.status === 'needs_clarification' && before.question === question) return null;
      if (before.status === 'pending') requireVersion(version, before);
      const sequence = await markAsked(tx, caller.orgId, before.id, question);
      if (sequence === null) throw await decided(tx, caller, before);
      await appendEvent(tx, SCHEMA, {
        orgId: caller.orgId,
        aggregateId: before.id,
        sequence,
        topic: 'plain',
        eventType: 'order_request_clarification',
        title: 'Question about an order request',
        description: 'The pharmacist has a question about an order request.',
        metadata: { ...namesOf(before), status: 'needs_clarification' },
        integrationId: before.integration_id,
      });
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
    return this.change({ caller, requestId: params.requestId, keyRun }, async (tx, before) => {
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
    const answer = await this.change(of, async (tx, { id }) => {
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

  /** Changes the locked request and appends the audit entry named by `work`; null means nothing changed. */
  private async change(
    { caller, requestId, keyRun }: { caller: Caller; requestId: string; keyRun: KeyRun | undefined },
    work: (tx: Sql, before: OrderRequestRow) => Promise<string | null>,
  ): Promise<Answer<OrderRequestDetail>> {
    const { orgId } = caller;
    if (!isId(requestId)) throw notFound('order request');
    // Loads the key into memory first: the transaction must not wait for a second connection.
    await this.dataKeys.keyOf(orgId);
    const detail = async (tx: Sql, row: OrderRequestRow) => ok(await requestDetail(tx, this.dataKeys, row));
    return this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      const before = await lockRequest(tx, orgId, requestId);
      if (!before) throw notFound('order request');
      const action = await work(tx, before);
      answersAbout(keyRun, requestId);
      if (action === null) return detail(tx, before);
      await appendAudit(tx, caller, action, `order-request:${requestId}`);
      const changed = (await findRequest(tx, orgId, requestId)) ?? before;
      return storeAnswer(tx, keyRun, await detail(tx, changed));
    });
  }
}
