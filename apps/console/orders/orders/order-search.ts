import type {
  ORDER_STATUSES as Statuses,
  OrderStatus,
  PAYMENT_STATUSES as Payments,
  PaymentStatus,
  UNPAID_FILTERS as UnpaidFilters,
  UnpaidFilter,
} from '@offizin/contracts/orders/orders';
import type { PIPELINE_SORTS as Sorts } from '@offizin/contracts/orders/pipeline';
import { readAddress, withoutUndefined } from '../../lists/address';

/** What the address of the orders screen holds: filter, sort and the order that is open. */
export interface OrderSearch {
  status?: OrderStatus;
  shop?: string;
  payment?: PaymentStatus;
  unpaid?: UnpaidFilter;
  q?: string;
  sort?: (typeof Sorts)[number];
  id?: string;
  /** Id of a saved view. */
  view?: string;
  /** Where they are not those of the view, as in order-columns.ts. */
  columns?: string;
}

/** The part of the address that the server filters by, in the contract's names; defaults are left out. */
export type OrderFilters = ReturnType<typeof filtersOf>;

export const ORDER_STATUSES: typeof Statuses = [
  'pending',
  'awaiting_payment',
  'awaiting_packing',
  'ready_pickup',
  'shipped',
  'picked_up',
  'completed',
  'cancelled',
];
export const PAYMENT_STATUSES: typeof Payments = ['paid', 'pending', 'cash_on_pickup', 'refunded', 'failed'];
export const UNPAID_FILTERS: typeof UnpaidFilters = ['due'];
export const SORTS: typeof Sorts = ['newest', 'oldest'];

const KNOWN = {
  status: ORDER_STATUSES,
  payment: PAYMENT_STATUSES,
  unpaid: UNPAID_FILTERS,
  sort: SORTS,
  shop: null,
  q: null,
  id: null,
  view: null,
  columns: null,
} as const;

export function readOrderSearch(search: Readonly<Record<string, unknown>>): OrderSearch {
  return readAddress(search, KNOWN);
}

export function filtersOf({ status, shop, payment, unpaid, q, sort }: OrderSearch) {
  return withoutUndefined({ status, shop_id: shop, payment_status: payment, unpaid, q, sort });
}

/** The orders of the list as it is shown, in the names of the export; a file has no pages. */
export function exportQuery({ sort, ...filters }: OrderFilters) {
  return { ...filters, sort: sort === 'oldest' ? ('created_at' as const) : ('-created_at' as const) };
}

/** The change of the address that takes every filter away. The tab hides rows, too, but is not one. */
export const NO_FILTER = { q: undefined, shop: undefined, payment: undefined, unpaid: undefined };
