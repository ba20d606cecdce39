import { queryOptions } from '@tanstack/react-query';
import { call } from '../calls/api';
import type { Period } from './report-search';

/** The calls of the reports screen. Nothing else in this folder speaks HTTP. */

const REPORTS = '/api/v2/public/orgs/{orgId}/reports';
/** A report is no pipeline: it need not follow each order. */
const ASK_EVERY_MS = 60_000;
/** It reads each decision of the period. */
const ASK_REVIEW_EVERY_MS = 300_000;
export const TOP_ROWS = 10;

/** What all reports are asked by. */
export interface Asked {
  shopId: string | undefined;
  period: Period;
}

function queryOf({ shopId, period }: Asked) {
  return shopId === undefined ? period : { ...period, shop_id: shopId };
}

export function statsReport(asked: Asked) {
  return queryOptions({
    queryKey: ['reports', 'stats', asked],
    queryFn: ({ signal }) => call('GET', `${REPORTS}/stats`, { query: queryOf(asked), signal }),
    refetchInterval: ASK_EVERY_MS,
  });
}

export function dailyReport(asked: Asked) {
  return queryOptions({
    queryKey: ['reports', 'daily', asked],
    queryFn: ({ signal }) => call('GET', `${REPORTS}/daily`, { query: queryOf(asked), signal }),
    refetchInterval: ASK_EVERY_MS,
  });
}

export function reviewReport(asked: Asked) {
  return queryOptions({
    queryKey: ['reports', 'review', asked],
    queryFn: ({ signal }) => call('GET', `${REPORTS}/review`, { query: queryOf(asked), signal }),
    refetchInterval: ASK_REVIEW_EVERY_MS,
  });
}

/** Stock of the organization by what was sold of late. */
export const runningOut = queryOptions({
  queryKey: ['reports', 'running-out'],
  queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/stock-running-out', { signal }),
  // It reads the log of four weeks.
  refetchInterval: ASK_REVIEW_EVERY_MS,
});

export function productsReport(asked: Asked) {
  return queryOptions({
    queryKey: ['reports', 'products', asked],
    queryFn: ({ signal }) =>
      call('GET', `${REPORTS}/product-performance`, {
        query: { ...queryOf(asked), limit: TOP_ROWS },
        signal,
      }),
    refetchInterval: ASK_EVERY_MS,
  });
}

export function customersReport(asked: Asked) {
  return queryOptions({
    queryKey: ['reports', 'customers', asked],
    queryFn: ({ signal }) =>
      call('GET', `${REPORTS}/top-customers`, {
        query: { ...queryOf(asked), limit: TOP_ROWS },
        signal,
      }),
    refetchInterval: ASK_EVERY_MS,
  });
}
