import { OneOf, UseInstead } from './fields';
import { operation } from './operation';
import { listOrders, OrderFilters } from './orders';

/** By `-updated_at`, an order that changes during the walk would move to where the walk has already been. */
const EXPORT_SORTS = ['created_at', '-created_at', 'updated_at'] as const;
const RANGE = 'created_from and created_to: a CSV file has no pages';

export class OrderExportQuery extends OrderFilters {
  @OneOf(EXPORT_SORTS, { optional: true }) sort: (typeof EXPORT_SORTS)[number] = '-created_at';
  @UseInstead(RANGE) limit?: never;
  @UseInstead(RANGE) offset?: never;
  @UseInstead(RANGE) cursor?: never;
}

/** Answers the address of the list, for callers that accept CSV. */
export const exportOrders = operation({
  name: 'orders.export',
  summary: 'All orders of a list as CSV, one row per line',
  refuses: ['not_found'],
  service: 'order-core',
  via: 'http',
  access: 'orders.read',
  method: 'GET',
  path: listOrders.path,
  query: OrderExportQuery,
  narrow: 'Narrow the range (created_from and created_to, or updated_since), or give q more characters.',
  reply: 'text/csv',
});
