import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { LotHold, LotHoldBody } from '@offizin/contracts/orders/lot-holds';
import type { LotOrderListResponse, LotTold } from '@offizin/contracts/orders/recall';
import { ApiError, call, callFile } from '../calls/api';

/** The calls of the recall. Nothing else in this folder speaks HTTP. */

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const HOLDS = `${ORGANIZATION}/lots/holds`;
const ORDERS_OF_LOT = `${ORGANIZATION}/lots/{lot}/orders`;
const PAGE_ROWS = 200;
const FRESH_MS = 10_000;
/** No event reports what a colleague has ticked: two may be on the telephone. */
const ASK_EVERY_MS = 15_000;

/** A lot as the server has it. `product`: a catalog product id; undefined: of any product. */
export interface WantedLot {
  lot: string;
  product: string | undefined;
}

export function lotHolds() {
  return queryOptions({
    queryKey: ['lots', 'holds'],
    queryFn: ({ signal }) => call('GET', HOLDS, { signal }),
    staleTime: FRESH_MS,
    refetchInterval: ASK_EVERY_MS,
  });
}

/** A page of the orders with packs of the lot; without rows where no order has it. */
export function lotOrders({ lot, product }: WantedLot) {
  return infiniteQueryOptions({
    queryKey: ['lots', 'orders', lot, product ?? ''],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }): Promise<LotOrderListResponse> =>
      call('GET', ORDERS_OF_LOT, {
        path: { lot },
        query: { p1_id: product, limit: PAGE_ROWS, cursor },
        signal,
      }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return NO_ORDERS;
        throw error;
      }),
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    refetchInterval: ASK_EVERY_MS,
  });
}

const NO_ORDERS: LotOrderListResponse = { data: [], pagination: { limit: PAGE_ROWS, next_cursor: null } };

/** All orders of the lot. */
export function lotOrderFile({ lot, product }: WantedLot, type: string): Promise<Blob> {
  return callFile(ORDERS_OF_LOT, type, { path: { lot }, query: { p1_id: product } });
}

export function markTold(orderId: string, { lot, product }: WantedLot, told: boolean): Promise<LotTold> {
  return call('PUT', `${ORGANIZATION}/orders/{orderId}/lots/told`, {
    path: { orderId },
    body: { lot, p1_id: product ?? null, told },
  });
}

export function hold(body: LotHoldBody): Promise<LotHold> {
  return call('POST', HOLDS, { body });
}

export function lift(holdId: string): Promise<void> {
  return call('DELETE', `${HOLDS}/{holdId}`, { path: { holdId } });
}

/** Products to choose from; without words the first. */
export function stockedProducts(q: string) {
  return queryOptions({
    queryKey: ['stock', 'found', q],
    queryFn: ({ signal }) =>
      call('GET', `${ORGANIZATION}/inventory`, { query: { q: q || undefined, limit: 50 }, signal }),
    staleTime: FRESH_MS,
  });
}
