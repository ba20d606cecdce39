import type { ReservationLine } from '@offizin/contracts/reservations';
import { type Sql, statement } from '@offizin/pg/database';
import { SCHEMA } from '../db/schema';
import type { StoredReservation } from './hold-plan';
import type { ReservationState } from './reservation-moves';

/** Time after which old-holds asks about an unconfirmed hold. Source: design, reserve -> commit -> confirm. */
export const HOLD_SECONDS = 60;

export interface Reservation extends StoredReservation {
  /** The order request, or the claim of an order. */
  order_request_id: string;
  org_id: string;
  replaces: string | null;
}

const COLUMNS = 'order_request_id, org_id, attempt, state, order_id, asked_lines, replaces';

/** Inserts an empty reservation with attempt -1, so callers need no special case for a new row. */
const lockOrMake = statement<Reservation, [string, string]>(
  'reservation_lock_or_make',
  `INSERT INTO ${SCHEMA}.reservations AS r (order_request_id, org_id, attempt, state, asked_lines, expires_at)
   VALUES ($1, $2, -1, 'released', '', now())
   ON CONFLICT (order_request_id) DO UPDATE SET state = r.state
   RETURNING ${COLUMNS}`,
);

/** The reservation of the order request, created if missing, locked until the transaction ends. */
export async function lockOrMakeReservation(
  tx: Sql,
  orgId: string,
  orderRequestId: string,
): Promise<Reservation> {
  const [row] = await tx.rows(lockOrMake, orderRequestId, orgId);
  if (!row) throw new Error('the database returned no reservation');
  return row;
}

const lockByRequest = statement<Reservation, [string]>(
  'reservation_lock_by_request',
  `SELECT ${COLUMNS} FROM ${SCHEMA}.reservations WHERE order_request_id = $1 FOR NO KEY UPDATE`,
);
const lockByOrder = statement<Reservation, [string]>(
  'reservation_lock_by_order',
  `SELECT ${COLUMNS} FROM ${SCHEMA}.reservations WHERE order_id = $1 AND state <> 'replaced'
   FOR NO KEY UPDATE`,
);

/**
 * The reservation of an order request or claim, otherwise of the order, locked; null if missing. For a replaced
 * reservation, the current one of its order.
 */
export async function lockReservation(
  tx: Sql,
  { orderRequestId, orderId }: { orderRequestId: string | null; orderId: string | null },
): Promise<Reservation | null> {
  const [byRequest] = orderRequestId === null ? [] : await tx.rows(lockByRequest, orderRequestId);
  if (byRequest && (byRequest.state !== 'replaced' || orderId === null)) return byRequest;
  const [byOrder] = orderId === null ? [] : await tx.rows(lockByOrder, orderId);
  return byOrder ?? null;
}

const lockOrderId = statement<never, [string]>(
  'reservation_lock_order',
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
);

/**
 * Mutex per order. Without it, the event that names the order's request and the event that ends the order could each
 * miss the other's uncommitted write. Taken before any row lock.
 */
export async function lockOrder(tx: Sql, orderId: string): Promise<void> {
  await tx.rows(lockOrderId, orderId);
}

const saveHold = statement<never, [string, number, ReservationState, string, number, string | null]>(
  'reservation_save_hold',
  `UPDATE ${SCHEMA}.reservations
   SET attempt = $2, state = $3, asked_lines = $4, updated_at = clock_timestamp(),
     expires_at = clock_timestamp() + make_interval(secs => $5), replaces = $6
   WHERE order_request_id = $1`,
);

export async function saveReservationHold(
  tx: Sql,
  hold: {
    orderRequestId: string;
    attempt: number;
    state: ReservationState;
    askedLines: string;
    replaces: string | null;
  },
): Promise<void> {
  const { orderRequestId, attempt, state, askedLines, replaces } = hold;
  await tx.rows(saveHold, orderRequestId, attempt, state, askedLines, HOLD_SECONDS, replaces);
}

const saveState = statement<never, [string, ReservationState, string | null]>(
  'reservation_save_state',
  `UPDATE ${SCHEMA}.reservations
   SET state = $2, order_id = coalesce(order_id, $3::uuid), updated_at = clock_timestamp()
   WHERE order_request_id = $1`,
);

/** Never overwrites a known order id. */
export async function saveReservationState(
  tx: Sql,
  orderRequestId: string,
  state: ReservationState,
  orderId: string | null,
): Promise<void> {
  await tx.rows(saveState, orderRequestId, state, orderId);
}

const linesOf = statement<ReservationLine, [string]>(
  'reservation_lines',
  `SELECT p1_id, quantity FROM ${SCHEMA}.reservation_lines WHERE order_request_id = $1 ORDER BY p1_id`,
);

export async function reservationLines(tx: Sql, orderRequestId: string): Promise<ReservationLine[]> {
  return tx.rows(linesOf, orderRequestId);
}

const deleteLines = statement<never, [string]>(
  'reservation_lines_delete',
  `DELETE FROM ${SCHEMA}.reservation_lines WHERE order_request_id = $1`,
);
const insertLines = statement<never, [string, string, string[], number[]]>(
  'reservation_lines_insert',
  `INSERT INTO ${SCHEMA}.reservation_lines (order_request_id, org_id, p1_id, quantity)
   SELECT $1, $2, line.p1_id, line.quantity FROM unnest($3::text[], $4::int[]) AS line (p1_id, quantity)`,
);

export async function replaceReservationLines(
  tx: Sql,
  orgId: string,
  orderRequestId: string,
  lines: readonly ReservationLine[],
): Promise<void> {
  await tx.rows(deleteLines, orderRequestId);
  if (lines.length === 0) return;
  const p1Ids = lines.map((line) => line.p1_id);
  await tx.rows(
    insertLines,
    orderRequestId,
    orgId,
    p1Ids,
    lines.map((line) => line.quantity),
  );
}

const claimDue = statement<{ order_request_id: string; attempt: number }, [number, number]>(
  'reservation_claim_due',
  `UPDATE ${SCHEMA}.reservations SET expires_at = clock_timestamp() + make_interval(secs => $2)
   WHERE order_request_id IN (
     SELECT order_request_id FROM ${SCHEMA}.reservations
     WHERE state = 'held' AND expires_at <= clock_timestamp()
     ORDER BY expires_at LIMIT $1
     FOR UPDATE SKIP LOCKED
   )
   RETURNING order_request_id, attempt`,
);

/** Leases due holds. They are due again after the lease, in case this process dies. */
export async function claimDueHolds(
  sql: Sql,
  limit: number,
  leaseSeconds: number,
): Promise<{ order_request_id: string; attempt: number }[]> {
  return sql.rows(claimDue, limit, leaseSeconds);
}
