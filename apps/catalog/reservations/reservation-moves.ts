/**
 * States of a reservation and their transitions. States only move forward, because events of an order may arrive twice
 * and in any order. The first of sale and release wins. Goods returned after a sale are booked by hand (`returned`),
 * because a person must check them.
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
