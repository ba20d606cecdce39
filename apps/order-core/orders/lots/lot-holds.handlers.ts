import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { actorOf } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  holdLot,
  liftLotHold,
  listLotHolds,
  type LotHold,
  type LotHoldListResponse,
  MAX_LOT_HOLDS,
} from '@offizin/contracts/orders/lot-holds';
import { appendEvent } from '@offizin/events/outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { Database } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { withIsoTimes } from '@offizin/pg/queries';
import { appendAudit } from '../../audit/audit.store';
import { callerNotLive, liveTransaction } from '../../callers/live-caller.store';
import { SCHEMA } from '../../db/schema';
import { lockOrganization } from '../../people/directory/organizations.store';
import { deleteHold, findHold, hasRoomForHold, holdsOf, insertHold } from './lot-holds.store';

/** Lots on hold. A change of an order's lots that begins after the answer does not get one of them (lots.handlers.ts). */
@Controller()
export class LotHoldsHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  @Handles(listLotHolds)
  async list({ caller }: Call<typeof listLotHolds>): Promise<Answer<LotHoldListResponse>> {
    return ok({ data: (await holdsOf(this.database, caller.orgId)).map(withIsoTimes) });
  }

  @Handles(holdLot)
  async hold({ caller, body, keyRun }: Call<typeof holdLot>): Promise<Answer<LotHold>> {
    const { orgId } = caller;
    const { p1_id, lot, reason } = body;
    const answer = await liveTransaction(this.database, caller, async (tx): Promise<Answer<LotHold>> => {
      // Decides which of equal holds is the first, too.
      if (!(await lockOrganization(tx, orgId))) throw callerNotLive(caller);
      const known = await findHold(tx, { org_id: orgId, lot, p1_id });
      if (known?.reason === reason) return ok(withIsoTimes(known));
      if (known) {
        throw new Refused(
          'conflict',
          'The lot is on hold for another reason: lift that hold, then put it on hold again.',
        );
      }
      if (!(await hasRoomForHold(tx, orgId)))
        throw new Refused(
          'conflict',
          `${MAX_LOT_HOLDS} lots are on hold, which is the limit: lift a hold first.`,
        );
      const id = newId();
      const held = await insertHold(tx, { id, org_id: orgId, p1_id, lot, reason, held_by: actorOf(caller) });
      if (!held) throw new Error('the hold was not inserted');
      await appendAudit(tx, caller, 'lot.hold', `lot-hold:${id}`);
      await appendEvent(tx, SCHEMA, {
        orgId,
        eventType: 'lot_held',
        aggregateId: id,
        sequence: 1,
        topic: 'plain',
        title: 'Lot on hold',
        description: `A lot of ${p1_id} was put on hold`,
        metadata: { hold_id: id, p1_id },
      });
      return storeAnswer(tx, keyRun, created(withIsoTimes(held)));
    });
    this.relay.wake();
    return answer;
  }

  @Handles(liftLotHold)
  async lift({ caller, params: { holdId } }: Call<typeof liftLotHold>): Promise<Answer<never>> {
    if (!isId(holdId)) throw notFound('hold of a lot');
    await liveTransaction(this.database, caller, async (tx) => {
      const lifted = await deleteHold(tx, caller.orgId, holdId);
      if (!lifted) throw notFound('hold of a lot');
      await appendAudit(tx, caller, 'lot.lift-hold', `lot-hold:${lifted.id}`);
    });
    return noContent();
  }
}
