import type { ReservationLine } from '@offizin/contracts/products/reservations';
import type { ReservationRow } from '../db/entities';

/**
 * States of a reservation and their transitions. States only move forward, because events of an order may arrive twice
 * and in any order. The first of sale and release wins. A reopened order has a new reservation (move.store.ts). Goods that
 * come back otherwise are booked by hand, because a person must check them.
 */
export const RESERVATION_STATES = [
  'held',
  'confirmed',
  'released',
  'sold',
  'replaced',
] as const satisfies ReservationState[];
export type ReservationState = ReservationRow['state'];

export const MOVES = ['confirm', 'release', 'sell'] as const;
export type Move = (typeof MOVES)[number];

const NEXT: Record<ReservationState, Record<Move, ReservationState>> = {
  held: { confirm: 'confirmed', release: 'released', sell: 'sold' },
  confirmed: { confirm: 'confirmed', release: 'released', sell: 'sold' },
  released: { confirm: 'released', release: 'released', sell: 'released' },
  sold: { confirm: 'sold', release: 'sold', sell: 'sold' },
  // A move then applies to the claim that replaced it (move.store.ts).
  replaced: { confirm: 'replaced', release: 'replaced', sell: 'replaced' },
};

export function nextState(state: ReservationState, move: Move): ReservationState {
  return NEXT[state][move];
}

/** True while the lines count as reserved in the inventory. */
export function holdsStock(state: ReservationState): boolean {
  return state === 'held' || state === 'confirmed';
}

/** The stored reservation when another hold is requested. */
export type StoredReservation = Pick<ReservationRow, 'attempt' | 'state' | 'order_id' | 'asked_lines'>;

type HoldDecision = 'settled' | 'outdated' | 'renew' | 'hold';

/**
 * Decision on a request for a hold:
 * - `settled`: nothing to do, the approval has committed;
 * - `outdated`: refuse, a later attempt has taken over;
 * - `renew`: keep the hold of the same request;
 * - `hold`: make a hold that replaces the one of an earlier attempt.
 */
export function decideHold(stored: StoredReservation, attempt: number, requestedLines: string): HoldDecision {
  const committed = stored.state === 'confirmed' || stored.state === 'sold' || stored.order_id !== null;
  if (committed) return 'settled';
  if (attempt < stored.attempt) return 'outdated';
  const same = attempt === stored.attempt && requestedLines === stored.asked_lines;
  return same && holdsStock(stored.state) ? 'renew' : 'hold';
}

/** One line per product, in the order of the ids. */
export function sumLines(lines: readonly ReservationLine[]): ReservationLine[] {
  const quantities = new Map<string, number>();
  for (const { p1_id: p1Id, quantity } of lines) {
    quantities.set(p1Id, (quantities.get(p1Id) ?? 0) + quantity);
  }
  return [...quantities]
    .map(([p1_id, quantity]) => ({ p1_id, quantity }))
    .sort((a, b) => (a.p1_id < b.p1_id ? -1 : 1));
}

/** Equal text for requests with the same lines. */
export function canonicalLines(lines: readonly ReservationLine[]): string {
  return JSON.stringify(sumLines(lines).map(({ p1_id: p1Id, quantity }) => [p1Id, quantity]));
}

/** Parses canonicalLines. */
export function linesOfCanonical(text: string): ReservationLine[] {
  const pairs = JSON.parse(text) as [string, number][];
  return pairs.map(([p1_id, quantity]) => ({ p1_id, quantity }));
}

/** Lines that a claim must hold in addition to those of its order. */
export function furtherLines(
  requested: readonly ReservationLine[],
  before: readonly ReservationLine[],
): ReservationLine[] {
  const held = new Map(before.map((line) => [line.p1_id, line.quantity]));
  return requested
    .map(({ p1_id, quantity }) => ({ p1_id, quantity: quantity - (held.get(p1_id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

/**
 * A committed claim replaces the previous reservation. Returns the lines it holds from then on, and the change of the
 * reserved part per product. A line that neither held is not stock-managed.
 */
export function planTakeOver(
  before: readonly ReservationLine[],
  further: readonly ReservationLine[],
  requested: readonly ReservationLine[],
): Pick<HoldPlan, 'lines' | 'deltas'> {
  const deltas = new Map<string, number>();
  for (const { p1_id: p1Id, quantity } of [...before, ...further]) {
    deltas.set(p1Id, (deltas.get(p1Id) ?? 0) - quantity);
  }
  const lines = requested.filter(({ p1_id: p1Id }) => deltas.has(p1Id));
  for (const { p1_id: p1Id, quantity } of lines) deltas.set(p1Id, (deltas.get(p1Id) ?? 0) + quantity);
  return { lines, deltas };
}

interface HoldPlan {
  /** Products that lack stock; with at least one, nothing is held. */
  short: string[];
  /** Lines to hold: those of the inventory. Other lines are not stock-managed. */
  lines: ReservationLine[];
  /** Change of the reserved part per product, after the release of the previous hold. */
  deltas: Map<string, number>;
}

/** `stock`: all products of both lists that are in the inventory, locked. */
export function planHold(
  stock: readonly { p1_id: string; stock_quantity: number; reserved_quantity: number }[],
  held: readonly ReservationLine[],
  requested: readonly ReservationLine[],
): HoldPlan {
  const before = new Map(held.map((line) => [line.p1_id, line.quantity]));
  const free = new Map(
    stock.map((item) => [
      item.p1_id,
      item.stock_quantity - item.reserved_quantity + (before.get(item.p1_id) ?? 0),
    ]),
  );
  const managed = requested.filter((line) => free.has(line.p1_id));
  const short = managed
    .filter((line) => (free.get(line.p1_id) ?? 0) < line.quantity)
    .map(({ p1_id }) => p1_id);
  const lines = short.length > 0 ? [] : managed;
  const deltas = new Map(held.map((line) => [line.p1_id, -line.quantity]));
  for (const { p1_id: p1Id, quantity } of lines) deltas.set(p1Id, (deltas.get(p1Id) ?? 0) + quantity);
  return { short, lines, deltas };
}
