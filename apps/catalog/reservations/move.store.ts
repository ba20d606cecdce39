import type { ReservationLine } from '@offizin/contracts/products/reservations';
import type { Stock } from '../inventory/stock-adjustment';
import { changeReserved, changeStocks, lockStock } from '../inventory/stock.store';
import type { Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { log } from '@offizin/runtime/log';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { holdsStock, linesOfCanonical, type Move, nextState, planTakeOver } from './hold-plan';
import {
  lockReservation,
  replaceReservationLines,
  type Reservation,
  reservationLines,
  saveReservationState,
} from './reservations.store';

/** Actor in the stock log for sales. */
const ACTOR = 'order-core';

export interface ReservationMove {
  move: Move;
  /** The order request, or the claim of an order. */
  orderRequestId: string | null;
  /** The order that the request became, or that made the claim; null for a hold whose attempt is void. */
  orderId: string | null;
  /** Moves only a hold of this attempt; a later attempt has another hold. */
  heldByAttempt?: number;
}

/**
 * Moves a reservation forward, with its stock, in the caller's transaction. A caller that names an order must have
 * locked it (lockOrder). False if no reservation was found or the attempt does not match.
 */
export async function moveReservation(tx: Sql, what: ReservationMove): Promise<boolean> {
  const found = await lockReservation(tx, what);
  if (!found) return false;
  const { reservation, replaced } = found;
  if (what.heldByAttempt !== undefined) {
    const { order_request_id: id, attempt } = reservation;
    const isMeant = id === what.orderRequestId && attempt === what.heldByAttempt;
    if (reservation.state !== 'held' || !isMeant) return false;
  }
  // An event or an answer that names the order proves that the claim has committed.
  if (what.orderId !== null && replaced) await takeOver(tx, reservation, replaced, what.orderId);
  const next = nextState(reservation.state, what.move);
  warnOfBrokenPromise(reservation, what);
  if (next === 'released' && holdsStock(reservation.state)) await release(tx, reservation);
  if (next === 'sold' && holdsStock(reservation.state)) await sell(tx, reservation, what.orderId);
  if (next !== reservation.state || reservation.order_id !== what.orderId) {
    await saveReservationState(tx, reservation.order_request_id, next, what.orderId);
  }
  return true;
}

/**
 * A committed claim replaces the previous reservation of its order. If that one has ended, the order was reopened: the
 * sold pieces are booked back. An ended reservation keeps its state, so that a late event of it moves no other.
 */
async function takeOver(tx: Sql, claim: Reservation, before: Reservation, orderId: string): Promise<void> {
  if (claim.state !== 'held' || before.state === 'released') return;
  const { order_request_id: claimId, org_id: orgId } = claim;
  const linesBefore = await reservationLines(tx, before.order_request_id);
  const further = await reservationLines(tx, claimId);
  const plan = planTakeOver(linesBefore, further, linesOfCanonical(claim.asked_lines));
  const stocks = await lockStock(tx, orgId, [...plan.deltas.keys()]);
  if (before.state === 'sold')
    await book(tx, stocks, { orgId, orderId, lines: linesBefore, reason: 'returned' });
  await changeReserved(tx, orgId, plan.deltas);
  await replaceReservationLines(tx, orgId, before.order_request_id, []);
  if (holdsStock(before.state)) await saveReservationState(tx, before.order_request_id, 'replaced', orderId);
  await replaceReservationLines(tx, orgId, claimId, plan.lines);
}

async function release(tx: Sql, reservation: Reservation): Promise<void> {
  const lines = await reservationLines(tx, reservation.order_request_id);
  await lockStock(
    tx,
    reservation.org_id,
    lines.map((line) => line.p1_id),
  );
  await changeReserved(tx, reservation.org_id, new Map(lines.map((line) => [line.p1_id, -line.quantity])));
}

async function sell(tx: Sql, reservation: Reservation, orderId: string | null): Promise<void> {
  const lines = await reservationLines(tx, reservation.order_request_id);
  const orgId = reservation.org_id;
  const stocks = await lockStock(
    tx,
    orgId,
    lines.map((line) => line.p1_id),
  );
  await book(tx, stocks, { orgId, orderId: orderId ?? reservation.order_id, lines, reason: 'sold' });
}

interface Booking {
  orgId: string;
  orderId: string | null;
  lines: readonly ReservationLine[];
  reason: 'sold' | 'returned';
}

/** Books reserved lines out as sold, or back as returned and reserved. Of `stocks`, those without a line stay. */
async function book(
  tx: Sql,
  stocks: readonly Stock[],
  { orgId, orderId, lines, reason }: Booking,
): Promise<void> {
  const quantities = new Map(lines.map((line) => [line.p1_id, line.quantity]));
  const cause = { actor: ACTOR, orderId, traceparent: storedTraceparent() };
  const changes = stocks.flatMap((stock) => {
    const quantity = quantities.get(stock.p1_id);
    if (quantity === undefined) return [];
    const delta = reason === 'sold' ? -quantity : quantity;
    return [{ orgId, stock, delta, reservedDelta: delta, reason, logId: newId(), cause }];
  });
  await changeStocks(tx, changes);
}

/** Reports an approved order whose hold was released because order-core had declared the attempt void. */
function warnOfBrokenPromise(reservation: Reservation, { move, orderId }: ReservationMove): void {
  if (move !== 'confirm' || reservation.state !== 'released' || reservation.order_id !== null) return;
  const ids = { order_id: orderId, order_request_id: reservation.order_request_id };
  log.error({ ...ids, org_id: reservation.org_id }, 'an order was approved without its stock being held');
}
