/**
 * The states of a reservation and what moves it. They only go forward: events of an order may come twice and in any
 * order, and what they lead to must not depend on it. The first of sale and release decides; goods that come back
 * after a sale are booked by hand (`returned`), because only a person has seen them.
 */
export const RESERVATION_STATES = ['held', 'confirmed', 'released', 'sold', 'replaced'] as const;
export type ReservationState = (typeof RESERVATION_STATES)[number];

export const MOVES = ['confirm', 'release', 'sell'] as const;
export type Move = (typeof MOVES)[number];

const NEXT: Record<ReservationState, Record<Move, ReservationState>> = {
  held: { confirm: 'confirmed', release: 'released', sell: 'sold' },
  confirmed: { confirm: 'confirmed', release: 'released', sell: 'sold' },
  released: { confirm: 'released', release: 'released', sell: 'released' },
  sold: { confirm: 'sold', release: 'sold', sell: 'sold' },
  // Whoever moves it means the claim that took its place (move.store.ts).
  replaced: { confirm: 'replaced', release: 'replaced', sell: 'replaced' },
};

export function nextState(state: ReservationState, move: Move): ReservationState {
  return NEXT[state][move];
}

/** True while the pieces of the lines count as reserved in the inventory. */
export function holdsStock(state: ReservationState): boolean {
  return state === 'held' || state === 'confirmed';
}
