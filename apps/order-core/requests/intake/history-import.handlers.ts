import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import {
  type ImportedOrder,
  type ImportedRequest,
  importHistory,
  type ImportHistoryResponse,
} from '@offizin/contracts/orders/history-import';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { Database, isUniqueViolation, type Sql } from '@offizin/pg/database';
import { databaseNowMs } from '@offizin/pg/database-clock';
import { isId, newId } from '@offizin/pg/ids';
import { appendAudit, auditActorOf } from '../../audit/audit.store';
import { NO_CREDENTIAL } from '../../callers/live-caller.store';
import { assertNotOvertaken, personIn } from '../../callers/overtaken.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { lockOrganization } from '../../people/directory/organizations.store';
import { DocumentFetcher } from '../../documents/documents/document-fetcher';
import { DocumentThreads } from '../../documents/documents/document-threads';
import {
  encryptedDocuments,
  forgetDocuments,
  type NewDocument,
} from '../../documents/documents/sent-documents';
import { pastOrder, type PastOrder } from '../../orders/orders/imported-order';
import { insertPastOrders } from '../../orders/orders/imported-orders.store';
import { namedItems } from '../../orders/orders/line-names';
import { patchOf, type StoredItem } from '../../orders/orders/order-patch';
import { ProductChecks } from './product-checks';
import { DEFAULT_WORKFLOW } from '../../orders/orders/order-status';
import { followsOrders } from '../../orders/stock/stock-claims.store';
import { approvedOrder } from './approved-order';
import { placeInPast } from './order-requests.store';
import * as store from './order-requests.store';
import { checked, contentOf, insertWithDocuments, readPayload } from './submission-content';
import type { Submission } from './submission';

/** Whether this installation takes orders and requests of the past at all (ALLOW_HISTORY_IMPORT). */
export class HistoryImportRule {
  constructor(readonly isAllowed: boolean) {}
}

interface PreparedRequest {
  id: string;
  given: ImportedRequest;
  submission: Submission;
  documents: NewDocument[];
  order: PastOrder | null;
}

/**
 * The operator writes what happened before. One transaction per call stores rows, history and audit entries; a repeat
 * adds nothing. No event is published, and the stock stays as it is: it was counted after those orders.
 */
@Controller()
export class HistoryImportHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly threads: DocumentThreads,
    private readonly fetcher: DocumentFetcher,
    private readonly rule: HistoryImportRule,
    private readonly products: ProductChecks,
  ) {}

  @Handles(importHistory)
  async import({ caller, body }: Call<typeof importHistory>): Promise<Answer<ImportHistoryResponse>> {
    if (!this.rule.isAllowed)
      throw new Refused('forbidden', 'This installation takes no history: ALLOW_HISTORY_IMPORT is not set.');
    const { org_id: orgId } = body;
    if (!isId(orgId)) throw notFound('organization');
    const now = new Date(databaseNowMs());
    const by = { ...caller, orgId };
    const orders = await Promise.all(body.orders.map((order) => this.orderOf(by, order, now)));
    const key = await this.dataKeys.keyOf(orgId);
    const requests = await Promise.all(body.requests.map((given) => this.prepared(by, given, key, now)));
    const storing = this.database.transaction(async (tx) => {
      const customers = [
        ...body.orders.map(({ customer_email }) => ({ customer_email })),
        ...requests.map(({ submission: { customer } }) => ({
          customer_email: 'email' in customer ? customer.email : null,
        })),
      ];
      const person = (patch: { customer_email?: string | null }) =>
        personIn(this.dataKeys, { orgId, credential: caller, patch });
      await assertNotOvertaken(tx, customers.map(person));
      await requireTarget(tx, orgId, [...body.orders, ...body.requests]);
      let newRequests = 0;
      const ofRequests: PastOrder[] = [];
      for (const request of requests) {
        if (!(await storeRequest(tx, by, request, key))) continue;
        newRequests += 1;
        if (request.order) ofRequests.push(request.order);
      }
      const importer = { actor: caller.actorId, audit: auditActorOf(caller) };
      const written = await insertPastOrders(tx, orgId, [...ofRequests, ...orders], importer);
      if (!ofRequests.every(({ id }) => written.includes(id))) throw referenceTaken();
      return { orders: written.length, requests: newRequests };
    });
    const reply = await storing
      .catch((error: unknown) => {
        throw isUniqueViolation(error, store.APPROVED_REFERENCE) ? referenceTaken() : error;
      })
      .finally(() => requests.forEach(({ documents }) => forgetDocuments(documents)));
    this.fetcher.wake();
    return ok(reply);
  }

  private async prepared(
    caller: Caller,
    given: ImportedRequest,
    key: Buffer,
    now: Date,
  ): Promise<PreparedRequest> {
    const id = newId();
    const { submitted_at, decision, shop_id } = given;
    if (Date.parse(decision?.at ?? submitted_at) > now.getTime() || Date.parse(submitted_at) > now.getTime())
      throw invalid([{ field: 'requests', message: 'must be in the past' }]);
    const payload = readPayload(given);
    const { takes: takesUrl } = this.fetcher;
    const submission = checked(given, payload, shop_id, { takesUrl });
    const { orgId } = caller;
    const documents = await encryptedDocuments(submission.documents, { key, orgId, threads: this.threads });
    if (decision?.status !== 'approved') return { id, given, submission, documents, order: null };
    const { fields, status } = approvedOrder(payload, {});
    const order = {
      id: newId(),
      shopId: shop_id,
      externalId: given.external_reference,
      requestId: id,
      createdAt: decision.at,
      status,
      steps: decision.steps ?? [],
      patch: { ...fields, items: await this.named(caller, fields.items), order_datetime: decision.at },
    };
    return { id, given, submission, documents, order: pastOrder(order, DEFAULT_WORKFLOW, now) };
  }

  private async orderOf(caller: Caller, given: ImportedOrder, now: Date): Promise<PastOrder> {
    const patch = patchOf(given);
    const order = {
      id: newId(),
      shopId: given.shop_id,
      externalId: given.external_id,
      requestId: null,
      createdAt: given.created_at,
      status: 'pending' as const,
      steps: given.steps,
      patch: patch.items ? { ...patch, items: await this.named(caller, patch.items) } : patch,
    };
    return pastOrder(order, DEFAULT_WORKFLOW, now);
  }

  private async named(caller: Caller, items: StoredItem[]): Promise<StoredItem[]> {
    const nothing = () => Promise.resolve(null);
    return namedItems(items, nothing, (ids) => this.products.productsOf(caller, ids));
  }
}

function referenceTaken(): Refused {
  return new Refused('conflict', 'The shop already has an order with the reference of an approved request.');
}

async function requireTarget(tx: Sql, orgId: string, given: readonly { shop_id: string }[]): Promise<void> {
  if (!(await lockOrganization(tx, orgId))) throw notFound('organization');
  if (await followsOrders(tx, orgId))
    throw new Refused('conflict', "The organization's stock follows orders: past ones would claim it now.");
  for (const shopId of new Set(given.map(({ shop_id }) => shop_id))) {
    if (!isId(shopId) || !(await store.isActiveShop(tx, orgId, shopId))) throw notFound('shop');
  }
}

/** False for a request that is there already. */
async function storeRequest(
  tx: Sql,
  caller: Caller,
  { id, given, submission, documents, order }: PreparedRequest,
  key: Buffer,
): Promise<boolean> {
  const { orgId, actorId } = caller;
  const { source, externalReference } = submission;
  const names = { shopId: given.shop_id, source, externalReference, ...NO_CREDENTIAL, orgId };
  const row = { ...contentOf(submission, key, id), ...names, documents };
  if ((await insertWithDocuments(tx, [row])).length === 0) return false;
  await placeInPast(tx, { orgId, id }, given, { orderId: order?.id ?? null, actorId });
  await appendAudit(tx, caller, 'order-request.import', `order-request:${id}`);
  return true;
}
