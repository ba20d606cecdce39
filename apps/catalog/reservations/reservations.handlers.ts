import { Controller } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Handles } from '@offizin/bus/handles';
import { invalid, Refused } from '@offizin/contracts/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import {
  releaseHold,
  type ReleaseHoldResponse,
  type ReserveBody,
  type ReserveResponse,
  reserveStock,
} from '@offizin/contracts/reservations';
import { Database, type Sql } from '@offizin/pg/database';
import { changeReserved, lockStock } from '../inventory/stock.store';
import { canonicalLines, decideHold, furtherLines, planHold, sumLines } from './hold-plan';
import { moveReservation } from './move.store';
import { holdsStock } from './reservation-moves';
import {
  lockOrder,
  lockOrMakeReservation,
  lockReservation,
  replaceReservationLines,
  type Reservation,
  reservationLines,
  saveReservationHold,
} from './reservations.store';

/**
 * Approval, and every change of the lines of an order that the stock follows, is reserve -> commit -> confirm. Cast:
 * this handler makes holds; order-events confirms, releases and sells them; old-holds asks order-core about unconfirmed
 * holds.
 *
 * Guarantees:
 * - all lines are held or none, and reserved stock never exceeds the stock;
 * - a hold belongs to one attempt of one order request, or to one claim of an order; calls are idempotent;
 * - a claim that does not commit leaves the previous reservation of its order unchanged;
 * - locks are taken in one order (reservation, the one that it replaces, inventory rows by id), against deadlocks.
 */
@Controller()
export class ReservationsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(reserveStock)
  async reserve({ body }: Call<typeof reserveStock>): Promise<Answer<ReserveResponse>> {
    checkIds(body);
    const askedLines = canonicalLines(body.lines);
    await this.confirmReplaced(body);
    const short = await this.database.transaction(async (tx) => {
      const stored = await lockOrMakeReservation(tx, body.org_id, body.order_request_id);
      if (stored.org_id !== body.org_id) {
        throw new Refused('conflict', 'This order request belongs to another organization.');
      }
      switch (decideHold(stored, body.attempt, askedLines)) {
        case 'settled':
          return [];
        case 'outdated':
          throw new Refused('conflict', `Attempt ${stored.attempt} has taken over from ${body.attempt}.`);
        case 'renew':
          await save(tx, body, 'held', askedLines);
          return [];
        case 'hold':
          return hold(tx, stored, body, askedLines);
      }
    });
    return ok({ held: short.length === 0, short_p1_ids: short });
  }

  /** Only a committed claim is replaced, so it is confirmed first: its event may still be in transit. */
  private async confirmReplaced({ replaces = null, order_id: orderId = null }: ReserveBody): Promise<void> {
    if (replaces === null || orderId === null) return;
    await this.database.transaction(async (tx) => {
      await lockOrder(tx, orderId);
      await moveReservation(tx, { move: 'confirm', orderRequestId: replaces, orderId });
    });
  }

  @Handles(releaseHold)
  async release({ body }: Call<typeof releaseHold>): Promise<Answer<ReleaseHoldResponse>> {
    const { order_request_id: orderRequestId, attempt: heldByAttempt } = body;
    if (!isUuid(orderRequestId)) return ok({ released: false });
    const released = await this.database.transaction((tx) =>
      moveReservation(tx, { move: 'release', orderRequestId, orderId: null, heldByAttempt }),
    );
    return ok({ released });
  }
}

/**
 * Replaces the hold of an earlier attempt; of the lines, holds only the difference to the order's reservation.
 * Returns the products that lack stock.
 */
async function hold(tx: Sql, stored: Reservation, body: ReserveBody, askedLines: string): Promise<string[]> {
  const held = holdsStock(stored.state) ? await reservationLines(tx, body.order_request_id) : [];
  const replaced = await lockReplaced(tx, body);
  const before = replaced && holdsStock(replaced.state) ? replaced : null;
  // The reservation has ended and the order was reopened: its later changes hold no stock.
  const hasEnded = replaced !== null && before === null;
  const ofOrder = before ? await reservationLines(tx, before.order_request_id) : [];
  const asked = hasEnded ? [] : furtherLines(sumLines(body.lines), ofOrder);
  const p1Ids = new Set([...held, ...asked].map((line) => line.p1_id));
  const stock = await lockStock(tx, body.org_id, [...p1Ids]);
  const plan = planHold(stock, held, asked);
  await changeReserved(tx, body.org_id, plan.deltas);
  await replaceReservationLines(tx, body.org_id, body.order_request_id, plan.lines);
  await save(tx, body, plan.short.length === 0 ? 'held' : 'released', askedLines);
  return plan.short;
}

async function lockReplaced(tx: Sql, { org_id: orgId, replaces }: ReserveBody): Promise<Reservation | null> {
  if (!replaces) return null;
  const replaced = await lockReservation(tx, { orderRequestId: replaces, orderId: null });
  if (replaced && replaced.org_id !== orgId) {
    throw new Refused('conflict', 'The reservation to replace belongs to another organization.');
  }
  if (replaced?.state === 'replaced') {
    throw new Refused('conflict', 'Another change of the order has replaced that reservation meanwhile.');
  }
  return replaced;
}

async function save(
  tx: Sql,
  body: ReserveBody,
  state: 'held' | 'released',
  askedLines: string,
): Promise<void> {
  const { order_request_id: orderRequestId, attempt } = body;
  await saveReservationHold(tx, {
    orderRequestId,
    attempt,
    state,
    askedLines,
    replaces: body.replaces ?? null,
  });
}

function checkIds(body: ReserveBody): void {
  const { org_id, order_request_id, order_id, replaces } = body;
  const ids = { org_id, order_request_id, order_id, replaces };
  const wrong = Object.entries(ids).filter(([, id]) => id !== undefined && id !== null && !isUuid(id));
  if (wrong.length > 0) throw invalid(wrong.map(([field]) => ({ field, message: 'must be a UUID' })));
}
