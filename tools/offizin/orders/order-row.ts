import { Email, Flag, Int, Money, OneOf, Quantity, Text, Timestamp } from '@offizin/contracts/fields';
import {
  MAX_ORDER_ITEMS,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
  SHIPPING_OPTIONS,
  type ShippingOption,
} from '@offizin/contracts/orders';

/**
 * A row of the file that `export-orders` writes: a line with its order, or an order without lines. The columns of
 * `core` are all optional but `external_id`; the last ones are read and not imported, because a new order has its own.
 */
export class OrderRow {
  @Text({ minLength: 1 }) external_id!: string;
  @Text({ optional: true, minLength: 1 }) shop_id?: string;
  @Text({ optional: true }) order_number?: string;
  @OneOf(ORDER_STATUSES, { optional: true }) status?: OrderStatus;
  @OneOf(PAYMENT_STATUSES, { optional: true }) payment_status?: PaymentStatus;
  @Text({ optional: true }) payment_reference?: string;
  @Text({ optional: true }) customer_name?: string;
  @Email({ optional: true }) customer_email?: string;
  @Text({ optional: true }) address_street?: string;
  @Text({ optional: true }) address_postal_code?: string;
  @Text({ optional: true }) address_city?: string;
  @Text({ optional: true }) address_phone?: string;
  @OneOf(SHIPPING_OPTIONS, { optional: true }) shipping_option?: ShippingOption;
  @Flag({ optional: true }) cash_on_pickup?: boolean;
  @Money({ optional: true }) total_amount?: number;
  @Timestamp({ optional: true }) order_datetime?: string;
  @Int({ optional: true, minimum: 1, maximum: MAX_ORDER_ITEMS }) line?: number;
  @Text({ optional: true }) p1_id?: string;
  @Text({ optional: true }) product_name?: string;
  @Quantity({ optional: true }) quantity?: number;
  @Money({ optional: true }) unit_price?: number;
  @Text({ optional: true }) order_id?: string;
  @Text({ optional: true }) shop_name?: string;
  @Text({ optional: true }) created_at?: string;
  @Text({ optional: true }) updated_at?: string;
}

/** Columns of a line; all others belong to the order and are the same in each of its rows. */
const LINE_COLUMNS = ['line', 'p1_id', 'product_name', 'quantity', 'unit_price'] as const;

export function hasLine(row: OrderRow): boolean {
  return LINE_COLUMNS.some((column) => row[column] !== undefined);
}

/** What the fields alone do not tell; here before anything is sent. */
export function problemOfRow(row: OrderRow): string | undefined {
  if (!hasLine(row)) return undefined;
  if (row.quantity === undefined || row.unit_price === undefined)
    return 'a line needs quantity and unit_price';
  return undefined;
}

/** The first column of the order that says something else than in the order's first row. */
export function differingColumn(first: OrderRow, other: OrderRow): string | undefined {
  const ofOrder = ({ line, p1_id, product_name, quantity, unit_price, ...order }: OrderRow) => order;
  const [one, two]: Record<string, unknown>[] = [{ ...ofOrder(first) }, { ...ofOrder(other) }];
  return Object.keys({ ...one, ...two }).find((column) => one?.[column] !== two?.[column]);
}
