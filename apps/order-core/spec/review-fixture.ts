import type { Bus } from '@offizin/bus/bus';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as requests from '@offizin/contracts/requests/order-request-review';
import { submitExternalOrder, submitOrderRequest } from '@offizin/contracts/requests/order-requests';
import * as review from '@offizin/contracts/requests/review';
import type { Database } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DataKeys } from '../crypto/data-keys.store';
import { DocumentReads } from '../documents/documents/document-reads';
import { ExpiryRule } from '../requests/review/decision';
import { DayHandlers } from '../requests/review/day.handlers';
import { type HandlerTable, OrderCoreFixture } from './spec-fixture';
import { ProductChecks } from '../requests/intake/product-checks';
import { LiveChanges } from '../requests/review/first-approvals';
import { ReviewDocumentHandlers } from '../requests/review/review-document.handlers';
import { CustomerHandlers } from '../requests/customer/customer.handlers';
import { ReviewScreenHandlers } from '../requests/review/review-screen.handlers';
import { requestHandlers } from './request-handlers';

export const EXPIRY_DAYS = 30;

/** For specs only: order-core with the operations of the review screen. Without a bus the catalog does not answer. */
export class ReviewFixture {
  private constructor(
    readonly core: OrderCoreFixture,
    readonly dataKeys: DataKeys,
    private readonly document: ReviewDocumentHandlers,
  ) {}

  static async make(
    database: Database,
    bus: Bus,
    further: (dataKeys: DataKeys) => HandlerTable = () => [],
  ): Promise<ReviewFixture> {
    const dataKeys = new DataKeys(database, [Buffer.alloc(32, 1)]);
    const document = new ReviewDocumentHandlers(
      database,
      dataKeys,
      new DocumentReads(database, dataKeys, null),
      new LiveChanges(bus.connection),
    );
    const handlers = handlersOf(database, bus, dataKeys, document);
    const core = await OrderCoreFixture.make(database, [...handlers, ...further(dataKeys)]);
    return new ReviewFixture(core, dataKeys, document);
  }

  /** Submits a request, as the organization or as a partner; returns its id. */
  async submit(
    payload: Record<string, unknown> = {},
    {
      pdf,
      by,
      ...envelope
    }: { pdf?: Buffer; external_reference?: string; source?: string; by?: Caller } = {},
  ): Promise<string> {
    const document = pdf === undefined ? {} : { prescription_pdf_base64: pdf.toString('base64') };
    const lines = { items: [{ name: 'Blüte', quantity: 2, price: 9.95 }] };
    const shopId = by?.shopId ?? this.core.shopId;
    const whole = { shop_id: shopId, customer_name: 'Jörg Möller', ...lines, ...document, ...payload };
    const request = { body: { ...envelope, payload: whole }, ...(by && { caller: by }) };
    const { status, body } = await this.core.call(by ? submitExternalOrder : submitOrderRequest, request);
    if (status !== 200) throw new Error(`submission answered ${status}: ${JSON.stringify(body)}`);
    return body.id;
  }

  async list(
    query: Record<string, string | number> = {},
    core = this.core,
  ): Promise<review.ReviewListResponse> {
    const entries = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const text = new URLSearchParams(entries as [string, string][]).toString();
    const { status, body } = await core.call(review.listReviews, { query: text, caller: core.staff() });
    if (status !== 200) throw new Error(`the list answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  async ids(query: Record<string, string | number> = {}): Promise<string[]> {
    return (await this.list(query)).data.map(({ id }) => id);
  }

  /** The document as the screen gets it. */
  async bytes(requestId: string, caller: Caller): Promise<{ body: Buffer; headers: Record<string, string> }> {
    const answer = await this.document.document({
      caller,
      params: { requestId, orgId: caller.orgId },
      query: {},
      body: {},
      headers: {},
    });
    const { content, headers } = answer;
    if (content?.kind !== 'bytes') throw new Error('the answer is not a document');
    return { body: content.bytes, headers };
  }

  async reject(requestId: string): Promise<void> {
    const params = { requestId };
    const { status } = await this.core.call(requests.rejectOrderRequest, {
      params,
      body: { reason: 'other' },
    });
    if (status !== 200) throw new Error(`the rejection answered ${status}`);
  }

  async ask(requestId: string): Promise<void> {
    const params = { requestId };
    const body = { question: 'Wie viel?' };
    const { status } = await this.core.call(requests.requestClarification, { params, body });
    if (status !== 200) throw new Error(`the question answered ${status}`);
  }
}

function handlersOf(
  database: Database,
  bus: Bus,
  dataKeys: DataKeys,
  document: ReviewDocumentHandlers,
): HandlerTable {
  const expiry = new ExpiryRule(EXPIRY_DAYS);
  const screen = new ReviewScreenHandlers(database, dataKeys, new ProductChecks(bus), expiry);
  return [
    ...requestHandlers(database, dataKeys),
    ...handlersIn(screen, document, new DayHandlers(database), new CustomerHandlers(database, dataKeys)),
  ];
}
