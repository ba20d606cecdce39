import { Controller } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Handles } from '@offizin/bus/handles';
import { invalid, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  releaseHold,
  type ReleaseHoldResponse,
  type ReserveBody,
  type ReserveResponse,
  reserveStock,
} from '@offizin/contracts/products/reservations';
import { Database } from '@offizin/pg/database';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { type HoldOutcome, holdTogether, NOTHING_HELD } from './hold.store';
import { moveReservation } from './move.store';
import { lockOrder } from './reservations.store';

/** A hold with more lines runs alone, so that others do not wait for it. */
const SHARED_LINES = 100;

const MOVE_TO = { sold: 'sell', released: 'release' } as const;

/**
 * Approval, and every change of the lines of an order that the stock follows, is reserve -> commit -> confirm. Cast:
 * this handler makes holds; order-events confirms, releases and sells them; old-holds asks order-core about unconfirmed
 * holds.
 *
 * Guarantees:
 * - all lines are held or none, and reserved stock never exceeds the stock;
 * - a hold belongs to one attempt of one order request, or to one claim of an order; calls are idempotent;
 * - a claim that does not commit leaves the previous reservation of its order unchanged;
 * - a claim that reopens an order holds all lines, counting on the pieces that its commit books back;
 * - locks are taken in one order, against deadlocks (reservations.store.ts).
 */
@Controller()
export class ReservationsHandlers {
  private readonly holds: MicroBatches<ReserveBody, HoldOutcome>;

  constructor(private readonly database: Database) {
    this.holds = new MicroBatches<ReserveBody, HoldOutcome>({
      run: (members) => runHolds(database, members),
      keyOf: ({ org_id: orgId }) => orgId.toLowerCase(),
      sharesKeys: true,
      isLarge: ({ lines }) => lines.length > SHARED_LINES,
    });
  }

  @Handles(reserveStock)
  async reserve({ body }: Call<typeof reserveStock>): Promise<Answer<ReserveResponse>> {
    checkIds(body);
    await this.settleReplaced(body);
    const outcome = await this.holds.submit(body);
    if (outcome instanceof Refused) throw outcome;
    const { short, isStocked } = outcome;
    return ok({ held: short.length === 0, short_p1_ids: short, is_stocked: isStocked });
  }

  /** Only a committed or ended claim is replaced, so it is moved there first: its events may still be in transit. */
  private async settleReplaced(body: ReserveBody): Promise<void> {
    const { replaces = null, order_id: orderId = null, ended_as: endedAs = null } = body;
    if (replaces === null || orderId === null) return;
    const move = endedAs === null ? 'confirm' : MOVE_TO[endedAs];
    await this.database.transaction(async (tx) => {
      await lockOrder(tx, orderId);
      await moveReservation(tx, { move, orderRequestId: replaces, orderId });
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

/** Racing holds of an organization share a transaction, but not two holds of one request: the later is decided after. */
async function runHolds(database: Database, members: readonly ReserveBody[]): Promise<HoldOutcome[]> {
  const outcomes = new Map<ReserveBody, HoldOutcome>();
  for (let left = members; left.length > 0; left = left.filter((member) => !outcomes.has(member))) {
    const first = new Map(
      [...left].reverse().map((member) => [member.order_request_id.toLowerCase(), member]),
    );
    const round = left.filter((member) => first.get(member.order_request_id.toLowerCase()) === member);
    const held = await database.transaction((tx) => holdTogether(tx, round));
    round.forEach((member, index) => outcomes.set(member, held[index] ?? NOTHING_HELD));
  }
  return members.map((member) => outcomes.get(member) ?? NOTHING_HELD);
}

function checkIds(body: ReserveBody): void {
  const { org_id, order_request_id, order_id, replaces } = body;
  const ids = { org_id, order_request_id, order_id, replaces };
  const wrong = Object.entries(ids).filter(([, id]) => id !== undefined && id !== null && !isUuid(id));
  if (wrong.length > 0) throw invalid(wrong.map(([field]) => ({ field, message: 'must be a UUID' })));
}
