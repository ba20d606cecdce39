import type { OrderExportQuery } from '@offizin/contracts/exports';
import type { OrderLot } from '@offizin/contracts/orders/lots';
import { ORDER_WORDS, PAYMENT_WORDS, YES_OR_NO } from '../../csv/german';
import { cents, type CsvColumn, filtersInWords } from '../../csv/csv';
import { parcelsText } from '../parcels/parcel';
import { lotsAsRead, lotText } from './order-lots';
import type { ExportedOrder } from './order-export.store';
import type { StoredItem } from './order-patch';

/** One line of an order; an order without lines is one row without a line. */
export interface ExportRow {
  order: ExportedOrder;
  /** From 1. */
  number: number | null;
  line: StoredItem | null;
  /** Of the line; in the first row of the order also those without a line. */
  lots: readonly OrderLot[];
}

/** Part of the contract: append, never rename or reorder. */
export const COLUMNS: CsvColumn<ExportRow>[] = [
  ['order_id', ({ order }) => order.id],
  ['order_number', ({ order }) => order.order_number],
  ['external_id', ({ order }) => order.external_id],
  ['status', ({ order }) => order.status, ORDER_WORDS],
  ['payment_status', ({ order }) => order.payment_status, PAYMENT_WORDS],
  ['payment_reference', ({ order }) => order.payment_reference],
  ['shop_id', ({ order }) => order.shop_id],
  ['shop_name', ({ order }) => order.shop_name],
  ['customer_name', ({ order }) => order.customer_name],
  ['customer_email', ({ order }) => order.customer_email],
  ['address_street', ({ order }) => order.address_street],
  ['address_postal_code', ({ order }) => order.address_postal_code],
  ['address_city', ({ order }) => order.address_city],
  ['address_phone', ({ order }) => order.address_phone],
  ['shipping_option', ({ order }) => order.shipping_option],
  ['total_amount', ({ order }) => cents(order.total_amount)],
  ['order_datetime', ({ order }) => order.order_datetime],
  ['created_at', ({ order }) => order.created_at],
  ['updated_at', ({ order }) => order.updated_at],
  ['line', ({ number }) => number],
  ['p1_id', ({ line }) => line?.p1_id ?? null],
  ['product_name', ({ line }) => line?.name ?? null],
  ['quantity', ({ line }) => line?.quantity ?? null],
  ['unit_price', ({ line }) => cents(line?.price ?? null)],
  ['total_is_given', ({ order }) => String(order.total_is_given), YES_OR_NO],
  ['erased_at', ({ order }) => order.erased_at],
  ['parcels', ({ order }) => parcelsText(order.parcels)],
  ['lots', ({ lots }) => (lots.length === 0 ? null : lots.map(lotInRow).join(', '))],
];

/** A lot whose product the order no longer has is in the first row, with the product. */
function lotInRow(lot: OrderLot): string {
  return lot.line === null ? `${lotText(lot)} (${lot.name ?? lot.p1_id ?? '?'})` : lotText(lot);
}

export function exportRows(orders: readonly ExportedOrder[]): ExportRow[] {
  return orders.flatMap((order): ExportRow[] => {
    const lots = lotsAsRead(order);
    if (order.items.length === 0) return [{ order, number: null, line: null, lots }];
    return order.items.map((line, index) => {
      const ofRow = lots.filter((lot) => (lot.line ?? 1) === index + 1);
      return { order, number: index + 1, line, lots: ofRow };
    });
  });
}

export function filtersOf(query: OrderExportQuery): string {
  const { external_id, q, ...others } = query;
  const { status, shop_id, payment_status, unpaid, lot, created_from, created_to, updated_since } = others;
  const shown = { status, shop_id, payment_status, unpaid, lot, created_from, created_to, updated_since };
  return filtersInWords(shown, { external_id, q });
}
