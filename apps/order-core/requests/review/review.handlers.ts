import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import {
  getOrderRequest,
  getOrderRequestDocument,
  getPrescriptionPdf,
  listOrderRequests,
  type OrderRequestDetail,
  type OrderRequestListResponse,
  rejectOrderRequest,
} from '@offizin/contracts/requests/order-request-review';
import type { Caller } from '@offizin/contracts/calls/caller';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { SHARE_WAIT } from '@offizin/operations/call-shares';
import { FairShares } from '@offizin/runtime/fair-shares';
import { ReadAudit } from '../../audit/read-audit';
import { versionObject } from '../../audit/read-objects';
import { SCHEMA } from '../../db/schema';
import { requireShop } from '../../people/directory/organizations.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { DocumentReads } from '../../documents/documents/document-reads';
import { REQUEST_MOVES, requireVersion } from './decision';
import { decided, markClosed } from './decision.store';
import * as store from '../intake/order-requests.store';
import { prescriptionPdf } from './prescription-pdf';
import { changeRequest } from './request-change';
import { requestDetail } from './request-detail.store';
import { listRequestsJson } from './request-list.store';

/** Every read of a prescription is written to the audit log. */
@Controller()
export class ReviewHandlers {
  readonly audit: ReadAudit;
  private readonly details: Sql;
  /** `alone` runs each statement by itself, `shared` coalesces equal ones. */
  private readonly listReads: { alone: Sql; shared: Sql };
  /** Payloads and versions of several megabytes; shares.ts counts a read as cheap. */
  private readonly largeReads = new FairShares({
    name: 'large order requests',
    slots: 4,
    perParty: 2,
    perPartyBesideOthers: 1,
    maxRestMs: 100,
    ...SHARE_WAIT,
  });

  constructor(
    readonly database: Database,
    private readonly relay: OutboxRelay,
    readonly dataKeys: DataKeys,
    readonly documents: DocumentReads,
  ) {
    this.audit = new ReadAudit(database);
    this.details = new ReadCoalescer(database);
    this.listReads = { alone: database.reads, shared: new ReadCoalescer(database.reads) };
  }

  @Handles(listOrderRequests)
  async list({ caller, query }: Call<typeof listOrderRequests>): Promise<Answer<OrderRequestListResponse>> {
    await requireShop(this.database, caller.orgId, query.shop_id);
    return okJson(await listRequestsJson(this.listReads, caller.orgId, query));
  }

  @Handles(getOrderRequest)
  async get({ caller, params, query }: Call<typeof getOrderRequest>): Promise<Answer<OrderRequestDetail>> {
    const { requestId } = params;
    if (!isId(requestId)) throw notFound('order request');
    const small = await store.findSmallRequest(this.details, caller.orgId, requestId);
    if (small) return this.read(caller, small, query);
    return this.largeReads.run(caller.orgId, async () => {
      const row = await store.findRequest(this.database, caller.orgId, requestId);
      if (!row) throw notFound('order request');
      return this.read(caller, row, query);
    });
  }

  @Handles(getPrescriptionPdf)
  async prescription({ caller, params, query }: Call<typeof getPrescriptionPdf>): Promise<Answer<never>> {
    const { requestId } = params;
    return prescriptionPdf(this, caller, { requestId, ...query, action: 'prescription.read' });
  }

  @Handles(getOrderRequestDocument)
  async document({ caller, params }: Call<typeof getOrderRequestDocument>): Promise<Answer<never>> {
    const { requestId, number } = params;
    if (!/^[1-9]\d{0,2}$/.test(number)) throw notFound('document');
    const of = { requestId, number: Number(number), action: 'prescription.read' };
    return prescriptionPdf(this, caller, of);
  }

  @Handles(rejectOrderRequest)
  async reject({
    caller,
    params,
    body,
    keyRun,
  }: Call<typeof rejectOrderRequest>): Promise<Answer<OrderRequestDetail>> {
    const { reason } = body;
    const of = { caller, requestId: params.requestId, keyRun };
    const answer = await changeRequest(this, of, async (tx, before) => {
      // Idempotent: an equal rejection returns the first result.
      if (before.status === 'rejected' && before.reason === reason) return null;
      if (REQUEST_MOVES[before.status].includes('rejected')) requireVersion(body.version, before);
      const said = { reason, note: body.note ?? null, message: body.message ?? null };
      const decision = {
        requestId: before.id,
        status: 'rejected',
        ...said,
        decidedBy: caller.actorId,
      } as const;
      const sequence = await markClosed(tx, caller.orgId, decision);
      if (sequence === null) throw await decided(tx, caller, before);
      const event = {
        eventType: 'order_request_rejected',
        title: 'Order request rejected',
        description: `An order request was rejected: ${reason}.`,
      } as const;
      const now = { reason, status: 'rejected' };
      await appendEvent(tx, SCHEMA, store.requestEvent({ ...before, sequence }, event, now));
      return 'order-request.reject';
    });
    this.relay.wake();
    return answer;
  }

  private async read(
    caller: Caller,
    row: store.OrderRequestRow | store.RowWithDocuments,
    query: Call<typeof getOrderRequest>['query'],
  ): Promise<Answer<OrderRequestDetail>> {
    const object = versionObject(`order-request:${row.id}`, row.version);
    await this.audit.append(caller, 'order-request.read', object);
    return ok(await requestDetail(this.details, this.dataKeys, row, query));
  }
}
