import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, type KeyRun, ok } from '@offizin/contracts/calls/operation';
import {
  findExternalOrder,
  type OrderRequestProgress,
  type OrderRequestResponse,
  readExternalOrder,
  submitExternalOrder,
  submitOrderRequest,
} from '@offizin/contracts/requests/order-requests';
import { type ExternalOrdersResponse, listExternalOrders } from '@offizin/contracts/requests/external-orders';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/events/outbox';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { appendAudit } from '../../audit/audit.store';
import { SCHEMA } from '../../db/schema';
import {
  assertCallerIsLive,
  callerNotLive,
  credentialOf,
  liveTransaction,
} from '../../callers/live-caller.store';
import { assertNotOvertaken } from '../../callers/overtaken.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { SharedWrites } from '../shared-writes/shared-writes';
import { DocumentThreads } from '../../documents/documents/document-threads';
import { afterStoring, areLarge, encryptedDocuments } from '../../documents/documents/sent-documents';
import { integrationOfLiveKey } from './integrations.store';
import * as store from './order-requests.store';
import { ownRequests } from './own-requests.store';
import { findProgress, type ProgressBy, progressOf } from './progress.store';
import { refuseTrial } from './refused-trials.store';
import type { Submission } from './submission';
import {
  checked,
  contentOf,
  insertNextVersion,
  insertWithDocuments,
  type NewRequestWithDocuments,
  questionOf,
  readPayload,
  refuseErased,
  shopOf,
  submittedEvent,
  taken,
} from './submission-content';
import { isKnownVersion } from './versions.store';

/**
 * Submission of order requests, through a shop's connector or directly, and reading them back. One transaction stores
 * request, document and event. Repeating a reference returns the same id, also in a race. A different payload under the
 * same reference is accepted once, as the next version, while a question of the pharmacist is open. What else the sender
 * changes is in review/sender.handlers.ts.
 */
@Controller()
export class SubmissionHandlers {
  /** Requests without large documents. */
  private readonly intake: SharedWrites<NewRequestWithDocuments, store.WrittenRequest, OrderRequestResponse>;

  constructor(
    private readonly database: Database,
    readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
    readonly fetcher: DocumentFetcher,
    private readonly threads: DocumentThreads,
  ) {
    this.intake = new SharedWrites(database, insertWithDocuments);
  }

  @Handles(submitExternalOrder, submitOrderRequest)
  async submit({
    caller,
    body,
    keyRun,
    documents: handedIn,
  }: Call<typeof submitExternalOrder | typeof submitOrderRequest>): Promise<Answer<OrderRequestResponse>> {
    const payload = readPayload(body);
    const shopId = shopOf(caller, payload);
    const submission = checked(body, payload, shopId, { handedIn, takesUrl: this.fetcher.takes });
    await refuseTrial(this.database, caller, shopId, submission.externalReference);
    const id = newId();
    const { orgId } = caller;
    const key = await this.dataKeys.keyOf(orgId);
    const { source, externalReference } = submission;
    const content = { shopId, source, externalReference, ...contentOf(submission, key, id) };
    const documents = await encryptedDocuments(submission.documents, { key, orgId, threads: this.threads });
    const sent = { shopId, submission, key, row: { ...content, documents } };
    return afterStoring(this.store(caller, sent, keyRun), documents, this);
  }

  @Handles(readExternalOrder)
  async read({ caller, params }: Call<typeof readExternalOrder>): Promise<Answer<OrderRequestProgress>> {
    if (!isId(params.requestId)) throw notFound('order request', caller);
    return this.progress(caller, { id: params.requestId, keyId: caller.actorId });
  }

  @Handles(findExternalOrder)
  async findByReference({
    caller,
    query,
  }: Call<typeof findExternalOrder>): Promise<Answer<OrderRequestProgress>> {
    return this.progress(caller, { reference: query.external_reference, keyId: caller.actorId });
  }

  @Handles(listExternalOrders)
  async list({ caller, query }: Call<typeof listExternalOrders>): Promise<Answer<ExternalOrdersResponse>> {
    const { orgId, shopId, actorId } = caller;
    const integrationId = await integrationOfLiveKey(this.database, orgId, actorId);
    if (shopId === null || integrationId === null) throw callerNotLive(caller);
    const { rows, nextCursor } = await ownRequests(this.database, { orgId, shopId, integrationId }, query);
    const data = await Promise.all(rows.map((row) => progressOf(this.dataKeys, row)));
    return ok({ data, pagination: { limit: query.limit, next_cursor: nextCursor } });
  }

  private async progress(caller: Caller, by: ProgressBy): Promise<Answer<OrderRequestProgress>> {
    await assertCallerIsLive(this.database, caller);
    const row = await findProgress(this.database, caller.orgId, caller.shopId ?? '', by);
    if (!row) throw notFound('order request', caller);
    return ok(await progressOf(this.dataKeys, row));
  }

  private async store(
    caller: Caller,
    sent: CheckedSubmission,
    keyRun: KeyRun | undefined,
  ): Promise<Answer<OrderRequestResponse>> {
    const { shopId, row } = sent;
    const { orgId } = caller;
    const shared = areLarge(row.documents) ? null : await this.storeShared(caller, sent, keyRun);
    if (shared) return shared;
    return liveTransaction(this.database, caller, async (tx) => {
      if (!(await store.isActiveShop(tx, orgId, shopId))) throw notFound('shop');
      await assertNotOvertaken(tx, [{ orgId, begunAtMs: caller.begunAtMs, customer: row.customerDigest }]);
      const [inserted] = await insertWithDocuments(tx, [{ ...row, ...credentialOf(caller), orgId }]);
      if (!inserted) return storeAnswer(tx, keyRun, await repeated(tx, caller, sent));
      await appendAudit(tx, caller, 'order-request.submit', `order-request:${row.id}`);
      const request = firstOf(row, orgId, inserted);
      await appendEvent(tx, SCHEMA, submittedEvent(request));
      return storeAnswer(tx, keyRun, taken(request));
    });
  }

  /** Null when nothing was written: the reference is known, or the caller or shop may not submit. */
  private storeShared(
    caller: Caller,
    { row }: CheckedSubmission,
    keyRun: KeyRun | undefined,
  ): Promise<Answer<OrderRequestResponse> | null> {
    const { id, shopId, source, externalReference } = row;
    const { orgId } = caller;
    return this.intake.submit({
      caller,
      row,
      customer: row.customerDigest,
      keyRun,
      key: `${shopId.toLowerCase()} ${source} ${externalReference ?? id}`,
      audits: [{ action: 'order-request.submit', object: `order-request:${id}` }],
      eventsOf: (written) => [submittedEvent(firstOf(row, orgId, written))],
      answerOf: (written) => taken(firstOf(row, orgId, written)),
    });
  }
}

interface CheckedSubmission {
  shopId: string;
  submission: Submission;
  key: Buffer;
  row: NewRequestWithDocuments;
}

/** A new request, as it is stored. */
function firstOf(
  { id, shopId, source, externalReference }: store.NewOrderRequest,
  orgId: string,
  { is_test, integration_id }: store.WrittenRequest,
) {
  const names = { id, org_id: orgId, shop_id: shopId.toLowerCase(), source };
  return {
    ...names,
    external_reference: externalReference,
    status: 'pending',
    sequence: 1,
    version: 1,
    is_test,
    integration_id,
  } as const;
}

/**
 * Handles a repeated reference: returns the request for a known payload, stores the answer to an open question, or
 * refuses. Racing answers wait for the row lock; all but the first are repeats or are refused.
 */
async function repeated(
  tx: Sql,
  caller: Caller,
  sent: CheckedSubmission,
): Promise<Answer<OrderRequestResponse>> {
  const { orgId } = caller;
  const { shopId, submission, key } = sent;
  const { documents } = sent.row;
  const reference = submission.externalReference ?? '';
  const by = { reference, keyId: credentialOf(caller).keyId };
  const read = () => store.findRequestByReference(tx, shopId, submission.source, by);
  const first = await read();
  // Nothing was written because the key or the shop has ended since it was checked.
  if (!first) throw callerNotLive(caller);
  const same = (row: store.OrderRequestRow) => ({ ...taken(row), found: 'same' as const });
  // An equal answer may have become a version since the question was read as open.
  const isAsked = first.status === 'needs_clarification';
  if (await isKnownVersion(tx, first.id, submission.digest))
    return same((isAsked && (await read())) || first);
  refuseErased(first.payload_digest);
  const conflict = `The reference ${reference} was sent before with another content.`;
  if (!isAsked) throw new Refused('reference_conflict', conflict);
  const locked = await store.lockRequest(tx, orgId, first.id);
  if (await isKnownVersion(tx, first.id, submission.digest)) return same(locked ?? first);
  if (locked?.status !== 'needs_clarification') throw new Refused('reference_conflict', conflict);
  const { id } = first;
  const content = contentOf(submission, key, id);
  const next = { action: 'order-request.submit', id, content, customer: submission.customer, documents };
  return { ...taken(await insertNextVersion(tx, caller, locked, next)), found: questionOf(locked) };
}
