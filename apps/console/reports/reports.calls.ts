import { queryOptions } from '@tanstack/react-query';
import { call } from '../calls/api';
import type { Period } from './report-search';

/** The calls of the reports screen. Nothing else in this folder speaks HTTP. */

const REPORTS = '/api/v2/public/orgs/{orgId}/reports';
/** A report is not a pipeline: it need not follow each order. */
const ASK_EVERY_MS = 60_000;
/** It reads the log of four weeks. */
const ASK_STOCK_EVERY_MS = 300_000;
export const TOP_ROWS = 10;

/** What all reports are asked by. */
export interface Asked {
  shopId: string | undefined;
  period: Period;
}

interface ReportInput {
  query: Period & { shop_id?: string };
  signal: AbortSignal;
}

function report<T>(name: string, { shopId, period }: Asked, read: (input: ReportInput) => Promise<T>) {
  return queryOptions({
    queryKey: ['reports', name, shopId, period],
    queryFn: ({ signal }) => read({ query: { ...period, shop_id: shopId }, signal }),
    refetchInterval: ASK_EVERY_MS,
  });
}

export function statsReport(asked: Asked) {
  return report('stats', asked, (input) => call('GET', `${REPORTS}/stats`, input));
}

export function dailyReport(asked: Asked) {
  return report('daily', asked, (input) => call('GET', `${REPORTS}/daily`, input));
}

export function reviewReport(asked: Asked) {
  return report('review', asked, (input) => call('GET', `${REPORTS}/review`, input));
}

export function productsReport(asked: Asked) {
  return report('products', asked, ({ query, signal }) =>
    call('GET', `${REPORTS}/product-performance`, { query: { ...query, limit: TOP_ROWS }, signal }),
  );
}

export function customersReport(asked: Asked) {
  return report('customers', asked, ({ query, signal }) =>
    call('GET', `${REPORTS}/top-customers`, { query: { ...query, limit: TOP_ROWS }, signal }),
  );
}

/** Stock of the organization by what was sold of late. */
export const runningOut = queryOptions({
  queryKey: ['reports', 'running-out'],
  queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/stock-running-out', { signal }),
  refetchInterval: ASK_STOCK_EVERY_MS,
});
