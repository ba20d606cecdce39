import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  InventoryAdjustRequest,
  InventoryAdjustResponse,
  InventoryRow,
} from '@offizin/contracts/products/inventory';
import type { StockItem } from '@offizin/contracts/products/stock';
import { askEvery } from '../live/live';
import { call, callFile } from '../calls/api';
import { readableProduct } from '../text/product-name';
import type { StockFilters } from './stock-search';

/** The calls of the stock screen. Nothing else in this folder speaks HTTP. */

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const PAGE_ROWS = 200;
const LOG_ROWS = 20;
const FRESH_MS = 10_000;

export function stockList(filters: StockFilters) {
  return infiniteQueryOptions({
    queryKey: ['stock', 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', `${ORGANIZATION}/stock`, {
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

/** All products of a list. Rejects with `ApiError`, also when the transfer breaks off. */
export function stockFile(query: StockFilters, type: string): Promise<Blob> {
  return callFile(`${ORGANIZATION}/stock`, type, { query });
}

export function stockItem(p1Id: string) {
  return queryOptions({
    queryKey: ['stock', 'detail', p1Id],
    queryFn: ({ signal }) => readStock(p1Id, signal),
    select: readableProduct,
    staleTime: FRESH_MS,
    refetchInterval: askEvery,
  });
}

export function readStock(p1Id: string, signal?: AbortSignal): Promise<StockItem> {
  return call('GET', `${ORGANIZATION}/stock/{p1Id}`, { path: { p1Id }, signal });
}

export function stockLog(p1Id: string) {
  return infiniteQueryOptions({
    queryKey: ['stock', 'log', p1Id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', `${ORGANIZATION}/inventory/{p1Id}/log`, {
        path: { p1Id },
        query: { limit: LOG_ROWS, cursor },
        signal,
      }),
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

/** The same key for each attempt to send the same adjustment. */
export function adjust(body: InventoryAdjustRequest, key: string): Promise<InventoryAdjustResponse> {
  return call('POST', `${ORGANIZATION}/inventory/adjust`, {
    header: { 'Idempotency-Key': key },
    body,
  });
}

/** The next count is made on the stock of this answer; everything else of the screen is read again. */
export function keepBooked(
  client: QueryClient,
  p1Id: string,
  { stock_quantity }: InventoryAdjustResponse,
): Promise<void> {
  client.setQueryData(
    stockItem(p1Id).queryKey,
    (item) =>
      item && { ...item, stock_quantity, available_quantity: stock_quantity - item.reserved_quantity },
  );
  return client.invalidateQueries({ queryKey: ['stock'] });
}

/** With the recall, which changes them. */
export function lotHolds() {
  return queryOptions({
    queryKey: ['lots', 'holds'],
    queryFn: ({ signal }) => call('GET', `${ORGANIZATION}/lots/holds`, { signal }),
    staleTime: FRESH_MS,
  });
}

export function setThreshold(p1Id: string, threshold: number): Promise<InventoryRow> {
  return call('PUT', `${ORGANIZATION}/inventory/{p1Id}`, {
    path: { p1Id },
    body: { low_stock_threshold: threshold },
  });
}
