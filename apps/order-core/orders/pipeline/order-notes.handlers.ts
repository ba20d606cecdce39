import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created } from '@offizin/contracts/calls/operation';
import {
  addOrderMark,
  addOrderNote,
  MAX_ORDER_NOTES,
  type OrderNote,
} from '@offizin/contracts/orders/order-notes';
import { answersAbout, storeAnswer } from '@offizin/idempotency/stored-answer';
import { Database } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendAudit, auditActorOf } from '../../audit/audit.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { refuseText } from '../orders/order-patch';
import { insertNote, lockNotes } from './order-notes.store';

/** What people write down at an order, on the orders screen and while they pack. */
@Controller()
export class OrderNotesHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles(addOrderNote)
  note(call: Call<typeof addOrderNote>): Promise<Answer<OrderNote>> {
    return this.add(call, { kind: 'note', text: call.body.text, action: 'order.note' });
  }

  @Handles(addOrderMark)
  mark(call: Call<typeof addOrderMark>): Promise<Answer<OrderNote>> {
    return this.add(call, { kind: call.body.kind, text: null, action: 'order.mark' });
  }

  private async add(
    { caller, params: { orderId }, keyRun }: Call<typeof addOrderNote> | Call<typeof addOrderMark>,
    { kind, text, action }: { kind: OrderNote['kind']; text: string | null; action: string },
  ): Promise<Answer<OrderNote>> {
    const { orgId } = caller;
    if (!isId(orderId)) throw notFound('order');
    const key = await this.dataKeys.keyOf(orgId);
    return liveTransaction(this.database, caller, async (tx) => {
      const order = await lockNotes(tx, orgId, orderId);
      if (order === null) throw notFound('order');
      if (text !== null) refuseText(order);
      if (order.notes >= MAX_ORDER_NOTES)
        throw new Refused('conflict', `An order has at most ${MAX_ORDER_NOTES} notes and marks.`);
      const { actor } = auditActorOf(caller);
      const note = await insertNote(tx, key, { id: newId(), orgId, orderId, actor, kind, text });
      await appendAudit(tx, caller, action, `order:${orderId}`);
      answersAbout(keyRun, order);
      return storeAnswer(tx, keyRun, created(note));
    });
  }
}
