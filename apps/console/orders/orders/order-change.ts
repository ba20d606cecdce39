import type { OrderStatus, OrderStatusPatchBody } from '@offizin/contracts/orders/orders';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import type { Held } from '../../requests/held/held-decisions';
import { readableOf } from '../../text/customer-name';
import { ORDER_STATUSES } from './order-search';

/** What a person changes on one order; `seen` is the order as it was on the screen at the key press. */
export type OrderAct = { seen: PipelineOrder } & (
  | { kind: 'status'; to: OrderStatus }
  /** Without a reason for an erased order, which stores none. */
  | { kind: 'reopen'; to: OrderStatus; reason: string }
  | { kind: 'paid' }
  /**
   * Also marks it as packed. `to` is the status as seen where the workflow allows no step. `lotsBefore`: those that the order
   * had before its lots were written, for the undo.
   */
  | { kind: 'packed'; to: OrderStatus; lotsBefore?: PipelineOrder['lots'] }
);

/** A status that the workflow does not allow from here; moving to it is a reopening. */
export function earlierStatuses({ status, next_statuses: next }: PipelineOrder): OrderStatus[] {
  return ORDER_STATUSES.filter((other) => other !== status && !next.includes(other));
}

export type OrderChange = Held<OrderAct>;

/** The same change of a newer version. Lots that it has may be a colleague's, so that an undo takes none back. */
export function onVersion(act: OrderAct, seen: PipelineOrder): OrderAct {
  return act.kind === 'packed' ? { kind: act.kind, to: act.to, seen } : { ...act, seen };
}

/** The field that the change gives a value to. */
export function becomes(act: OrderAct): { status: OrderStatus } | { payment_status: 'paid' } {
  return act.kind === 'paid' ? { payment_status: 'paid' } : { status: act.to };
}

export function bodyOf(act: OrderAct): OrderStatusPatchBody {
  if (act.kind !== 'reopen') return becomes(act);
  return { status: act.to, force: true, ...(act.reason === '' ? {} : { reason: act.reason }) };
}

/** The order already is what the change makes of it: the answer to an earlier attempt was lost, or a colleague did the same. */
export function isDone(act: OrderAct, order: PipelineOrder): boolean {
  if (act.kind === 'paid') return order.payment_status === 'paid';
  const isStep = act.kind !== 'packed' || act.to !== act.seen.status;
  return isStep && order.status === act.to;
}

export function isPossible(act: OrderAct, order: PipelineOrder): boolean {
  if (act.kind === 'paid') return order.payment_status !== 'paid';
  if (act.kind === 'reopen') return earlierStatuses(order).includes(act.to);
  return order.next_statuses.includes(act.to) || (act.kind === 'packed' && act.to === order.status);
}

export interface Difference {
  field: string;
  from: string;
  to: string;
}

const NOT_COMPARED = new Set(['version', 'history', 'notes', 'updated_at', 'status_since', 'next_statuses']);
/** The address is compared by the fields that the history has. */
const ADDRESS = ['street', 'postal_code', 'city', 'phone'] as const;

/** What differs between two versions of an order; the lines are compared whole. Empty texts are nothing. */
export function differences(seen: PipelineOrder, present: PipelineOrder): Difference[] {
  const [before, after] = [flat(seen), flat(present)];
  return Object.keys(after).flatMap((field) => {
    const [from = '', to = ''] = [before[field], after[field]];
    return from === to ? [] : [{ field, from, to }];
  });
}

function flat({
  shipping_address: address,
  items,
  parcels,
  lots,
  ...order
}: PipelineOrder): Record<string, string> {
  const plain = Object.entries(order).filter(([field]) => !NOT_COMPARED.has(field));
  const parts = ADDRESS.map((part) => [`address_${part}`, address[part]] as const);
  const lines = items
    .map(({ quantity, name, p1_id }) => `${quantity} × ${readableOf(name, p1_id) || '?'}`)
    .join(', ');
  const numbers = parcels.map(({ carrier, tracking_number: number }) =>
    `${carrier} ${number ?? ''}`.trimEnd(),
  );
  const packs = lots.map(({ quantity, lot, expires_on: day, test_number: test }) =>
    [`${quantity} × ${lot}`, day, test].filter(Boolean).join(' '),
  );
  const lists = [
    ['items', lines],
    ['parcels', numbers.join(', ')],
    ['lots', packs.join(', ')],
  ] as const;
  return Object.fromEntries([...plain, ...parts, ...lists].map(([field, value]) => [field, textOf(value)]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? readableOf(value) : JSON.stringify(value);
}

/** Who changed the order after the version that was seen, each name once, the newest first. */
export function changedBy(seen: PipelineOrder, present: PipelineOrder): string[] {
  const later = present.history.filter(({ sequence }) => sequence > seen.version);
  return [...new Set(later.map(({ who }) => who))];
}
