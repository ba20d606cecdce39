import { ORDER_STATUSES, type OrderStatus } from '@offizin/contracts/orders';

/**
 * The workflow: from each status, the statuses an order may move to. Data, not code, so that it can be asked
 * (`next_statuses`), stored per organization and checked at start.
 */
export type Workflow = Readonly<Record<OrderStatus, readonly OrderStatus[]>>;

/**
 * The default: the table of statuses in interface.md is the pipeline in its order; any later one may be set (an ERP
 * posts milestones, so skipping is allowed), never an earlier one; every one but the last two may be cancelled.
 * `completed` may still be cancelled, because `cancelled` stands after it in the pipeline; `cancelled` is final.
 */
export const DEFAULT_WORKFLOW: Workflow = pipeline();

function pipeline(): Workflow {
  const entries = ORDER_STATUSES.map((status, index) => [status, ORDER_STATUSES.slice(index + 1)] as const);
  return Object.fromEntries(entries) as Record<OrderStatus, OrderStatus[]>;
}

export function nextStatuses(workflow: Workflow, status: OrderStatus): OrderStatus[] {
  return [...workflow[status]];
}

/** Setting the present status again is always allowed. */
export function mayMove(workflow: Workflow, from: OrderStatus, to: OrderStatus): boolean {
  return from === to || workflow[from].includes(to);
}

export function refusedMove(workflow: Workflow, from: OrderStatus, to: OrderStatus): string {
  const allowed = workflow[from];
  const hint = allowed.length > 0 ? `Allowed are: ${allowed.join(', ')}.` : 'It is final.';
  return `An order that is ${from} cannot become ${to}. ${hint}`;
}

/** The flags that a status sets on its way, unless the caller says otherwise. */
export function impliedFlags(status: OrderStatus | undefined): { shipped?: true; picked_up?: true } {
  if (status === 'shipped') return { shipped: true };
  if (status === 'picked_up') return { picked_up: true };
  return {};
}
