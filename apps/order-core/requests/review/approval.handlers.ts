import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { testMark } from '@offizin/contracts/calls/test-mark';
import {
  type ApproveBody,
  approveOrderRequest,
  type ApproveResponse,
  type OrderRequestCorrections,
} from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { settleAttempt, type SettleAttemptResponse } from '@offizin/contracts/products/reservations';
import { Database, isUniqueViolation, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { answersAbout } from '@offizin/idempotency/stored-answer';
import type { NewEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { assertCallerIsLive } from '../../callers/live-caller.store';
import { personIn } from '../../callers/overtaken.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { encrypt } from '../../crypto/encryption';
import { orderDetail } from '../../orders/orders/order-detail';
import { refuseText, SMALL_ORDER_LINES, type StoredItem } from '../../orders/orders/order-patch';
import type { OrderRow } from '../../orders/orders/order-row';
import { findOrder, findOrderByKey } from '../../orders/orders/orders.store';
import { SharedWrites, type Write } from '../shared-writes/shared-writes';
import { settleClaim } from '../../orders/stock/stock-claims.store';
import { type HoldOf, StockHolds, voided } from '../../orders/stock/stock-holds';
import { type HeldStock, stockLines } from '../../orders/stock/stock-lines';
import { type ApprovedOrder, approvedOrder, hashOfLines } from '../intake/approved-order';
import { idsWithoutName, namedLines } from '../../orders/orders/line-names';
import { type Approval, type ApprovedRow, approveRequests, orderOfOther } from './approval.store';
import {
  approvedContent,
  correctionsOf,
  correctionsRowId,
  namesCustomer,
  overrideOf,
  overrideRowId,
} from './corrections';
import { alreadyDecided, cannotApprove, newerVersion, requireVersion } from './decision';
import { FirstApprovals } from './first-approvals';
import { changedFirst, digestOf, stepOf } from './four-eyes';
import { findApprovableRequest, firstOf, isSameFirst } from './four-eyes.store';
import { deciderOf, settle, startAttempt } from './decision.store';
import { APPROVED_REFERENCE, type OrderRequestRow } from '../intake/order-requests.store';
import { ProductChecks } from '../intake/product-checks';
import { linesOf } from '../intake/submission';
import { openedPayload } from '../intake/submission-content';

/** Reads of one request, each after a concurrent approval has changed it. */
const MAX_ROUNDS = 4;

/**
 * Approval in three steps: reserve, commit, confirm. The catalog first holds the stock. One transaction then stores
 * order, decision, history and events, and `order_created` makes the catalog confirm the hold. Before the catalog
 * releases an unconfirmed hold, order-core marks that attempt void, so a late commit of the attempt fails. A crash
 * between any two steps leaves either a complete order with its stock or neither (decision 0004).
 */
@Controller()
export class ApprovalHandlers {
  private readonly approvals: SharedWrites<Approval, ApprovedRow, ApproveResponse>;

  constructor(
    private readonly database: Database,
    private readonly holds: StockHolds,
    private readonly relay: OutboxRelay,
    private readonly dataKeys: DataKeys,
    private readonly firstApprovals: FirstApprovals,
    private readonly products: ProductChecks,
  ) {
    this.approvals = new SharedWrites(database, approveRequests, {
      isLarge: ({ row }) => row.fields.items.length > SMALL_ORDER_LINES,
    });
  }

  @Handles(approveOrderRequest)
  async approve(call: Call<typeof approveOrderRequest>): Promise<Answer<ApproveResponse>> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const answer = await this.tryToApprove(call);
      if (answer) return answer;
    }
    throw voided('The approval');
  }

  /**
   * Null when the request has changed since it was read: by an approval with other lines, a first approval or an
   * erasure. Null, too, when an order of another sender has taken its reference meanwhile.
   */
  private async tryToApprove({
    caller,
    params,
    body: sent,
    keyRun,
  }: Call<typeof approveOrderRequest>): Promise<Answer<ApproveResponse> | null> {
    const { requestId } = params;
    const request = isId(requestId)
      ? await findApprovableRequest(this.database, caller.orgId, requestId)
      : null;
    if (!request) throw notFound('order request');
    answersAbout(keyRun, request);
    if (request.status === 'approved') return repeated(this.database, caller, request);
    if (request.status !== 'pending') throw await unapprovable(this.database, caller, request);
    requireVersion(sent.version, request);
    if (namesCustomer(sent)) refuseText(request);
    const body = request.erased_at ? { ...sent, reason: undefined, acknowledged: undefined } : sent;
    const payload = await this.payloadOf(request);
    const order = approvedOrder(payload, body);
    const corrections = correctionsOf(payload, body, order);
    const lists = [linesOf(payload), order.fields.items];
    // Only the decider of test shops is a process (test-decisions.ts).
    const isSecond =
      caller.kind !== 'service' && (await this.firstApprovals.areNeeded(caller, request, lists));
    if (isSecond) {
      const digest = digestOf(approvedContent(payload, body, order));
      const step = stepOf(caller, firstOf(request), { digest, seen: body.first_approval_at });
      const content = { digest, corrections, override: overrideOf(body) };
      if (step === 'first') return this.firstApprovals.store(caller, request, content, keyRun);
    }
    const kept = await this.kept(request, { corrections, body });
    const lines = hashOfLines(stockLines(order.fields.items));
    const attempt = await startAttempt(this.database, request.org_id, request, lines);
    if (attempt === null) return null;
    const claimed = { ...request, attempt, attempt_lines: lines };
    const [named, stock] = await Promise.all([
      this.named(caller, order),
      this.reserve(caller, claimed, order.fields.items),
    ]);
    const { customer } = personIn(this.dataKeys, {
      orgId: claimed.org_id,
      credential: caller,
      patch: order.fields,
    });
    const approval = approvalOf(caller, claimed, { order: named, stock, kept, body, isSecond });
    const answer = await this.approvals
      .submit({ ...approval, customer, keyRun })
      .then((written) => written ?? this.unwritten(caller, claimed))
      .catch((error: unknown) => this.releaseAndRethrow(caller, claimed, refusalOf(error, claimed)));
    this.relay.wake();
    return answer;
  }

  @Handles(settleAttempt)
  async settle({ body }: Call<typeof settleAttempt>): Promise<Answer<SettleAttemptResponse>> {
    const { order_request_id: requestId, attempt } = body;
    const approved = isId(requestId) ? await this.settled(requestId, attempt) : null;
    return ok({ outcome: approved ? 'approved' : 'void', order_id: approved?.orderId ?? null });
  }

  /** The id may belong to an order request or to an order's stock claim. */
  private async settled(id: string, attempt: number): Promise<{ orderId: string | null } | null> {
    return (await settle(this.database, id, attempt)) ?? settleClaim(this.database, id);
  }

  /**
   * Why an approval was not written: throws `Refused`, or answers for a request that was approved meanwhile. Null when
   * it is written the next time.
   */
  private async unwritten(caller: Caller, claimed: OrderRequestRow): Promise<Answer<ApproveResponse> | null> {
    const { org_id: orgId, id, shop_id: shopId, external_reference: reference } = claimed;
    await assertCallerIsLive(this.database, caller);
    const request = await findApprovableRequest(this.database, orgId, id);
    if (!request) throw notFound('order request');
    if (request.status === 'approved') return repeated(this.database, caller, request);
    if (request.status !== 'pending') throw await unapprovable(this.database, caller, request);
    if (request.version !== claimed.version) throw newerVersion(request.version);
    if (!isSameFirst(request, claimed)) throw changedFirst(firstOf(request));
    const find = (externalId: string) => findOrderByKey(this.database, orgId, shopId, externalId);
    if (await find(id)) throw orderExists(id);
    if (await orderOfOther(this.database, orgId, id)) return null;
    if (reference !== null && (await find(reference))) throw orderExists(reference);
    if (request.erased_at === null || claimed.erased_at !== null) throw voided('The approval');
    // The erasure made the attempt void.
    await this.holds.release(caller, holdOf(claimed));
    return null;
  }

  /**
   * Names from the catalog are not a correction, and two people approve without them. A slow catalog leaves them out.
   */
  private async named(caller: Caller, order: ApprovedOrder): Promise<ApprovedOrder> {
    const products = await this.products.productsOf(caller, idsWithoutName(order.fields.items));
    const items = namedLines(order.fields.items, products ?? []);
    return { ...order, fields: { ...order.fields, items } };
  }

  private async reserve(caller: Caller, request: OrderRequestRow, items: StoredItem[]): Promise<HeldStock> {
    if (request.is_test || stockLines(items).length === 0) return null;
    return this.holds.hold(caller, holdOf(request), items);
  }

  /**
   * A refused call holds nothing: marks the attempt void, then releases its stock. After any other error the commit
   * may have succeeded, so the catalog settles that hold later. It also settles a hold whose release fails here.
   */
  private async releaseAndRethrow(caller: Caller, request: OrderRequestRow, error: unknown): Promise<never> {
    if (error instanceof Refused && !(await settle(this.database, request.id, request.attempt))) {
      await this.holds.release(caller, holdOf(request));
    }
    throw error;
  }

  private async payloadOf(request: OrderRequestRow): Promise<OrderRequestPayload> {
    const key = await this.dataKeys.keyOf(request.org_id);
    return openedPayload(key, request);
  }

  private async kept(
    { id, org_id: orgId }: OrderRequestRow,
    { corrections, body }: { corrections: OrderRequestCorrections | null; body: ApproveBody },
  ): Promise<KeptWithDecision> {
    const key = await this.dataKeys.keyOf(orgId);
    const encrypted = (content: object | null, rowId: string): Buffer | null =>
      content && encrypt(key, Buffer.from(JSON.stringify(content)), rowId);
    return {
      corrections: encrypted(corrections, correctionsRowId(id)),
      override: encrypted(overrideOf(body), overrideRowId(id)),
    };
  }
}

type KeptWithDecision = Pick<Approval, 'corrections' | 'override'>;

function orderExists(externalId: string): Refused {
  return new Refused('conflict', `The shop already has an order with the external id ${externalId}.`);
}

/** Two requests of one sender with one reference are approved at the same time. */
function refusalOf(error: unknown, { id, external_reference: reference }: OrderRequestRow): unknown {
  return isUniqueViolation(error, APPROVED_REFERENCE) ? orderExists(reference ?? id) : error;
}

async function unapprovable(sql: Sql, caller: Caller, { id, status }: OrderRequestRow): Promise<Refused> {
  return cannotApprove(status, await deciderOf(sql, caller, id));
}

/**
 * The answer to an approval of an approved request: the order, except for a person when another person approved it. A
 * person must learn that the decision, with its corrections and overrides, is a colleague's.
 */
async function repeated(
  sql: Sql,
  caller: Caller,
  request: OrderRequestRow,
): Promise<Answer<ApproveResponse>> {
  await requireSameDecider(sql, caller, request);
  return approved(sql, request);
}

async function requireSameDecider(sql: Sql, caller: Caller, { id, status }: OrderRequestRow): Promise<void> {
  const by = await deciderOf(sql, caller, id);
  if (by && by.actor !== actorOf(caller)) throw alreadyDecided(status, by);
}

async function approved(sql: Sql, request: OrderRequestRow): Promise<Answer<ApproveResponse>> {
  const order = request.order_id ? await findOrder(sql, request.org_id, request.order_id) : null;
  if (!order) throw new Error(`approved order request ${request.id} has no order`);
  return answerWith(request.id, order);
}

function answerWith(requestId: string, order: OrderRow): Answer<ApproveResponse> {
  return ok({ id: requestId, status: 'approved', order_id: order.id, order: orderDetail(order) });
}

/** Order, decision, history, audit entries and events of one approval. */
function approvalOf(
  caller: Caller,
  { id, version, attempt, attempt_lines: lines }: OrderRequestRow,
  given: {
    order: ApprovedOrder;
    stock: HeldStock;
    kept: KeptWithDecision;
    body: ApproveBody;
    isSecond: boolean;
  },
): Omit<Write<Approval, ApprovedRow, ApproveResponse>, 'keyRun' | 'customer'> {
  const { order, stock, kept, body, isSecond } = given;
  const decision = {
    id,
    orderId: newId(),
    version,
    attempt,
    lines,
    decidedBy: caller.actorId,
    isSecond,
    stock,
  };
  const object = `order-request:${id}`;
  const overridden = body.acknowledged?.length ?? 0;
  const override = { action: 'order-request.override', object: `${object}:overrides:${overridden}` };
  return {
    caller,
    key: id,
    row: { ...decision, ...order, ...kept },
    audits: [{ action: 'order-request.approve', object }, ...(overridden > 0 ? [override] : [])],
    eventsOf: approvalEvents,
    answerOf: (written) => answerWith(id, written.order),
  };
}

function holdOf({ org_id, id, attempt }: OrderRequestRow): HoldOf {
  return { org_id, order_request_id: id, attempt };
}

/** `order_created` has topic `stock`: the catalog confirms its hold on this event. Without a hold it is not needed. */
function approvalEvents(written: ApprovedRow): NewEvent[] {
  const { id, request_sequence: sequence, integration_id: integrationId, order } = written;
  const { org_id: orgId, id: orderId, status, items } = order;
  const { shop_id, is_test: isTest } = order;
  const metadata = { order_id: orderId, order_request_id: id, shop_id, ...testMark(isTest) };
  const topic = !isTest && stockLines(items).length > 0 ? 'stock' : 'plain';
  return [
    {
      orgId,
      eventType: 'order_request_approved',
      aggregateId: id,
      sequence,
      topic: 'plain',
      title: 'Order request approved',
      description: 'An order request was approved and became an order.',
      metadata: { ...metadata, status: 'approved' },
      integrationId,
    },
    {
      orgId,
      eventType: 'order_created',
      aggregateId: orderId,
      sequence: 1,
      topic,
      title: 'Order created',
      description: 'An order was created from an approved request.',
      metadata: { ...metadata, stock_claim_id: null, status },
    },
  ];
}
