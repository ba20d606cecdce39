import type { OrderStatus } from '@offizin/contracts/orders/orders';
import type { ClosedOrderRule, WorkflowMode } from '@offizin/contracts/orders/settings';
import { ORDER_STATUSES } from '../../orders/orders/order-search';

/** From each status the statuses that may follow, in their order. */
export type Transitions = Readonly<Record<OrderStatus, readonly OrderStatus[]>>;

export interface Draft {
  mode: WorkflowMode;
  transitions: Transitions;
  closed_orders: ClosedOrderRule;
}

/** Changes of a person, and the workflow on which they began. */
export interface Editing {
  began: Draft;
  draft: Draft;
}

function transitionsOf(next: (from: OrderStatus) => readonly OrderStatus[]): Transitions {
  return Object.fromEntries(ORDER_STATUSES.map((from) => [from, next(from)])) as Record<
    OrderStatus,
    readonly OrderStatus[]
  >;
}

/** As order-core has them; what it answers after saving is shown. */
const FIXED: Readonly<Record<Exclude<WorkflowMode, 'custom'>, Transitions>> = {
  default: transitionsOf((from) => ORDER_STATUSES.slice(ORDER_STATUSES.indexOf(from) + 1)),
  open: transitionsOf((from) => ORDER_STATUSES.filter((other) => other !== from)),
};

/** An own workflow begins with what counted before. */
export function inMode(mode: WorkflowMode, draft: Draft): Draft {
  return { ...draft, mode, transitions: mode === 'custom' ? draft.transitions : FIXED[mode] };
}

/** Adds the step, or takes it away. */
export function toggled({ transitions, ...draft }: Draft, from: OrderStatus, to: OrderStatus): Draft {
  const has = transitions[from].includes(to);
  const next = ORDER_STATUSES.filter(
    (status) => (status === to ? !has : transitions[from].includes(status)) && status !== from,
  );
  return { ...draft, mode: 'custom', transitions: { ...transitions, [from]: next } };
}

export function isSame(one: Draft, other: Draft): boolean {
  const same = (from: OrderStatus) =>
    one.transitions[from].length === other.transitions[from].length &&
    one.transitions[from].every((to) => other.transitions[from].includes(to));
  const sameRules = one.mode === other.mode && one.closed_orders === other.closed_orders;
  return sameRules && ORDER_STATUSES.every(same);
}

/** The person's changes; null when they lead back to where they began. */
export function edited(before: Editing | null, saved: Draft, draft: Draft): Editing | null {
  const began = before?.began ?? saved;
  return isSame(draft, began) ? null : { began, draft };
}

/** Another workflow counts by now, and saving the changes would undo it unseen. */
export function isOvertaken(editing: Editing | null, saved: Draft): boolean {
  return editing !== null && !isSame(editing.began, saved) && !isSame(editing.draft, saved);
}

/** Statuses to which no order comes that begins as `pending`. An integrator may still create one there. */
export function unreachable(transitions: Transitions): OrderStatus[] {
  const reached = new Set<OrderStatus>(['pending']);
  // A set that grows while it is walked is walked to its end.
  for (const from of reached) for (const to of transitions[from]) reached.add(to);
  return ORDER_STATUSES.filter((status) => !reached.has(status));
}
