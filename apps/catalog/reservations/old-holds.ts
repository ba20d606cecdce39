import { Unreachable } from '@offizin/contracts/errors';
import type { SettleAttemptResponse } from '@offizin/contracts/reservations';
import { BACKGROUND_TRANSACTION_MS, type Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { moveReservation } from './move.store';
import { claimDueHolds, lockOrder } from './reservations.store';

/** Asks order-core what became of an approval attempt; `void` is its promise that the attempt never commits. */
export type AskAttempt = (orderRequestId: string, attempt: number) => Promise<SettleAttemptResponse>;

const BATCH_HOLDS = 50;
/** Longer than asking takes, so that two replicas do not ask about the same hold. */
const LEASE_SECONDS = 15;

/**
 * Holds that nobody confirmed in time: the process that made them may have died before its commit, or its event is
 * still under way. order-core alone knows which, so it is asked; while it cannot be, the hold stays.
 */
export class OldHolds {
  constructor(
    private readonly database: Database,
    private readonly ask: AskAttempt,
  ) {}

  /** Settles all holds that are due. Answers how many were settled. */
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
          // The others would wait for the same silence; their lease brings them back.
          if (error instanceof Unreachable) return settled;
        }
      }
      if (due.length < BATCH_HOLDS) return settled;
    }
  }

  private async settle(orderRequestId: string, heldByAttempt: number): Promise<boolean> {
    const { outcome, order_id: orderId } = await this.ask(orderRequestId, heldByAttempt);
    if (outcome === 'approved' && orderId === null) throw new Error('order-core names no order');
    return this.database.transaction(async (tx) => {
      if (outcome === 'void') {
        return moveReservation(tx, { move: 'release', orderRequestId, orderId: null, heldByAttempt });
      }
      if (orderId !== null) await lockOrder(tx, orderId);
      return moveReservation(tx, { move: 'confirm', orderRequestId, orderId, heldByAttempt });
    }, BACKGROUND_TRANSACTION_MS);
  }
}
