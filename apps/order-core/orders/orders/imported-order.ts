import { invalid, type Problem } from '@offizin/contracts/calls/errors';
import type { ImportedStep } from '@offizin/contracts/orders/history-import';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { type OrderPatch, restOf } from './order-patch';
import { impliedFlags, mayMove, refusedMove, type Workflow } from './order-status';

/** An order of the past: its row as it is now, and the history that led to it. */
export interface PastOrder {
  id: string;
  shop_id: string;
  external_id: string;
  order_request_id: string | null;
  status: OrderStatus;
  created_at: string;
  updated_at: string;
  fields: OrderPatch;
  entries: HistoryEntry[];
}

interface HistoryEntry {
  sequence: number;
  at: string;
  action: 'created' | 'status_changed';
  fields: object;
}

export interface NewPastOrder {
  id: string;
  shopId: string;
  externalId: string;
  requestId: string | null;
  createdAt: string;
  status: OrderStatus;
  patch: OrderPatch;
  steps: readonly ImportedStep[];
}

/** Throws `Refused` for times that do not rise up to now, and for moves that the workflow does not allow. */
export function pastOrder(order: NewPastOrder, workflow: Workflow, now: Date): PastOrder {
  const problems: Problem[] = [];
  const { patch, createdAt, steps } = order;
  const fields: OrderPatch = { ...restOf(patch), ...withoutAbsent(patch) };
  const created = { ...fields, status: order.status };
  const entries: HistoryEntry[] = [{ sequence: 1, at: createdAt, action: 'created', fields: created }];
  let status = order.status;
  let last = createdAt;
  for (const { at, ...step } of steps) {
    if (Date.parse(at) < Date.parse(last)) problems.push({ field: 'steps', message: 'must be oldest first' });
    const next = step.status ?? status;
    if (!mayMove(workflow, status, next))
      problems.push({ field: 'steps', message: refusedMove(workflow, status, next) });
    const change = { ...impliedFlags(step.status), ...withoutAbsent(step) };
    entries.push({ sequence: entries.length + 1, at, action: 'status_changed', fields: change });
    const { status: _, ...columns } = change;
    Object.assign(fields, columns);
    [status, last] = [next, at];
  }
  if (Date.parse(last) > now.getTime()) problems.push({ field: 'steps', message: 'must be in the past' });
  if (problems.length > 0) throw invalid(problems);
  const { id, shopId: shop_id, externalId: external_id, requestId: order_request_id } = order;
  const times = { created_at: createdAt, updated_at: last };
  return { id, shop_id, external_id, order_request_id, status, ...times, fields, entries };
}

function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
