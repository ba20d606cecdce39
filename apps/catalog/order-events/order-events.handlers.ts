import { Controller } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Handles } from '@offizin/bus/handles';
import { invalid } from '@offizin/contracts/calls/errors';
import { type EventIds, unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { BACKGROUND_TRANSACTION_MS, Database, type Sql } from '@offizin/pg/database';
import type { UnreadableEvent } from '@offizin/events/event-intake';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { isRefusedData } from '@offizin/pg/database-failures';
import { errorFields, log } from '@offizin/runtime/log';
import {
  confirmTogether,
  deleteOldInboxEntries,
  enterInbox,
  enterInboxUnapplied,
  unknownEventIds,
} from './inbox.store';
import { moveReservation } from '../reservations/move.store';
import { lockOrder } from '../reservations/reservations.store';
import { type OrderMove, readOrderMove } from './order-event';

const unknownToCatalog = unknownEvents('catalog');

@Controller()
export class OrderEventsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(unknownToCatalog)
  async unknown({ body }: Call<typeof unknownToCatalog>): Promise<Answer<EventIds>> {
    const wrong = body.ids.findIndex((id) => !isUuid(id));
    if (wrong !== -1) throw invalid([{ field: `ids[${wrong}]`, message: 'must be a UUID' }]);
    return ok({ ids: await unknownEventIds(this.database, body.ids) });
  }
}

/** Longer than the broker and the outbox of order-core store an unconsumed event. */
const INBOX_DAYS = 7;
const DELETE_BATCH_ROWS = 1_000;

/**
 * Applies order events: they confirm, release or sell reserved stock.
 *
 * Guarantees:
 * - an event is applied once, in the transaction that writes it into the inbox;
 * - the outcome does not depend on the order in which the events of one order arrive, because each names its
 *   reservation; only of sale and release the first wins;
 * - an event that the database refuses is set aside by the consumer and blocks no other.
 */
export class OrderEvents {
  constructor(
    private readonly database: Database,
    /** Called after a commit that changed stock. */
    private readonly wake: () => void,
  ) {}

  /** Applies a batch; resolves with the events that the database refuses. If it rejects, the batch is redelivered. */
  async take(events: OutboxEvent[]): Promise<UnreadableEvent[]> {
    const moves = events.map((event) => ({ event, order: readOrderMove(event) }));
    const unconcerned = moves.flatMap(({ event, order }) => (order ? [] : [event]));
    await enterInboxUnapplied(this.database, unconcerned);
    const confirmed = await this.confirm(
      moves.flatMap(({ event, order }) => (order?.move === 'confirm' ? [{ event, order }] : [])),
    );
    const refused: UnreadableEvent[] = [];
    for (const [place, { event, order }] of moves.entries()) {
      const reason = order && !confirmed.has(event.id) ? await this.apply(event, order) : null;
      if (reason !== null) refused.push({ place, reason });
    }
    return refused;
  }

  /** Deletes inbox entries too old to be redelivered. */
  async forgetOld(): Promise<void> {
    let deleted: number;
    do {
      deleted = await deleteOldInboxEntries(this.database, INBOX_DAYS, DELETE_BATCH_ROWS);
    } while (deleted === DELETE_BATCH_ROWS);
  }

  /** Confirms the plain holds of a batch in one transaction. The other events are applied one by one. */
  private async confirm(
    confirmations: readonly { event: OutboxEvent; order: OrderMove }[],
  ): Promise<ReadonlySet<string>> {
    if (confirmations.length === 0) return new Set();
    try {
      const confirmAll = (tx: Sql) => confirmTogether(tx, confirmations);
      return await this.database.transaction(confirmAll, BACKGROUND_TRANSACTION_MS);
    } catch (error) {
      // One of them is refused again when it is alone.
      if (!isRefusedData(error)) throw error;
      return new Set();
    }
  }

  /** The reason why the event can never be applied, or null. */
  private async apply(event: OutboxEvent, order: OrderMove): Promise<string | null> {
    try {
      await this.database.transaction((tx) => applyOnce(tx, event, order), BACKGROUND_TRANSACTION_MS);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      log.error(
        { event_id: event.id, org_id: event.orgId, ...errorFields(error) },
        'order event not applied',
      );
      return error.message;
    }
    this.wake();
    return null;
  }
}

async function applyOnce(tx: Sql, event: OutboxEvent, order: OrderMove): Promise<void> {
  await lockOrder(tx, order.orderId);
  if (await enterInbox(tx, event)) await moveReservation(tx, order);
}
