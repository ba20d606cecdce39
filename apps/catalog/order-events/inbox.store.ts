import type { Move } from '../reservations/reservation-moves';
import type { OutboxEvent } from '@offizin/contracts/events';
import { type Sql, statement } from '@offizin/pg/database';
import { SCHEMA } from '../db/schema';
import type { OrderMove } from './order-event';

/** Inbox: each event is applied once. */

const insert = statement<{ event_id: string }, [string, number, string | null, Move | null]>(
  'inbox_insert',
  `INSERT INTO ${SCHEMA}.inbox (event_id, sequence, order_id, move)
   VALUES ($1, $2, $3, $4) ON CONFLICT (event_id) DO NOTHING RETURNING event_id`,
);

/** Records an event; false if it is already known and must not be applied again. */
export async function enterInbox(tx: Sql, event: OutboxEvent, order: OrderMove): Promise<boolean> {
  const ending = order.move !== 'confirm' ? order : null;
  const rows = await tx.rows(insert, event.id, event.sequence, ending?.orderId ?? null, ending?.move ?? null);
  return rows.length > 0;
}

const insertMany = statement<never, [string[], number[]]>(
  'inbox_insert_many',
  `INSERT INTO ${SCHEMA}.inbox (event_id, sequence)
   SELECT event_id, sequence FROM unnest($1::uuid[], $2::int[]) AS event (event_id, sequence)
   ORDER BY event_id
   ON CONFLICT (event_id) DO NOTHING`,
);

/** Records irrelevant events as known, so that reconciling does not publish them again. */
export async function enterInboxUnapplied(sql: Sql, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length === 0) return;
  await sql.rows(
    insertMany,
    events.map((event) => event.id),
    events.map((event) => event.sequence),
  );
}

const earlyEnd = statement<{ move: Move }, [string]>(
  'inbox_early_end',
  `SELECT move FROM ${SCHEMA}.inbox WHERE order_id = $1 ORDER BY sequence LIMIT 1`,
);

/** How the order ended, if that event arrived before the one that names its request; otherwise null. */
export async function earlyEndOf(tx: Sql, orderId: string): Promise<Move | null> {
  const [row] = await tx.rows(earlyEnd, orderId);
  return row?.move ?? null;
}

const unknown = statement<{ id: string }, [string[]]>(
  'inbox_unknown',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id)
   WHERE NOT EXISTS (SELECT FROM ${SCHEMA}.inbox WHERE event_id = asked.id)
     AND NOT EXISTS (SELECT FROM ${SCHEMA}.set_aside WHERE event_id = asked.id)`,
);

/** Filters the event ids to those that never arrived; an event that was set aside has arrived. */
export async function unknownEventIds(sql: Sql, ids: string[]): Promise<string[]> {
  return (await sql.rows(unknown, ids)).map(({ id }) => id);
}

const deleteOld = statement<{ event_id: string }, [number, number]>(
  'inbox_delete_old',
  `DELETE FROM ${SCHEMA}.inbox WHERE event_id IN (
     SELECT event_id FROM ${SCHEMA}.inbox
     WHERE received_at < now() - make_interval(days => $1) ORDER BY received_at LIMIT $2
     FOR UPDATE SKIP LOCKED
   ) RETURNING event_id`,
);

/** Deletes at most `limit` entries older than so many days; returns the number. */
export async function deleteOldInboxEntries(sql: Sql, olderThanDays: number, limit: number): Promise<number> {
  return (await sql.rows(deleteOld, olderThanDays, limit)).length;
}
