import { AuditFilters, listAuditLog } from './reports/audit';
import { OneOf, UseInstead } from './calls/fields';
import { type DtoClass, type Operation, operation } from './calls/operation';
import { listOrders, OrderFilters } from './orders/orders';
import { listLotOrders, LotOrderFilters } from './orders/recall';
import { listReviews, ReviewFilters } from './requests/review';
import { listStock, StockFilters } from './products/stock';

/**
 * Lists as CSV: each operation answers the address of its list, for callers that accept CSV, under the rights of the
 * list. It has no route; the gateway decides by Accept. order-core streams the text, which has no pages.
 */
function csvOf<Path extends string, Query extends object>(
  list: Operation<Path>,
  csv: { name: string; summary: string; query: DtoClass<Query>; narrow: string },
) {
  const { access, path, refuses, roleScope, consoleOnly } = list;
  const rights = { access, ...(roleScope && { roleScope }) };
  const definition = { ...csv, ...rights, refuses, service: 'order-core', method: 'GET', path } as const;
  return { ...operation({ ...definition, via: 'http', reply: 'text/csv' }), consoleOnly };
}

const noPages = (instead: string): string => `${instead}: a CSV file has no pages`;

/** By `-updated_at`, an order that changes during the walk would move to where the walk has already been. */
const EXPORT_SORTS = ['created_at', '-created_at', 'updated_at'] as const;
const ORDER_RANGE = noPages('created_from and created_to');

export class OrderExportQuery extends OrderFilters {
  @OneOf(EXPORT_SORTS, { optional: true }) sort: (typeof EXPORT_SORTS)[number] = '-created_at';
  @UseInstead(ORDER_RANGE) limit?: never;
  @UseInstead(ORDER_RANGE) offset?: never;
  @UseInstead(ORDER_RANGE) cursor?: never;
}

export const exportOrders = csvOf(listOrders, {
  name: 'orders.export',
  summary: 'All orders of a list as CSV, one row per line',
  query: OrderExportQuery,
  narrow: 'Narrow the range (created_from and created_to, or updated_since), or give q more characters.',
});

const AUDIT_RANGE = noPages('from and to');

export class AuditExportQuery extends AuditFilters {
  @UseInstead(AUDIT_RANGE) limit?: never;
  @UseInstead(AUDIT_RANGE) offset?: never;
  @UseInstead(AUDIT_RANGE) cursor?: never;
}

export const exportAuditLog = csvOf(listAuditLog, {
  name: 'audit-log.export',
  summary: 'All entries of a list as CSV, newest first',
  query: AuditExportQuery,
  narrow: 'Narrow the range (from and to).',
});

const REVIEW_FILTERS = noPages('tab, shop_id or flag');

export class ReviewExportQuery extends ReviewFilters {
  @UseInstead(REVIEW_FILTERS) limit?: never;
  @UseInstead(REVIEW_FILTERS) cursor?: never;
}

export const exportReviews = csvOf(listReviews, {
  name: 'review.export',
  summary: 'All order requests of a list as CSV',
  query: ReviewExportQuery,
  narrow: 'Name a shop, or a shorter list.',
});

const STOCK_FILTERS = noPages('q or low_stock');

export class StockExportQuery extends StockFilters {
  @UseInstead(STOCK_FILTERS) limit?: never;
  @UseInstead(STOCK_FILTERS) cursor?: never;
}

/** order-core asks the catalog for the pages. */
export const exportStock = csvOf(listStock, {
  name: 'stock.export',
  summary: 'The stock of a list as CSV, by name',
  query: StockExportQuery,
  narrow: 'Give q more characters.',
});

const LOT_RANGE = noPages('p1_id');

export class LotOrderExportQuery extends LotOrderFilters {
  @UseInstead(LOT_RANGE) limit?: never;
  @UseInstead(LOT_RANGE) cursor?: never;
}

export const exportLotOrders = csvOf(listLotOrders, {
  name: 'lots.export-orders',
  summary: 'The orders with packs of a lot as CSV, the newest first',
  query: LotOrderExportQuery,
  narrow: 'Name a product (p1_id).',
});

/** By name of a list: its operation for callers that accept CSV. */
export const csvOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [listOrders.name, exportOrders],
  [listAuditLog.name, exportAuditLog],
  [listReviews.name, exportReviews],
  [listStock.name, exportStock],
  [listLotOrders.name, exportLotOrders],
]);
