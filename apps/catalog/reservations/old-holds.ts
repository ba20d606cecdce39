import { Unreachable } from '@offizin/contracts/calls/errors';
import type { SettleAttemptResponse } from '@offizin/contracts/products/reservations';
import { BACKGROUND_TRANSACTION_MS, type Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { moveReservation } from './move.store';
import { claimDueHolds, lockOrder } from './reservations.store';

/** Asks order-core for the outcome of an approval attempt; `void` guarantees that it never commits. */
export type AskAttempt = (orderRequestId: string, attempt: number) => Promise<SettleAttemptResponse>;

const BATCH_HOLDS = 50;
/** Longer than an inquiry takes, so that two replicas do not ask about the same hold. */
const LEASE_SECONDS = 15;

/**
 * Settles holds that were not confirmed in time: the approval died before its commit, or its event is still in transit.
 * Only order-core knows which, so it is asked. While it is unavailable, the hold stays.
 */
export class OldHolds {
  constructor(
    private readonly database: Database,
    private readonly ask: AskAttempt,
  ) {}

  /** Settles all due holds; returns how many were settled. */
  async sweep(): Promise<number> {
    let settled = 0;
    for (;;) {
      const due = await claimDueHolds(this.database, BATCH_HOLDS, LEASE_SECONDS);
      for (const { order_request_id: orderRequestId, attempt } of due) {
        try {
          if (await this.settle(orderRequestId, attempt)) settled++;
        } catch (error) {
          log.warn(
            { order_request_id: orderRequestId, attempt, ...errorFields(error) },
            'old hold not settled',
          );
          // The other holds would time out too; they are due again after their lease.
          if (error instanceof Unreachable) return settled;
        }
      }
      if (due.length < BATCH_HOLDS) return settled;
    }
  }

  private async settle(orderRequestId: string, heldByAttempt: number): Promise<boolean> {
    const { outcome, order_id: orderId } = await this.ask(orderRequestId, heldByAttempt);
    if (outcome === 'approved' && orderId === null)
      throw new Error('order-core answered approved without an order id');
    return this.database.transaction(async (tx) => {
      if (outcome === 'void') {
        return moveReservation(tx, { move: 'release', orderRequestId, orderId: null, heldByAttempt });
      }
      if (orderId !== null) await lockOrder(tx, orderId);
      return moveReservation(tx, { move: 'confirm', orderRequestId, orderId, heldByAttempt });
    }, BACKGROUND_TRANSACTION_MS);
  }
}
