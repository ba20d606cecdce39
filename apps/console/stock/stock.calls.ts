import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  InventoryAdjustRequest,
  InventoryAdjustResponse,
  InventoryRow,
} from '@offizin/contracts/products/inventory';
import type { StockItem } from '@offizin/contracts/products/stock';
import { askEvery } from '../live/live';
import { call, callFile } from '../calls/api';
import type { StockFilters } from './stock-search';

/** The calls of the stock screen. Nothing else in this folder speaks HTTP. */

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const PAGE_ROWS = 200;
const LOG_ROWS = 20;
const FRESH_MS = 10_000;

export function stockList(orgId: string, filters: StockFilters) {
  return infiniteQueryOptions({
    queryKey: ['stock', 'list', orgId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', `${ORGANIZATION}/stock`, {
        path: { orgId },
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

/** All products of a list. Rejects with `ApiError`, also when the transfer breaks off. */
export function stockFile(orgId: string, query: StockFilters, type: string): Promise<Blob> {
  return callFile(`${ORGANIZATION}/stock`, type, { path: { orgId }, query });
}

export function stockItem(orgId: string, p1Id: string) {
  return queryOptions({
    queryKey: ['stock', 'detail', orgId, p1Id],
    queryFn: ({ signal }) => readStock(orgId, p1Id, signal),
    staleTime: FRESH_MS,
    refetchInterval: askEvery,
  });
}

export function readStock(orgId: string, p1Id: string, signal?: AbortSignal): Promise<StockItem> {
  return call('GET', `${ORGANIZATION}/stock/{p1Id}`, { path: { orgId, p1Id }, signal });
}

export function stockLog(orgId: string, p1Id: string) {
  return infiniteQueryOptions({
    queryKey: ['stock', 'log', orgId, p1Id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', `${ORGANIZATION}/inventory/{p1Id}/log`, {
        path: { orgId, p1Id },
        query: { limit: LOG_ROWS, cursor },
        signal,
      }),
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

/** The same key for each attempt to send the same adjustment. */
export function adjust(
  orgId: string,
  body: InventoryAdjustRequest,
  key: string,
): Promise<InventoryAdjustResponse> {
  return call('POST', `${ORGANIZATION}/inventory/adjust`, {
    path: { orgId },
    header: { 'Idempotency-Key': key },
    body,
  });
}

export function setThreshold(orgId: string, p1Id: string, threshold: number): Promise<InventoryRow> {
  return call('PUT', `${ORGANIZATION}/inventory/{p1Id}`, {
    path: { orgId, p1Id },
    body: { low_stock_threshold: threshold },
  });
}
