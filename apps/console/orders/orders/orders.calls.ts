import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import type { OrderMark, OrderNote } from '@offizin/contracts/orders/order-notes';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import type { Carrier, Parcel, ParcelBody } from '@offizin/contracts/orders/parcels';
import type { PipelineOrder, PipelineRow } from '@offizin/contracts/orders/pipeline';
import { askEvery } from '../../live/live';
import { ApiError, call, callFile } from '../../calls/api';
import { withoutUndefined } from '../../lists/address';
import { bodyOf, isDone, type OrderAct, type OrderChange } from './order-change';
import { isSameLots } from './order-lots';
import type { exportQuery } from './order-search';
import type { OrderFilters } from './order-search';

/** The calls of the orders screen. Nothing else in this folder speaks HTTP. */

const PIPELINE = '/api/v2/public/orgs/{orgId}/pipeline';
const PAGE_ROWS = 200;
const FRESH_MS = 10_000;

export function orderList(filters: OrderFilters) {
  return infiniteQueryOptions({
    queryKey: ['orders', 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', `${PIPELINE}/orders`, {
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

export function orderCounts({ shop_id, payment_status, q }: OrderFilters) {
  const query = withoutUndefined({ shop_id, q, ...(q !== undefined && { payment_status }) });
  return queryOptions({
    queryKey: ['orders', 'counts', query],
    queryFn: ({ signal }) =>
      call('GET', `${PIPELINE}/counts`, {
        query,
        signal,
      }),
    refetchInterval: askEvery,
  });
}

export function orderDetail(orderId: string) {
  return queryOptions({
    queryKey: ['orders', 'detail', orderId],
    queryFn: ({ signal }) => readOrder(orderId, signal),
    staleTime: FRESH_MS,
    refetchInterval: askEvery,
  });
}

export function readOrder(orderId: string, signal?: AbortSignal): Promise<PipelineOrder> {
  return call('GET', `${PIPELINE}/orders/{orderId}`, { path: { orderId }, signal });
}

/** All orders of a list. */
export function orderFile(query: ReturnType<typeof exportQuery>, type: string): Promise<Blob> {
  return callFile('/api/v2/public/orgs/{orgId}/orders', type, { query });
}

/** The same key for each attempt to save the same text. */
export function addNote(orderId: string, text: string, key: string): Promise<OrderNote> {
  return call('POST', '/api/v2/public/orgs/{orgId}/orders/{orderId}/notes', {
    path: { orderId },
    header: { 'Idempotency-Key': key },
    body: { text },
  });
}

/** The same key for each attempt to mark the same piece of work. */
export async function addMark(
  orderId: string,
  kind: OrderMark,
  { key, keepalive = false }: { key: string; keepalive?: boolean },
): Promise<void> {
  await call('POST', '/api/v2/public/orgs/{orgId}/orders/{orderId}/marks', {
    path: { orderId },
    header: { 'Idempotency-Key': key },
    body: { kind },
    keepalive,
  });
}

const PARCELS = '/api/v2/public/orgs/{orgId}/orders/{orderId}/parcels';

/** A repeat after a lost answer finds the parcel that it has added. */
export function addParcel(orderId: string, body: ParcelBody): Promise<Parcel> {
  return call('POST', PARCELS, { path: { orderId }, body });
}

/** A repeat after a lost answer, or a colleague's, finds it gone. */
export async function removeParcel(orderId: string, parcelId: string): Promise<void> {
  try {
    await call('DELETE', `${PARCELS}/{parcelId}`, { path: { orderId, parcelId } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}

/** Lots that must not be packed. A change of an order reads them again, too. */
export const lotHolds = queryOptions({
  queryKey: ['orders', 'lot-holds'],
  queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/lots/holds', { signal }),
  staleTime: FRESH_MS,
  refetchInterval: askEvery,
});

/** Replaces the lots of the version that was on the screen, and no other. Returns the order as it is then. */
export async function writeLots(seen: PipelineOrder, lots: PipelineOrder['lots']): Promise<PipelineOrder> {
  const written = await call('PUT', '/api/v2/public/orgs/{orgId}/orders/{orderId}/lots', {
    path: { orderId: seen.id },
    header: { 'If-Match': `"${seen.version}"` },
    body: { lots },
  });
  // The same lots make no version.
  const version = seen.version + (isSameLots(written.lots, seen.lots) ? 0 : 1);
  return { ...seen, lots: written.lots, version };
}

export function isRefusedLot(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'lot_on_hold' || error.code === 'lot_expired');
}

/** Most parcels of a pharmacy go with one carrier. In memory only. */
export const lastCarrier = queryOptions<Carrier | null>({
  queryKey: ['last-carrier'],
  queryFn: skipToken,
  staleTime: 'static',
  gcTime: Infinity,
});

/** A colleague or an integrator changed the order after this person had read it. */
export class OrderConflict extends Error {
  override readonly name = 'OrderConflict';

  constructor(readonly present: PipelineOrder) {
    super('the order has changed since');
  }
}

/** A change that was refused because of a newer version: the person compares both. In memory only, beside the answers. */
export interface KeptConflict {
  act: OrderAct;
  customer: string;
  present: PipelineOrder;
}

export function keptConflict(orderId: string) {
  return queryOptions<KeptConflict | null>({
    queryKey: ['order-conflict', orderId],
    queryFn: skipToken,
    staleTime: 'static',
    gcTime: Infinity,
  });
}

/**
 * Changes the version that was on the screen, and no other. A repeat after a lost answer finds its own change there.
 * Throws OrderConflict. `keepalive` outlives the page.
 */
export async function sendChange(change: OrderChange, keepalive: boolean): Promise<void> {
  const { id: orderId, act, key } = change;
  const isPacked = act.kind === 'packed';
  // A page that closes runs nothing after the first answer.
  if (isPacked && keepalive) addMark(orderId, 'packed', { key, keepalive }).catch(() => undefined);
  try {
    await call('PATCH', '/api/v2/public/orgs/{orgId}/orders/{orderId}/status', {
      path: { orderId },
      header: { 'If-Match': `"${act.seen.version}"` },
      body: bodyOf(act),
      keepalive,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    const present = await readOrder(orderId);
    if (!isDone(act, present)) throw new OrderConflict(present);
  }
  if (isPacked) await addMark(orderId, 'packed', { key });
}

/** Moves an order that still has the status of its row. A repeat changes nothing twice: the version is named. */
export async function moveFrom(row: PipelineRow, to: OrderStatus): Promise<void> {
  const seen = await readOrder(row.id);
  if (seen.status === to) return;
  if (seen.status !== row.status) throw new OrderConflict(seen);
  const act = { kind: 'status', to, seen } as const;
  await sendChange({ id: row.id, customer: '', key: '', act }, false);
}
