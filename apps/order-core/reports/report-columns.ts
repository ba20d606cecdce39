import type { ReportDay, ReportReview } from '@offizin/contracts/reports/console-reports';
import { ORDER_STATUSES } from '@offizin/contracts/orders/orders';
import type {
  ReportProductPerformanceRow,
  ReportProductSalesRow,
  ReportServiceRow,
  ReportStats,
  ReportTopCustomer,
} from '@offizin/contracts/reports/reports';
import { cents, type CsvCell, type CsvColumn, type Decimal } from '../csv/csv';

/** CSV columns of each report. They are part of the contract: append, never rename or reorder. */

export const TOP_CUSTOMER_COLUMNS: CsvColumn<ReportTopCustomer>[] = [
  ['customer_name', (row) => row.customer_name],
  ['customer_email', (row) => row.customer_email],
  ['orders', (row) => row.orders],
  ['revenue', (row) => cents(row.revenue)],
  ['average_order_value', (row) => cents(row.average_order_value)],
  ['last_order_at', (row) => row.last_order_at],
];

export const PRODUCT_PERFORMANCE_COLUMNS: CsvColumn<ReportProductPerformanceRow>[] = [
  ['p1_id', (row) => row.p1_id],
  ['name', (row) => row.name],
  ['orders', (row) => row.orders],
  ['quantity', (row) => row.quantity],
  ['revenue', (row) => cents(row.revenue)],
  ['average_price', (row) => cents(row.average_price)],
  ['revenue_share', (row) => cents(row.revenue_share)],
];

/** One row per product with three columns per status, so that each product name appears once. */
export const PRODUCT_SALES_COLUMNS: CsvColumn<ReportProductSalesRow>[] = [
  ['p1_id', (row) => row.p1_id],
  ['name', (row) => row.name],
  ['orders', (row) => row.orders],
  ['quantity', (row) => row.quantity],
  ['revenue', (row) => cents(row.revenue)],
  ...ORDER_STATUSES.flatMap((status): CsvColumn<ReportProductSalesRow>[] => {
    const of = (row: ReportProductSalesRow) => row.statuses.find((one) => one.status === status);
    return [
      [`${status}_orders`, (row) => of(row)?.orders ?? 0],
      [`${status}_quantity`, (row) => of(row)?.quantity ?? 0],
      [`${status}_revenue`, (row) => cents(of(row)?.revenue ?? 0)],
    ];
  }),
];

export const SERVICE_COLUMNS: CsvColumn<ReportServiceRow>[] = [
  ['org_id', (row) => row.org_id],
  ['month', (row) => row.month],
  ['orders', (row) => row.orders],
  ['revenue', (row) => cents(row.revenue)],
  ['fee', (row) => cents(row.fee)],
];

export const DAY_COLUMNS: CsvColumn<ReportDay>[] = [
  ['day', (row) => row.day],
  ['requests', (row) => row.requests],
  ['approved', (row) => row.approved],
  ['rejected', (row) => row.rejected],
  ['orders', (row) => row.orders],
  ['revenue', (row) => cents(row.revenue)],
  ['cancelled', (row) => row.cancelled],
];

export interface Figure {
  section: string;
  figure: string;
  value: CsvCell | Decimal;
}

export const FIGURE_COLUMNS: CsvColumn<Figure>[] = [
  ['section', (row) => row.section],
  ['figure', (row) => row.figure],
  ['value', (row) => row.value],
];

/** For example `orders,revenue,12.50`, and by status `orders.shipped,amount,3.00`. */
export function figuresOf({ prescriptions, orders, customers }: ReportStats): Figure[] {
  const { by_status: byStatus, ...whole } = orders;
  return [
    ...sectionOf('prescriptions', prescriptions),
    ...sectionOf('orders', whole),
    ...byStatus.flatMap(({ status, orders: count, amount }): Figure[] => [
      { section: `orders.${status}`, figure: 'orders', value: count },
      { section: `orders.${status}`, figure: 'amount', value: cents(amount) },
    ]),
    ...sectionOf('customers', customers),
  ];
}

/** For example `reasons,out_of_stock,3`. */
export function reviewFiguresOf({ reasons }: ReportReview): Figure[] {
  return reasons.map(({ reason, requests }) => ({ section: 'reasons', figure: reason, value: requests }));
}

const AMOUNTS = ['revenue', 'average_order_value', 'refunded_amount'];

function sectionOf(section: string, figures: object): Figure[] {
  return Object.entries(figures).map(([figure, value]: [string, number | null]) => ({
    section,
    figure,
    value: AMOUNTS.includes(figure) ? cents(value) : value,
  }));
}
