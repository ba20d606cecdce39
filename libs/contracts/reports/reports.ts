import {
  Amount,
  CalendarDate,
  Int,
  Nested,
  Offset,
  OneOf,
  QueryInteger,
  QueryText,
  Text,
  Timestamp,
} from '../calls/fields';
import { operation } from '../calls/operation';
import { ORDER_STATUSES, type OrderStatus } from '../orders/orders';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, OffsetOnlyPagination } from '../calls/paging';
import { Described } from '../calls/schema';

/**
 * Reports over a span of German calendar days (Europe/Berlin), both ends included. What counts, in all of them:
 * - an order counts on the day on which it was created here, whatever `order_datetime` says;
 * - a cancelled order is neither an order nor revenue, except where a figure is named `cancelled` or is shown beside a
 *   status;
 * - revenue is `total_amount` as stored (it may hold shipping); revenue of a product is its lines, quantity times
 *   price;
 * - a payment that was given back stays revenue, because the goods went out; `refunded_amount` says how much it is;
 * - a customer is an e-mail address in any case, or without one a name; orders without both have no customer.
 */

/** Longest span of a report, in days: a leap year. */
export const MAX_REPORT_DAYS = 366;

export class ReportQuery {
  @CalendarDate({ optional: true, description: 'First day; left out, 29 days before `to`' }) from?: string;
  @CalendarDate({ optional: true, description: 'Last day, included; left out, today in Germany' })
  to?: string;
  @QueryText({ optional: true, description: 'A shop of the organization' }) shop_id?: string;
}

/** By offset only: the order of a report changes with every order, so a cursor would not be stable. */
export class ReportListQuery extends ReportQuery {
  @QueryInteger({
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    description: 'Page size. The file name of a CSV page says which rows of how many it holds',
  })
  limit: number = DEFAULT_PAGE_SIZE;

  @Offset({ optional: true, default: 0, description: 'Rows to skip; beyond the last one the page is empty' })
  offset: number = 0;
}

@Described('The German calendar days that were counted, both included.')
export class ReportPeriod {
  @CalendarDate({ description: 'First day' }) from!: string;
  @CalendarDate({ description: 'Last day, included' }) to!: string;
}

@Described(
  'Prescriptions that came in: order requests with a document, and those that were handed in directly.',
)
export class ReportPrescriptionStats {
  @Int({ description: 'Both kinds' }) total!: number;
  @Int({ description: 'Order requests with a prescription document' }) order_requests!: number;
  @Int({ description: 'Handed in by prescription ingest' }) ingested!: number;
}

@Described('Orders of one status')
export class ReportOrderStatusCount {
  @OneOf(ORDER_STATUSES, { description: 'Step of the workflow that the order has reached' })
  status!: OrderStatus;
  @Int({ description: 'Orders that have this status now' }) orders!: number;
  @Amount({ description: 'Sum of total_amount' }) amount!: number;
}

@Described('Orders that were created in the period')
export class ReportOrderStats {
  @Int({ description: 'Without cancelled ones' }) total!: number;
  @Int({ description: 'Cancelled orders, which no other figure holds' }) cancelled!: number;
  @Amount({ description: 'Sum of total_amount, without cancelled orders' }) revenue!: number;
  @Amount({ nullable: true, description: 'Revenue by order; null without orders' })
  average_order_value!: number | null;
  @Amount({ description: 'Part of the revenue whose payment was given back' }) refunded_amount!: number;
  @Nested(() => ReportOrderStatusCount, {
    list: { maxItems: ORDER_STATUSES.length },
    description: 'Every status, as the orders stand now',
  })
  by_status!: ReportOrderStatusCount[];
}

@Described('Customers of the period: e-mail addresses in any case, or names without one')
export class ReportCustomerStats {
  @Int({ description: 'Customers with an order' }) total!: number;
  @Int({ description: 'Customers with more than one order' }) repeat!: number;
  @Int({ description: 'Orders with neither e-mail address nor name' }) orders_without_customer!: number;
}

@Described('Figures of the period')
export class ReportStats {
  @Nested(() => ReportPrescriptionStats, { description: 'Prescriptions that came in' })
  prescriptions!: ReportPrescriptionStats;
  @Nested(() => ReportOrderStats, { description: 'Orders that were created' }) orders!: ReportOrderStats;
  @Nested(() => ReportCustomerStats, { description: 'Customers with orders' })
  customers!: ReportCustomerStats;
}

@Described('Prescriptions, orders and customers of a period')
export class ReportStatsResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportStats, { description: 'Figures of the period' }) data!: ReportStats;
}

@Described('A customer with the orders of the period, cancelled ones not counted')
export class ReportTopCustomer {
  @Text({ nullable: true, description: 'Full name of the customer' }) customer_name!: string | null;
  @Text({ nullable: true, description: 'In lower case' }) customer_email!: string | null;
  @Int({ description: 'Orders of the customer, without cancelled ones' }) orders!: number;
  @Amount({ description: 'Sum of total_amount in EUR, without cancelled orders' }) revenue!: number;
  @Amount({ description: 'Revenue by order, in EUR' }) average_order_value!: number;
  @Timestamp({ description: 'When the newest order was created, in UTC' }) last_order_at!: string;
}

@Described('A page of the customers of a period')
export class ReportTopCustomersResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportTopCustomer, {
    list: { maxItems: MAX_PAGE_SIZE },
    description: 'Highest revenue first',
  })
  data!: ReportTopCustomer[];
  @Nested(() => OffsetOnlyPagination) pagination!: OffsetOnlyPagination;
}

@Described('One product. Lines without a p1_id are one product where they have the same name.')
export class ReportProductPerformanceRow {
  @Text({ nullable: true, description: 'Catalog product id; null for lines without one' }) p1_id!:
    string | null;
  @Text({ nullable: true, description: 'The name on the lines; of several names the last by alphabet' })
  name!: string | null;
  @Int({ description: 'Orders with this product' }) orders!: number;
  @Int({ description: 'Pieces' }) quantity!: number;
  @Amount({ description: 'Quantity times price' }) revenue!: number;
  @Amount({ description: 'Revenue by piece' }) average_price!: number;
  @Amount({ description: 'Per cent of the revenue of all products in the period' }) revenue_share!: number;
}

@Described('A page of the products of a period, by revenue')
export class ReportProductPerformanceResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportProductPerformanceRow, {
    list: { maxItems: MAX_PAGE_SIZE },
    description: 'Highest revenue first',
  })
  data!: ReportProductPerformanceRow[];
  @Nested(() => OffsetOnlyPagination) pagination!: OffsetOnlyPagination;
}

@Described('A product in the orders of one status')
export class ReportProductSalesStatusRow {
  @OneOf(ORDER_STATUSES, { description: 'Status that the orders have now' }) status!: OrderStatus;
  @Int({ description: 'Orders of this status with the product' }) orders!: number;
  @Int({ description: 'Pieces' }) quantity!: number;
  @Amount({ description: 'Quantity times price' }) revenue!: number;
}

@Described('One product with the current statuses of its orders. Cancelled orders are in `statuses` only.')
export class ReportProductSalesRow {
  @Text({ nullable: true, description: 'Catalog product id; null for lines without one' }) p1_id!:
    string | null;
  @Text({ nullable: true, description: 'The name on the lines; of several names the last by alphabet' })
  name!: string | null;
  @Int({ description: 'Without cancelled orders' }) orders!: number;
  @Int({ description: 'Pieces, without cancelled orders' }) quantity!: number;
  @Amount({ description: 'Without cancelled orders' }) revenue!: number;
  @Nested(() => ReportProductSalesStatusRow, {
    list: { maxItems: ORDER_STATUSES.length },
    description: 'Only statuses that occur, in the order of the workflow',
  })
  statuses!: ReportProductSalesStatusRow[];
}

@Described('A page of the products of a period, by pieces')
export class ReportProductSalesResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportProductSalesRow, {
    list: { maxItems: MAX_PAGE_SIZE },
    description: 'Most pieces first, cancelled ones not counted',
  })
  data!: ReportProductSalesRow[];
  @Nested(() => OffsetOnlyPagination) pagination!: OffsetOnlyPagination;
}

@Described('The service fee of one month')
export class ReportServiceRow {
  @Text() org_id!: string;
  @Text({ example: '2026-03', description: 'German calendar month' }) month!: string;
  @Int({ description: 'Without cancelled orders' }) orders!: number;
  @Amount({ description: 'Without cancelled orders' }) revenue!: number;
  @Amount({
    description:
      'Monthly base, plus a fee per order, plus per cent of the revenue. With shop_id, without the base',
  })
  fee!: number;
}

@Described(
  'The fee is one of whole months: every month that has a day between from and to is counted whole, as far as it has ' +
    'begun and the organization existed, and the period says so.',
)
export class ReportServiceResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportServiceRow, { list: { maxItems: 13 }, description: 'Oldest month first' })
  data!: ReportServiceRow[];
}

/** What all reports have in common. */
export function commonToReports() {
  return {
    service: 'order-core',
    access: 'reports.read',
    method: 'GET',
    alsoCsv: true,
    narrow: 'Ask for a shorter period, or for one shop.',
    refuses: ['not_found'],
  } as const;
}
export const REPORTS_PATH = '/api/v2/public/orgs/{orgId}/reports';

export const reportStats = operation({
  name: 'reports.stats',
  summary: 'Prescriptions, orders and customers of a period in figures',
  ...commonToReports(),
  path: `${REPORTS_PATH}/stats`,
  query: ReportQuery,
  reply: ReportStatsResponse,
});

export const reportTopCustomers = operation({
  name: 'reports.top-customers',
  summary: 'Customers of a period by revenue',
  ...commonToReports(),
  path: `${REPORTS_PATH}/top-customers`,
  query: ReportListQuery,
  reply: ReportTopCustomersResponse,
});

export const reportProductPerformance = operation({
  name: 'reports.product-performance',
  summary: 'Products of a period by revenue',
  ...commonToReports(),
  path: `${REPORTS_PATH}/product-performance`,
  query: ReportListQuery,
  reply: ReportProductPerformanceResponse,
});

export const reportProductSales = operation({
  name: 'reports.product-sales',
  summary: 'Products of a period by pieces, with the statuses of their orders',
  ...commonToReports(),
  path: `${REPORTS_PATH}/product-sales`,
  query: ReportListQuery,
  reply: ReportProductSalesResponse,
});

export const reportService = operation({
  name: 'reports.service',
  summary: 'The service fee of the organization by month',
  ...commonToReports(),
  path: `${REPORTS_PATH}/service`,
  query: ReportQuery,
  reply: ReportServiceResponse,
});
