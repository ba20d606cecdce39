import type {
  ORDER_STATUSES as Statuses,
  OrderStatus,
  PAYMENT_STATUSES as Payments,
  PaymentStatus,
} from '@offizin/contracts/orders';
import type { PIPELINE_SORTS as Sorts } from '@offizin/contracts/pipeline';

/** What the address of the orders screen holds: filter, sort and the order that is open. */
export interface OrderSearch {
  status?: OrderStatus;
  shop?: string;
  payment?: PaymentStatus;
  q?: string;
  sort?: (typeof Sorts)[number];
  id?: string;
}

/** The part of the address that the server filters by, in the contract's names; defaults are left out. */
export type OrderFilters = ReturnType<typeof filtersOf>;

export const ORDER_STATUSES: typeof Statuses = [
  ...(['pending', 'awaiting_payment', 'awaiting_packing', 'ready_pickup'] as const),
  ...(['shipped', 'picked_up', 'completed', 'cancelled'] as const),
];
export const PAYMENT_STATUSES: typeof Payments = ['paid', 'pending', 'cash_on_pickup', 'refunded', 'failed'];
export const SORTS: typeof Sorts = ['newest', 'oldest'];

/** Reads an address that a person may have typed; unknown values are dropped. */
export function readOrderSearch(search: object): OrderSearch {
  const given = new Map<string, unknown>(Object.entries(search));
  const text = (name: string) => {
    const value = given.get(name);
    const written = typeof value === 'number' ? String(value) : value;
    return typeof written === 'string' && written !== '' ? written : undefined;
  };
  const oneOf = <Value extends string>(values: readonly Value[], name: string) =>
    values.find((value) => value === text(name));
  return withoutUndefined({
    status: oneOf(ORDER_STATUSES, 'status'),
    shop: text('shop'),
    payment: oneOf(PAYMENT_STATUSES, 'payment'),
    q: text('q'),
    sort: oneOf(SORTS, 'sort'),
    id: text('id'),
  });
}

export function filtersOf({ status, shop, payment, q, sort }: OrderSearch) {
  return withoutUndefined({ status, shop_id: shop, payment_status: payment, q, sort });
}

/** Whether rows may be missing because of a filter besides the tab: then an empty list says so. */
export function isFiltered({ shop, payment, q }: OrderSearch): boolean {
  return [shop, payment, q].some((value) => value !== undefined);
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
