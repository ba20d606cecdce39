import { invalid, type Problem } from '@offizin/contracts/calls/errors';
import { ORDER_STATUSES, type OrderStatus } from '@offizin/contracts/orders/orders';

/** From each status, the statuses that may follow. Data, so that it can be listed and stored per organization. */
export type Workflow = Readonly<Record<OrderStatus, readonly OrderStatus[]>>;

/**
 * The default: any later status in the order of ORDER_STATUSES, because an ERP may skip milestones; never an earlier one.
 * `cancelled` is last, so every other status may become it and it is final.
 */
export const DEFAULT_WORKFLOW: Workflow = workflowOf((status) =>
  ORDER_STATUSES.slice(ORDER_STATUSES.indexOf(status) + 1),
);

/** Any status from any other. */
export const OPEN_WORKFLOW: Workflow = workflowOf((status) =>
  ORDER_STATUSES.filter((other) => other !== status),
);

/** An organization's workflow; a status without an entry is final. Throws `Refused` with every problem. */
export function readWorkflow(transitions: Record<string, unknown>): Workflow {
  const problems: Problem[] = [];
  for (const [from, next] of Object.entries(transitions)) {
    const field = `transitions.${from}`;
    if (!isStatus(from)) problems.push({ field, message: 'is not an order status' });
    else if (!Array.isArray(next)) problems.push({ field, message: 'must be a list of statuses' });
    else if (!next.every(isStatus)) problems.push({ field, message: 'holds what is not an order status' });
  }
  if (problems.length > 0) throw invalid(problems);
  return workflowOf((status) => {
    const next = transitions[status];
    return Array.isArray(next) ? ORDER_STATUSES.filter((other) => next.includes(other)) : [];
  });
}

function workflowOf(next: (status: OrderStatus) => OrderStatus[]): Workflow {
  const entries = ORDER_STATUSES.map((status) => [status, next(status)] as const);
  return Object.fromEntries(entries) as Record<OrderStatus, OrderStatus[]>;
}

function isStatus(value: unknown): value is OrderStatus {
  return ORDER_STATUSES.some((status) => status === value);
}

export function nextStatuses(workflow: Workflow, status: OrderStatus): OrderStatus[] {
  return [...workflow[status]];
}

/** Setting the current status again is allowed. */
export function mayMove(workflow: Workflow, from: OrderStatus, to: OrderStatus): boolean {
  return from === to || workflow[from].includes(to);
}

export function refusedMove(workflow: Workflow, from: OrderStatus, to: OrderStatus): string {
  const allowed = workflow[from];
  const hint = allowed.length > 0 ? `Allowed are: ${allowed.join(', ')}.` : 'It is final.';
  return `An order that is ${from} cannot become ${to}. ${hint}`;
}

/** Flags that a status sets unless the body sets them. Reopened to one before `shipped`, an order has neither. */
export function impliedFlags(
  status: OrderStatus | undefined,
  isReopened = false,
): { shipped?: boolean; picked_up?: boolean } {
  if (status === 'shipped') return { shipped: true };
  if (status === 'picked_up') return { picked_up: true };
  const isBefore = status !== undefined && ORDER_STATUSES.indexOf(status) < ORDER_STATUSES.indexOf('shipped');
  return isReopened && isBefore ? { shipped: false, picked_up: false } : {};
}
