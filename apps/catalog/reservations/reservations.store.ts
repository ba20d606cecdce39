import type { ReservationLine, ReserveBody } from '@offizin/contracts/products/reservations';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, rowsOf } from '@offizin/pg/queries';
import type { ReservationLineRow, ReservationRow } from '../db/entities';
import { SCHEMA } from '../db/schema';
import type { ReservationState, StoredReservation } from './hold-plan';

/** Time after which old-holds asks about an unconfirmed hold. Source: design, reserve -> commit -> confirm. */
export const HOLD_SECONDS = 60;

export type Reservation = StoredReservation &
  Pick<ReservationRow, 'order_request_id' | 'org_id' | 'replaces'>;

const COLUMNS = 'order_request_id, org_id, attempt, state, order_id, asked_lines, replaces';

/**
 * Every transaction locks in this order, so that no two deadlock: mutexes of orders by key (lockOrder), all reservations by
 * id in one statement, inventory rows by id (stock.store.ts). Holds need no mutex. Leasing old holds waits for no lock.
 */

/**
 * Inserts an empty reservation with attempt -1, so callers need no special case for a new row. Reservations to replace are
 * locked in the same statement and never inserted.
 */
const lockOrMake = statement<Reservation, [string[], string[], string[]]>(
  'reservations_lock_or_make',
  `INSERT INTO ${SCHEMA}.reservations AS r (order_request_id, org_id, attempt, state, asked_lines, expires_at)
   SELECT DISTINCT ON (id) id, org_id, -1, 'released', '', now()
   FROM (SELECT id, org_id FROM unnest($1::uuid[], $2::uuid[]) AS asked (id, org_id)
     UNION ALL SELECT order_request_id, org_id FROM ${SCHEMA}.reservations WHERE order_request_id = ANY ($3::uuid[])
   ) AS named
   ORDER BY id
   ON CONFLICT (order_request_id) DO UPDATE SET state = r.state
   RETURNING ${COLUMNS}`,
);

/**
 * The reservations of order requests and claims, created if missing, and those that they replace, by id. Locked until the
 * transaction ends.
 */
export async function lockOrMakeReservations(
  tx: Sql,
  requested: readonly Pick<ReserveBody, 'org_id' | 'order_request_id' | 'replaces'>[],
): Promise<Map<string, Reservation>> {
  const ids = requested.map((each) => each.order_request_id);
  const orgIds = requested.map((each) => each.org_id);
  const replaced = requested.flatMap(({ replaces }) => replaces ?? []);
  const rows = await tx.rows(lockOrMake, ids, orgIds, replaced);
  return new Map(rows.map((row) => [row.order_request_id, row]));
}

const lockToMove = statement<
  Reservation & { is_present: boolean },
  { id: string | null; orderId: string | null }
>(
  'reservations_lock_to_move',
  `WITH present AS MATERIALIZED (
     -- A reopened order also has reservations that ended before.
     SELECT order_request_id AS id FROM ${SCHEMA}.reservations WHERE order_id = $orderId::uuid AND state <> 'replaced'
     ORDER BY created_at DESC, order_request_id DESC LIMIT 1
   )
   SELECT ${COLUMNS}, order_request_id IS NOT DISTINCT FROM (SELECT id FROM present) AS is_present
   FROM ${SCHEMA}.reservations
   WHERE order_request_id = ANY (ARRAY(
     SELECT $id::uuid
     UNION ALL SELECT id FROM present
     UNION ALL SELECT replaces FROM ${SCHEMA}.reservations WHERE order_request_id = $id::uuid AND $orderId::uuid IS NOT NULL))
   ORDER BY order_request_id FOR NO KEY UPDATE`,
);

/**
 * The reservation of an order request or claim, otherwise of the order, locked together with the one that it replaces;
 * null if missing. For a replaced reservation, the present one of its order. A caller that names an order must have
 * locked it (lockOrder).
 */
export async function lockReservation(
  tx: Sql,
  { orderRequestId, orderId }: { orderRequestId: string | null; orderId: string | null },
): Promise<{ reservation: Reservation; replaced: Reservation | null } | null> {
  const rows = await tx.rows(lockToMove, { id: orderRequestId, orderId });
  const byId = new Map(rows.map((row) => [row.order_request_id, row]));
  const named = orderRequestId === null ? undefined : byId.get(orderRequestId.toLowerCase());
  const isMeant = named && (named.state !== 'replaced' || orderId === null);
  const reservation = isMeant ? named : rows.find((row) => row.is_present);
  if (!reservation) return null;
  return { reservation, replaced: byId.get(reservation.replaces ?? '') ?? null };
}

/** Mutex per order: its events lock several reservations. Taken before any row lock. */
export const lockOrder = changeOf<[orderId: string]>(
  'reservation_lock_order',
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
);

const saveAll = statement<
  never,
  {
    ids: string[];
    attempts: number[];
    states: ReservationState[];
    requestedLines: string[];
    replaces: (string | null)[];
    holdSeconds: number;
  }
>(
  'reservations_save_holds',
  // Arrays: of a JSON document the planner expects so many rows that it may read the whole table.
  `UPDATE ${SCHEMA}.reservations r
   SET attempt = hold.attempt, state = hold.state, asked_lines = hold.asked, updated_at = clock_timestamp(),
     expires_at = clock_timestamp() + make_interval(secs => $holdSeconds), replaces = hold.replaces
   FROM unnest($ids::uuid[], $attempts::int[], $states::text[], $requestedLines::text[], $replaces::uuid[])
     AS hold (id, attempt, state, asked, replaces)
   WHERE r.order_request_id = hold.id`,
);

export interface ReservationHold {
  orderRequestId: string;
  attempt: number;
  state: ReservationState;
  requestedLines: string;
  replaces: string | null;
}

/** Of different, locked reservations. */
export async function saveHolds(tx: Sql, holds: readonly ReservationHold[]): Promise<void> {
  if (holds.length === 0) return;
  await tx.rows(saveAll, {
    ids: holds.map(({ orderRequestId }) => orderRequestId),
    attempts: holds.map(({ attempt }) => attempt),
    states: holds.map(({ state }) => state),
    requestedLines: holds.map(({ requestedLines }) => requestedLines),
    replaces: holds.map(({ replaces }) => replaces),
    holdSeconds: HOLD_SECONDS,
  });
}

/** Never overwrites a known order id. */
export const saveReservationState = changeOf<
  [orderRequestId: string, state: ReservationState, orderId: string | null]
>(
  'reservation_save_state',
  `UPDATE ${SCHEMA}.reservations
   SET state = $2, order_id = coalesce(order_id, $3::uuid), updated_at = clock_timestamp()
   WHERE order_request_id = $1`,
);

const linesOf = statement<
  Pick<ReservationLineRow, 'order_request_id' | 'p1_id' | 'quantity'>,
  [readonly string[]]
>(
  'reservations_lines',
  `SELECT order_request_id, p1_id, quantity FROM ${SCHEMA}.reservation_lines
   WHERE order_request_id = ANY ($1::uuid[]) ORDER BY p1_id`,
);

/** By reservation. */
export async function linesOfReservations(
  tx: Sql,
  orderRequestIds: readonly string[],
): Promise<Map<string, ReservationLine[]>> {
  const lines = new Map<string, ReservationLine[]>();
  if (orderRequestIds.length === 0) return lines;
  for (const { order_request_id: id, ...line } of await tx.rows(linesOf, orderRequestIds))
    lines.set(id, [...(lines.get(id) ?? []), line]);
  return lines;
}

export async function reservationLines(tx: Sql, orderRequestId: string): Promise<ReservationLine[]> {
  return (await linesOfReservations(tx, [orderRequestId])).get(orderRequestId.toLowerCase()) ?? [];
}

const deleteLines = statement<never, [readonly string[]]>(
  'reservations_lines_delete',
  `DELETE FROM ${SCHEMA}.reservation_lines WHERE order_request_id = ANY ($1::uuid[])`,
);
const insertLines = statement<never, [string]>(
  'reservations_lines_insert',
  `INSERT INTO ${SCHEMA}.reservation_lines (order_request_id, org_id, p1_id, quantity)
   SELECT id, org_id, p1_id, quantity
   FROM jsonb_to_recordset($1::jsonb) AS line (id uuid, org_id uuid, p1_id text, quantity integer)`,
);

export interface LinesOf {
  orgId: string;
  orderRequestId: string;
  /** It has no lines yet. */
  isNew: boolean;
  lines: readonly ReservationLine[];
}

/** Of different, locked reservations. */
export async function replaceLines(tx: Sql, all: readonly LinesOf[]): Promise<void> {
  const former = all.filter(({ isNew }) => !isNew).map(({ orderRequestId }) => orderRequestId);
  if (former.length > 0) await tx.rows(deleteLines, former);
  const rows = all.flatMap(({ orgId: org_id, orderRequestId: id, lines }) =>
    lines.map((line) => ({ id, org_id, ...line })),
  );
  if (rows.length > 0) await tx.rows(insertLines, JSON.stringify(rows));
}

export async function replaceReservationLines(
  tx: Sql,
  orgId: string,
  orderRequestId: string,
  lines: readonly ReservationLine[],
): Promise<void> {
  await replaceLines(tx, [{ orgId, orderRequestId, isNew: false, lines }]);
}

/** Leases due holds. They are due again after the lease, in case this process dies. */
export const claimDueHolds = rowsOf<
  Pick<ReservationRow, 'order_request_id' | 'attempt'>,
  [limit: number, leaseSeconds: number]
>(
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
