import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, type KeyRun, ok } from '@offizin/contracts/calls/operation';
import { testMark } from '@offizin/contracts/calls/test-mark';
import {
  type ApproveBody,
  approveOrderRequest,
  type ApproveResponse,
} from '@offizin/contracts/requests/order-request-review';
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
import { SMALL_ORDER_LINES, type StoredItem } from '../../orders/orders/order-patch';
import type { OrderRow } from '../../orders/orders/order-row';
import { findOrder, findOrderByKey } from '../../orders/orders/orders.store';
import { SharedWrites, type Write } from '../shared-writes/shared-writes';
import { settleClaim } from '../../orders/stock/stock-claims.store';
import { type HoldOf, StockHolds, voided } from '../../orders/stock/stock-holds';
import { type HeldStock, stockLines } from '../../orders/stock/stock-lines';
import { type ApprovedOrder, approvedOrder, hashOfLines } from '../intake/approved-order';
import { idsWithoutName, namedLines } from '../../orders/orders/line-names';
import { decideStep, type JudgedContent } from './approval-step';
import { type Approval, type ApprovedRow, approveRequests, isReferenceTaken } from './approval.store';
import {
  approvedContent,
  type Corrected,
  correctedIn,
  correctionsRowId,
  overrideOf,
  overrideRowId,
} from './corrections';
import { alreadyDecided, cannotApprove, newerVersion } from './decision';
import { FirstApprovals } from './first-approvals';
import { changedFirst, digestOf } from './four-eyes';
import {
  type ApprovableRow,
  findApprovableRequest,
  type FirstContent,
  firstOf,
  isSameFirst,
} from './four-eyes.store';
import { deciderOf, settle, startAttempt } from './decision.store';
import { APPROVED_REFERENCE, type OrderRequestRow } from '../intake/order-requests.store';
import { ProductChecks } from '../intake/product-checks';
import { encryptedAnswer } from '../intake/read-back.store';
import { expireLateOffer } from '../intake/late-offers.store';
import { linesOf } from '../intake/submission';
import { openedPayload } from '../intake/submission-content';

/** Reads of one request, each after a concurrent approval has changed it. */
const MAX_ROUNDS = 4;

/**
 * Approval in four steps: decide, reserve, commit, confirm. A pure function decides from the request as it was read. The
 * catalog then holds the stock. One transaction stores order, decision, history and events, and `order_created` makes the
 * catalog confirm the hold. Before the catalog releases an unconfirmed hold, order-core marks that attempt void, so a late
 * commit of the attempt fails. A crash between any two steps leaves either a complete order with its stock or neither
 * (decision 0004).
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
   * Reads, decides (decideStep), reserves, commits. Null when the request has changed since it was read: by an approval with
   * other lines, a first approval, an erasure or the end of an offer. Null, too, when an order of another sender has taken its
   * reference meanwhile.
   */
  private async tryToApprove({
    caller,
    params: { requestId },
    body: sent,
    keyRun,
  }: Call<typeof approveOrderRequest>): Promise<Answer<ApproveResponse> | null> {
    const request = isId(requestId)
      ? await findApprovableRequest(this.database, caller.orgId, requestId)
      : null;
    if (!request) throw notFound('order request');
    answersAbout(keyRun, request);
    if (await expireLateOffer(this.database, request)) return null;
    const known = decideStep(caller, sent, request, null);
    if (known === 'repeat') return repeated(this.database, caller, request);
    if (known === 'refuse') throw await unapprovable(this.database, caller, request);
    const content = await this.judged(caller, request, sent);
    const { order, digest, corrections, override } = content;
    const step = decideStep(caller, sent, request, content);
    if (step === 'first') {
      return this.firstApprovals.store(caller, request, { order, digest, corrections, override }, keyRun);
    }
    const kept = await this.kept(request, content);
    const reserved = await this.reserve(caller, request, order);
    if (!reserved) return null;
    return this.commit(caller, { ...reserved, kept, override, isSecond: step === 'second' }, keyRun);
  }

  /** What would be approved, and whether two people must. */
  private async judged(caller: Caller, request: ApprovableRow, sent: ApproveBody): Promise<ToApprove> {
    const body = request.erased_at ? { ...sent, reason: undefined, acknowledged: undefined } : sent;
    const payload = openedPayload(await this.dataKeys.keyOf(request.org_id), request);
    const order = approvedOrder(payload, body);
    const lists = [linesOf(payload), order.fields.items];
    // Only the decider of test shops is a process (test-decisions.ts).
    const needsTwoPeople =
      caller.kind !== 'service' && (await this.firstApprovals.areNeeded(caller, request, lists));
    return {
      order,
      needsTwoPeople,
      digest: digestOf(approvedContent(payload, body, order)),
      ...correctedIn(payload, body, order),
      override: overrideOf(body),
    };
  }

  /** Begins the attempt and holds its stock. Null when the request has changed since it was read. */
  private async reserve(
    caller: Caller,
    request: OrderRequestRow,
    order: ApprovedOrder,
  ): Promise<ReservedOrder | null> {
    const { items } = order.fields;
    const lines = hashOfLines(stockLines(items));
    const attempt = await startAttempt(this.database, request.org_id, request, lines);
    if (attempt === null) return null;
    const claimed = { ...request, attempt, attempt_lines: lines };
    const [named, stock] = await Promise.all([this.named(caller, order), this.hold(caller, claimed, items)]);
    return { claimed, order: named, stock };
  }

  /** One transaction with order, decision, history and events. Null as in `unwritten`. */
  private async commit(
    caller: Caller,
    decision: Decision,
    keyRun: KeyRun | undefined,
  ): Promise<Answer<ApproveResponse> | null> {
    const { claimed, order } = decision;
    const { customer } = personIn(this.dataKeys, {
      orgId: claimed.org_id,
      credential: caller,
      patch: order.fields,
    });
    const answer = await this.approvals
      .submit({ ...approvalOf(caller, decision), customer, keyRun })
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
    if (await isReferenceTaken(this.database, orgId, id)) return null;
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

  private async hold(caller: Caller, request: OrderRequestRow, items: StoredItem[]): Promise<HeldStock> {
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

  private async kept(
    { id, org_id: orgId }: OrderRequestRow,
    { corrections, override, answer }: ToApprove,
  ): Promise<KeptWithDecision> {
    const key = await this.dataKeys.keyOf(orgId);
    const encrypted = (content: object | null, rowId: string): Buffer | null =>
      content && encrypt(key, Buffer.from(JSON.stringify(content)), rowId);
    return {
      corrections: encrypted(corrections, correctionsRowId(id)),
      override: encrypted(override, overrideRowId(id)),
      answer: encryptedAnswer(key, id, answer),
    };
  }
}

type KeptWithDecision = Pick<Approval, 'corrections' | 'override' | 'answer'>;

interface ToApprove extends JudgedContent, Corrected, Pick<FirstContent, 'override'> {
  order: ApprovedOrder;
}

/** `claimed`: the request with the attempt that holds the stock. */
interface ReservedOrder {
  claimed: OrderRequestRow;
  order: ApprovedOrder;
  stock: HeldStock;
}

interface Decision extends ReservedOrder, Pick<ToApprove, 'override'> {
  kept: KeptWithDecision;
  isSecond: boolean;
}

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
  { claimed, order, stock, kept, override, isSecond }: Decision,
): Omit<Write<Approval, ApprovedRow, ApproveResponse>, 'keyRun' | 'customer'> {
  const { id, version, attempt, attempt_lines: lines } = claimed;
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
  const overridden = override?.acknowledged.length ?? 0;
  const overrides = { action: 'order-request.override', object: `${object}:overrides:${overridden}` };
  return {
    caller,
    key: id,
    row: { ...decision, ...order, ...kept },
    audits: [{ action: 'order-request.approve', object }, ...(overridden > 0 ? [overrides] : [])],
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
