import { orders } from './orders-en';
import type { ReportTexts } from './reports-de';

/** English texts of the reports screen. */
export const reports: ReportTexts = {
  title: 'Reports',
  span: 'Period',
  spans: { 7: '7 days', 30: '30 days', 90: '90 days' },
  ownSpan: 'Own period',
  from: 'From',
  to: 'To',
  days: (from, to) => `${from} to ${to}`,
  loading: 'Reports are loading …',
  figures: 'Figures',
  tile: {
    orders: 'Orders',
    revenue: 'Revenue',
    average: 'Per order',
    customers: 'Customers',
  },
  none: '–',
  before: (change) => `${change} on the period before`,
  noBefore: 'before: nothing',
  tooLong: (days) => `A period has at most ${days} days. Please choose a shorter one.`,
  empty: 'No orders in this period.',
  status: orders.status,
  byStatus: 'Orders by status',
  topProducts: 'Products by revenue',
  topCustomers: 'Customers by revenue',
  nameless: 'Without a name',
  column: {
    status: 'Status',
    orders: 'Orders',
    revenue: 'Revenue',
    product: 'Product',
    pieces: 'Pieces',
    customer: 'Customer',
  },
  tableNote: 'Without cancelled orders. Revenue as stored with the order.',
  statusNote: 'As the orders stand now, cancelled ones included.',
  barsLabel: (title, first) => `${title}. In first place: ${first}.`,
  asTable: 'As table',
  asPlot: 'As bars',
};
