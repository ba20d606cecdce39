import { Email, Flag, Int, Money, OneOf, Quantity, Text, Timestamp } from '@offizin/contracts/calls/fields';
import { fromCents, toCents } from '@offizin/contracts/calls/money';
import {
  MAX_LINES_BYTES,
  MAX_ORDER_ITEMS,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
  SHIPPING_OPTIONS,
  type ShippingOption,
} from '@offizin/contracts/orders/orders';
import type { components } from '../../../clients/typescript/src/generated/api';
import type { AcceptedLine, CheckedTable, RefusedLine } from '../tables/table-file';

type Row = AcceptedLine<OrderRow>;
type OrderBody = components['schemas']['OrderUpsertBody'];
type UpsertItem = components['schemas']['UpsertItem'];

/** An order of the file, ready to be sent. */
export interface FileOrder {
  /** Of its first row. */
  line: number;
  /** Its rows in the file. */
  rows: number;
  body: OrderBody;
  /** Goes by the status patch: an upsert sets none. */
  status: OrderStatus | undefined;
}

export interface FileOrders {
  orders: FileOrder[];
  refused: RefusedLine[];
}

/**
 * The rows of a file as orders, in the order of their first rows. An order with one bad row is refused as a whole:
 * without that line it would be another order. `shopId` puts all of them into one shop.
 */
export function ordersIn(table: CheckedTable<OrderRow>, shopId: string | undefined): FileOrders {
  const refused = [...table.refused];
  const badKeys = new Set(refused.map(({ key }) => key));
  const groups = new Map<string, Row[]>();
  for (const row of table.accepted) {
    const { external_id } = row.value;
    const shop = (shopId ?? row.value.shop_id)?.toLowerCase();
    if (shop === undefined) {
      badKeys.add(external_id);
      refused.push(refusal(row, 'shop_id: is missing: fill the column, or name the shop by --shop'));
      continue;
    }
    const key = `${shop} ${external_id}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const orders: FileOrder[] = [];
  for (const rows of groups.values()) {
    const order = orderOf(rows, shopId);
    if ('reason' in order) refused.push(order);
    else if (!badKeys.has(order.body.external_id)) orders.push(order);
  }
  return { orders, refused: refused.sort((one, other) => one.line - other.line) };
}

function orderOf(rows: readonly Row[], shopId: string | undefined): FileOrder | RefusedLine {
  const [first] = rows;
  if (!first) throw new Error('an order has at least one row');
  const wrong = wrongRow(rows, first) ?? wrongNumbers(rows, first);
  if (wrong) return wrong;
  const sorted = [...rows].sort((one, other) => (one.value.line ?? 0) - (other.value.line ?? 0));
  const lines = sorted.map(({ value }) => value).filter(hasLine);
  // Empty cells say nothing: the order keeps its lines, and a computed total follows them.
  const items = lines.length > 0 ? lines.map(itemOf) : undefined;
  const { status, total_amount, total_is_given, ...fields } = first.value;
  const isComputed = total_is_given === false && !items;
  const { order_id, shop_name, created_at, updated_at, erased_at, ...given } = fields;
  const { line, p1_id, product_name, quantity, unit_price, ...order } = given;
  const shop_id = shopId ?? first.value.shop_id ?? '';
  const body = {
    ...order,
    shop_id,
    items,
    total_amount: isComputed ? undefined : total_is_given ? total_amount : totalOf(total_amount, items),
  };
  if (Buffer.byteLength(JSON.stringify(body.items ?? [])) > MAX_LINES_BYTES)
    return refusal(first, `the lines of the order are larger than ${MAX_LINES_BYTES / 1024} KiB`);
  return { line: first.line, rows: rows.length, body, status };
}

function wrongRow(rows: readonly Row[], first: Row): RefusedLine | undefined {
  for (const row of rows.slice(1)) {
    const column = differingColumn(first.value, row.value);
    if (column !== undefined)
      return refusal(row, `${column} is not that of line ${first.line}, of the same order`);
    if (!hasLine(row.value) || !hasLine(first.value))
      return refusal(
        row,
        `the order is in line ${first.line}, too, and one of the two rows has no line of it`,
      );
  }
  if (rows.length <= MAX_ORDER_ITEMS) return undefined;
  return refusal(first, `the order has ${rows.length} lines, at most ${MAX_ORDER_ITEMS} are allowed`);
}

/** Finds a row that was filtered away or copied twice, as far as the file numbers its lines. */
function wrongNumbers(rows: readonly Row[], first: Row): RefusedLine | undefined {
  const numbers = rows.flatMap(({ value }) => value.line ?? []).sort((one, other) => one - other);
  if (numbers.length === 0 || !hasLine(first.value)) return undefined;
  if (numbers.length === rows.length && numbers.every((number, place) => number === place + 1))
    return undefined;
  return refusal(
    first,
    `line: the order has the lines ${numbers.join(', ')}: one is missing or occurs twice`,
  );
}

function itemOf({ p1_id, product_name, quantity = 0, unit_price = 0 }: OrderRow): UpsertItem {
  return {
    qty: quantity,
    price: unit_price,
    ...(p1_id !== undefined && { p1_id }),
    ...(product_name !== undefined && { name: product_name }),
  };
}

/**
 * A total that is the sum of the lines goes as null, unless the file calls it given: it follows the lines of the order,
 * too.
 */
function totalOf(given: number | undefined, items: UpsertItem[] | undefined): number | null | undefined {
  if (given === undefined || items === undefined) return given;
  const sum = items.reduce((cents, { qty, price }) => cents + qty * toCents(price), 0);
  return fromCents(sum) === given ? null : given;
}

function refusal({ line, value }: Row, reason: string): RefusedLine {
  return { line, key: value.external_id, reason };
}

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
  @Flag({ optional: true }) total_is_given?: boolean;
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
  @Text({ optional: true }) erased_at?: string;
}

/** Columns of a line; all others belong to the order and are the same in each of its rows. */
const LINE_COLUMNS = ['line', 'p1_id', 'product_name', 'quantity', 'unit_price'] as const;

function hasLine(row: OrderRow): boolean {
  return LINE_COLUMNS.some((column) => row[column] !== undefined);
}

/** What the fields alone do not tell; here before anything is sent. */
export function problemOfRow(row: OrderRow): string | undefined {
  if (!hasLine(row)) return undefined;
  if (row.quantity === undefined || row.unit_price === undefined)
    return 'a line needs quantity and unit_price';
  return undefined;
}

/** The first column of the order that differs from the order's first row. */
function differingColumn(first: OrderRow, other: OrderRow): string | undefined {
  const ofOrder = ({ line, p1_id, product_name, quantity, unit_price, ...order }: OrderRow) => order;
  const [one, two]: Record<string, unknown>[] = [{ ...ofOrder(first) }, { ...ofOrder(other) }];
  return Object.keys({ ...one, ...two }).find((column) => one?.[column] !== two?.[column]);
}
