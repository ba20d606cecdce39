import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  reportDaily,
  type ReportDailyResponse,
  reportReview,
  type ReportReviewResponse,
} from '@offizin/contracts/reports/console-reports';
import { type Answer, type Call, ok, okBytes } from '@offizin/contracts/calls/operation';
import { ORDER_STATUSES, type OrderStatus } from '@offizin/contracts/orders/orders';
import type { OffsetOnlyPagination } from '@offizin/contracts/calls/paging';
import {
  type ReportListQuery,
  type ReportPeriod,
  reportProductPerformance,
  type ReportProductPerformanceResponse,
  reportProductSales,
  type ReportProductSalesResponse,
  reportService,
  type ReportServiceResponse,
  reportStats,
  type ReportStatsResponse,
  reportTopCustomers,
  type ReportTopCustomersResponse,
} from '@offizin/contracts/reports/reports';
import { Database } from '@offizin/pg/database';
import { requireShop } from '../people/directory/organizations.store';
import { type CsvColumn, csvDialect, csvHeaders, csvText, replyFormat } from '../csv/csv';
import { readProductPerformance, readProductSales } from './product-reports.store';
import * as columns from './report-columns';
import { reportPeriod, type ReportScope, wholeMonths } from './report-period';
import { readDaily, readReview } from './request-reports.store';
import * as store from './reports.store';
import { ServiceFee } from './reports.store';

/**
 * Reports, each as JSON and as CSV. Cast: report-period (days), reports.store, product-reports.store and
 * request-reports.store (one statement per report), reply-format (Accept), report-columns and csv (the table).
 *
 * Guarantees: A report holds rows of the caller's organization only. Days are German days, also when the clocks
 * change. PostgreSQL sums amounts as numeric; they become JSON numbers at the very end. An Accept without either
 * format is refused before any read. An organization runs one report at a time (shares.ts).
 */
@Controller()
export class ReportsHandlers {
  constructor(
    private readonly database: Database,
    private readonly fee: ServiceFee,
  ) {}

  @Handles(reportStats)
  async stats(call: Call<typeof reportStats>): Promise<Answer<ReportStatsResponse>> {
    const { scope, answer } = await this.begin('stats', call);
    const data = await store.readStats(this.database.reads, scope);
    data.orders.by_status = allStatuses((status) => ({
      status,
      orders: 0,
      amount: 0,
      ...data.orders.by_status.find((one) => one.status === status),
    }));
    return answer({ period: scope.period, data }, columns.FIGURE_COLUMNS, columns.figuresOf(data));
  }

  @Handles(reportTopCustomers)
  async topCustomers(call: Call<typeof reportTopCustomers>): Promise<Answer<ReportTopCustomersResponse>> {
    const { scope, answer } = await this.begin('top-customers', call);
    const { data, total } = await store.readTopCustomers(this.database.reads, scope, call.query);
    const pagination = paginationOf(call.query, total);
    return answer({ period: scope.period, data, pagination }, columns.TOP_CUSTOMER_COLUMNS, data);
  }

  @Handles(reportProductPerformance)
  async productPerformance(
    call: Call<typeof reportProductPerformance>,
  ): Promise<Answer<ReportProductPerformanceResponse>> {
    const { scope, answer } = await this.begin('product-performance', call);
    const { data, total } = await readProductPerformance(this.database.reads, scope, call.query);
    const pagination = paginationOf(call.query, total);
    return answer({ period: scope.period, data, pagination }, columns.PRODUCT_PERFORMANCE_COLUMNS, data);
  }

  @Handles(reportProductSales)
  async productSales(call: Call<typeof reportProductSales>): Promise<Answer<ReportProductSalesResponse>> {
    const { scope, answer } = await this.begin('product-sales', call);
    const { data, total } = await readProductSales(this.database.reads, scope, call.query);
    for (const row of data) {
      row.statuses = allStatuses((status) => row.statuses.find((one) => one.status === status));
    }
    const pagination = paginationOf(call.query, total);
    return answer({ period: scope.period, data, pagination }, columns.PRODUCT_SALES_COLUMNS, data);
  }

  @Handles(reportService)
  async service(call: Call<typeof reportService>): Promise<Answer<ReportServiceResponse>> {
    const { scope, answer } = await this.begin('service', call, wholeMonths);
    const data = await store.readServiceFees(this.database.reads, scope, this.fee);
    return answer({ period: scope.period, data }, columns.SERVICE_COLUMNS, data);
  }

  @Handles(reportDaily)
  async daily(call: Call<typeof reportDaily>): Promise<Answer<ReportDailyResponse>> {
    const { scope, answer } = await this.begin('daily', call);
    const data = await readDaily(this.database.reads, scope);
    return answer({ period: scope.period, data }, columns.DAY_COLUMNS, data);
  }

  @Handles(reportReview)
  async review(call: Call<typeof reportReview>): Promise<Answer<ReportReviewResponse>> {
    const { scope, answer } = await this.begin('review', call);
    const data = await readReview(this.database.reads, scope);
    return answer({ period: scope.period, data }, columns.FIGURE_COLUMNS, columns.reviewFiguresOf(data));
  }

  /** Format, days, shop. Throws `Refused` (406, 400, 404). */
  private async begin(
    name: string,
    { caller, query, headers }: Pick<Call<typeof reportStats>, 'caller' | 'query' | 'headers'>,
    widen = (period: ReportPeriod): ReportPeriod => period,
  ): Promise<{ scope: ReportScope; answer: ReportAnswer }> {
    const format = replyFormat(headers.accept);
    const dialect = format === 'csv' ? csvDialect(headers.accept) : 'default';
    const period = widen(reportPeriod(query, new Date()));
    const { orgId } = caller;
    const { shop_id: shopId = null } = query;
    await requireShop(this.database, orgId, shopId);
    const scope = { orgId, period, shopId };
    const answer: ReportAnswer = (reply, csvColumns, rows) =>
      format === 'json'
        ? ok(reply, { vary: 'Accept' })
        : okBytes(
            Buffer.from(csvText(csvColumns, rows, dialect)),
            csvHeaders(dialect, fileName(name, reply, rows.length)),
          );
    return { scope, answer };
  }
}

/** JSON, or the rows as CSV, by the caller's Accept header. */
type ReportAnswer = <Reply extends ReportReply, Row>(
  reply: Reply,
  csvColumns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
) => Answer<Reply>;

interface ReportReply {
  period: ReportPeriod;
  pagination?: OffsetOnlyPagination;
}

function paginationOf({ limit, offset }: ReportListQuery, total: number): OffsetOnlyPagination {
  return { limit, offset, total };
}

/** Names the row range of an incomplete report: a reader who opens the file in a spreadsheet sees nothing else. */
function fileName(name: string, { period, pagination }: ReportReply, rows: number): string {
  const { offset = 0, total = rows } = pagination ?? {};
  const range = rows === 0 ? '0' : `${offset + 1}-${offset + rows}`;
  const part = rows === total ? '' : `_rows-${range}-of-${total}`;
  return `${name}_${period.from}_${period.to}${part}.csv`;
}

/** One entry per status that has one, in the order of the workflow. */
function allStatuses<Entry>(entryOf: (status: OrderStatus) => Entry | undefined): Entry[] {
  return ORDER_STATUSES.map(entryOf).filter((entry) => entry !== undefined);
}
