import type { OrderExportQuery } from '@offizin/contracts/exports';
import { ORDER_WORDS, PAYMENT_WORDS, YES_OR_NO } from '../../csv/german';
import { cents, type CsvColumn, type CsvDialect, csvHead, csvRows } from '../../csv/csv';
import type { ExportedOrder } from './order-export.store';
import type { StoredItem } from './order-patch';

/** One line of an order; an order without lines is one row without a line. */
export interface ExportRow {
  order: ExportedOrder;
  /** From 1. */
  number: number | null;
  line: StoredItem | null;
}

/** Part of the contract: append, never rename or reorder. */
const COLUMNS: CsvColumn<ExportRow>[] = [
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
];

export function exportHead(dialect: CsvDialect): string {
  return csvHead(COLUMNS, dialect);
}

export function exportRows(orders: readonly ExportedOrder[], dialect: CsvDialect): string {
  const rows = orders.flatMap((order): ExportRow[] =>
    order.items.length === 0
      ? [{ order, number: null, line: null }]
      : order.items.map((line, index) => ({ order, number: index + 1, line })),
  );
  return csvRows(COLUMNS, rows, dialect);
}

/** For the audit log: which filters, and only those values that name no customer. */
export function filtersInWords(query: OrderExportQuery): string {
  const { status, shop_id, payment_status, created_from, created_to, updated_since } = query;
  const shown = { status, shop_id, payment_status, created_from, created_to, updated_since };
  const values = Object.entries(shown).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  const personal = (['external_id', 'q'] as const).filter((name) => query[name] !== undefined);
  return [...values, ...personal].join(' ') || 'all';
}
