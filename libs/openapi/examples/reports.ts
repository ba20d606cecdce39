import {
  ReportProductPerformanceResponse,
  ReportProductSalesResponse,
  ReportServiceResponse,
  ReportStatsResponse,
  ReportTopCustomersResponse,
} from '@offizin/contracts/reports/reports';
import { CHANGED_AT, CUSTOMER, example, FIRST_OF_MANY, LINE, ORG_ID, PERIOD } from './example';

const PRODUCT = { p1_id: LINE.p1_id, name: LINE.name, orders: 3, quantity: 6, revenue: 299.7 };

export const REPORT_EXAMPLES = [
  example(ReportStatsResponse, {
    period: PERIOD,
    data: {
      prescriptions: { total: 5, order_requests: 4, ingested: 1 },
      orders: {
        total: 4,
        cancelled: 1,
        revenue: 299.7,
        average_order_value: 99.9,
        refunded_amount: 0,
        by_status: [
          { status: 'shipped', orders: 3, amount: 299.7 },
          { status: 'cancelled', orders: 1, amount: 49.95 },
        ],
      },
      customers: { total: 2, repeat: 1, orders_without_customer: 0 },
    },
  }),
  example(ReportTopCustomersResponse, {
    period: PERIOD,
    data: [{ ...CUSTOMER, orders: 2, revenue: 199.8, average_order_value: 99.9, last_order_at: CHANGED_AT }],
    pagination: FIRST_OF_MANY,
  }),
  example(ReportProductPerformanceResponse, {
    period: PERIOD,
    data: [{ ...PRODUCT, average_price: 49.95, revenue_share: 1 }],
    pagination: FIRST_OF_MANY,
  }),
  example(ReportProductSalesResponse, {
    period: PERIOD,
    data: [{ ...PRODUCT, statuses: [{ status: 'shipped', orders: 3, quantity: 6, revenue: 299.7 }] }],
    pagination: FIRST_OF_MANY,
  }),
  example(ReportServiceResponse, {
    period: PERIOD,
    data: [{ org_id: ORG_ID, month: '2026-02', orders: 3, revenue: 299.7, fee: 54.85 }],
  }),
];
