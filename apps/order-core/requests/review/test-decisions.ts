import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import type { Call } from '@offizin/contracts/calls/operation';
import type { UpsertItem } from '@offizin/contracts/orders/orders';
import type { addParcel } from '@offizin/contracts/orders/parcels';
import { USUAL_OFFER_HOURS } from '@offizin/contracts/requests/offers';
import { REJECTION_REASONS, type RejectionReason } from '@offizin/contracts/requests/order-requests';
import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import type { DataKeys } from '../../crypto/data-keys.store';
import type { StoredItem } from '../../orders/orders/order-patch';
import type { OrderWrites } from '../../orders/orders/order-writes';
import { findRequest } from '../intake/order-requests.store';
import { linesOf } from '../intake/submission';
import { openedPayload } from '../intake/submission-content';
import type { ApprovalHandlers } from './approval.handlers';
import type { ClarificationHandlers } from './clarification.handlers';
import { expireNow } from './expiry';
import type { OfferHandlers } from './offer.handlers';
import type { ReviewHandlers } from './review.handlers';
import { type DueOrder, dueOrders, type DueRequest, dueRequests } from './test-decisions.store';

/**
 * Decides requests of test shops by the begin of their reference, and moves the orders of some to their end. It makes the
 * same calls as a person, so two replicas, or a restart, decide once: the second call finds the request decided, or another
 * version of the order.
 */
export interface Deciders {
  approval: Pick<ApprovalHandlers, 'approve'>;
  review: Pick<ReviewHandlers, 'reject'>;
  clarification: Pick<ClarificationHandlers, 'ask'>;
  offers: Pick<OfferHandlers, 'offer'>;
  orders: Pick<OrderWrites, 'patchStatus'>;
  parcels: { add: (call: Call<typeof addParcel>) => Promise<unknown> };
  /** The lines that were sent. */
  lines: (orgId: string, requestId: string) => Promise<readonly StoredItem[]>;
  expire: (caller: Caller, request: { id: string; version: number }) => Promise<void>;
}

/** What needs the database alone. */
export function ownDeciders(database: Database, dataKeys: DataKeys): Pick<Deciders, 'lines' | 'expire'> {
  return {
    lines: async (orgId, requestId) => {
      const request = await findRequest(database, orgId, requestId);
      return request ? linesOf(openedPayload(await dataKeys.keyOf(orgId), request)) : [];
    },
    expire: (caller, request) => expireNow(database, caller, request),
  };
}

const WAIT_SECONDS = 5;
const PAUSE_MS = 1_000;
const BATCH_ROWS = 50;
const QUESTION = 'A question of a test shop: answer it with a completed payload.';

export function testDecisions(
  database: Database,
  dataKeys: DataKeys,
  deciders: Omit<Deciders, 'lines' | 'expire'>,
): PeriodicWork {
  const all = { ...deciders, ...ownDeciders(database, dataKeys) };
  return new PeriodicWork('decide requests of test shops', PAUSE_MS, () =>
    decideDue(database, all, WAIT_SECONDS),
  );
}

/** What fails is tried again by the next call, and keeps no other request waiting. */
export async function decideDue(database: Database, deciders: Deciders, waitSeconds: number): Promise<void> {
  const failures: unknown[] = [];
  for (const row of await dueRequests(database, waitSeconds, BATCH_ROWS)) {
    await decideOrAsk(deciders, row).catch((error: unknown) => failures.push(error));
  }
  for (const row of await dueOrders(database, waitSeconds, BATCH_ROWS)) {
    // A refused order was changed meanwhile: the next run reads it again.
    await move(deciders, row)
      .catch(refusalOf)
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** The sender gets the reason as a question when a request cannot be approved, unless it was decided meanwhile. */
async function decideOrAsk(deciders: Deciders, row: DueRequest): Promise<void> {
  try {
    await decide(deciders, row);
  } catch (error) {
    const question = refusalOf(error).message;
    await decide(deciders, { ...row, decision: 'ask' }, question).catch(refusalOf);
  }
}

function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

async function decide(
  deciders: Deciders,
  { id, org_id: orgId, version, decision, external_reference: reference }: DueRequest,
  question = QUESTION,
): Promise<void> {
  const caller = testCaller(orgId);
  const call = { caller, params: { orgId, requestId: id }, query: {}, headers: {} };
  if (decision === 'approve') await deciders.approval.approve({ ...call, body: { version } });
  else if (decision === 'correct') {
    const items = corrected(await deciders.lines(orgId, id));
    await deciders.approval.approve({ ...call, body: { version, ...(items.length > 0 && { items }) } });
  } else if (decision === 'offer') {
    const items = corrected(await deciders.lines(orgId, id));
    await deciders.offers.offer({ ...call, body: { version, items, valid_hours: USUAL_OFFER_HOURS } });
  } else if (decision === 'reject')
    await deciders.review.reject({ ...call, body: { version, reason: reasonIn(reference) } });
  else if (decision === 'expire') await deciders.expire(caller, { id, version });
  else await deciders.clarification.ask({ ...call, body: { version, question } });
}

function testCaller(orgId: string): Caller {
  return { ...serviceCaller('test', newRequestId()), orgId };
}

/** `reject-price_mismatch-1` names a reason; any other text is rejected as `other`. */
function reasonIn(reference: string | null): RejectionReason {
  const named = REJECTION_REASONS.find((reason) => `${reference}-`.startsWith(`reject-${reason}-`));
  return named ?? 'other';
}

/** A parcel is added before its order is shipped; the same parcel again changes nothing. */
async function move(
  { orders, parcels }: Deciders,
  { id: orderId, org_id: orgId, sequence, shipping_option: option, next }: DueOrder,
): Promise<void> {
  const caller = testCaller(orgId);
  if (next === 'shipped') {
    const carrier = option === 'Uber Eats' ? 'courier' : 'dhl';
    const body = { carrier, tracking_number: parcelNumberOf(orderId) } as const;
    await parcels.add({ caller, params: { orgId, orderId }, query: {}, headers: {}, body });
  }
  const paid = next === 'awaiting_packing' ? { payment_status: 'paid' as const } : {};
  const ifSequences = next === 'shipped' ? [sequence, sequence + 1] : [sequence];
  await orders.patchStatus(caller, orderId, { status: next, ...paid }, { ifSequences });
}

/** No carrier has such a number. */
function parcelNumberOf(orderId: string): string {
  return `TEST-${orderId.slice(-12).toUpperCase()}`;
}

/** Half of the first quantity; of one piece two. */
function corrected(lines: readonly StoredItem[]): UpsertItem[] {
  return lines.map(({ quantity, ...line }, at) => {
    const half = quantity === 1 ? 2 : Math.floor(quantity / 2);
    return { ...line, qty: at === 0 ? half : quantity };
  });
}
