import type { OrderExportQuery } from '@offizin/contracts/exports';
import type { OrderLot } from '@offizin/contracts/orders/lots';
import type { Sql } from '@offizin/pg/database';
import { isoOf, listPage, utcText } from '@offizin/pg/list-page';
import type { OrderEntity, ShopRow } from '../../db/entities';
import type { StoredParcel } from '../parcels/parcel';
import { orderListOf } from './order-list.store';
import type { StoredItem } from './order-patch';
import type { TestRows } from './sql/list';

const PAGE_SIZE = 200;
/** More than the largest order, so that each page has one. */
const PAGE_BYTES = 2 * 1024 * 1024;

type OrderColumns = Pick<
  OrderEntity,
  | 'id'
  | 'external_id'
  | 'order_number'
  | 'status'
  | 'payment_status'
  | 'payment_reference'
  | 'shop_id'
  | 'customer_name'
  | 'customer_email'
  | 'address_street'
  | 'address_postal_code'
  | 'address_city'
  | 'address_phone'
  | 'shipping_option'
  | 'total_is_given'
>;

export interface ExportedOrder extends OrderColumns {
  created_at: string;
  updated_at: string;
  order_datetime: string | null;
  shop_name: ShopRow['name'] | null;
  total_amount: number;
  items: StoredItem[];
  parcels: StoredParcel[];
  lots: OrderLot[] | null;
  erased_at: string | null;
}

/** Beyond the limit of bytes the lines are null. */
type Row = Omit<ExportedOrder, 'items'> & { items: StoredItem[] | null };

export interface ExportPage {
  orders: ExportedOrder[];
  /** Of the first page. */
  total: number;
  next: string | null;
}

/** One short statement. The walk holds neither transaction nor cursor of the database between pages. */
export async function readExportPage(
  sql: Sql,
  orgId: string,
  query: OrderExportQuery & TestRows,
  { cursor, limit = PAGE_SIZE }: { cursor: string | null; limit?: number },
): Promise<ExportPage> {
  const list = orderListOf(orgId, query);
  const { column, descending } = list.sort;
  const direction = descending ? 'DESC' : 'ASC';
  const bytes = `sum(octet_length(o.items::text)) OVER (ORDER BY o.${column} ${direction}, o.id ${direction})`;
  const { data, pagination } = await listPage<Row, Row>(sql, {
    ...list,
    name: 'order_export',
    limit,
    columns: `o.id, o.external_id, o.order_number, o.status, o.payment_status, o.payment_reference, o.shop_id,
      shop.name AS shop_name, o.customer_name, o.customer_email, o.address_street, o.address_postal_code,
      o.address_city, o.address_phone, o.shipping_option, o.parcels, CASE WHEN o.has_lots THEN core.lots_of(o.id) END AS lots,
      o.total_amount::float8 AS total_amount, o.total_is_given,
      ${utcText('o.order_datetime')} AS order_datetime, ${utcText('o.created_at')} AS created_at,
      ${utcText('o.updated_at')} AS updated_at, ${utcText('o.erased_at')} AS erased_at,
      CASE WHEN ${bytes} <= ${PAGE_BYTES} THEN o.items END AS items`,
    joins: 'LEFT JOIN core.shops shop ON shop.org_id = o.org_id AND shop.id = o.shop_id',
    show: (row) => row,
    // Only the first page needs the count.
    ...(cursor !== null && { cursor, total: () => '0' }),
  });
  const orders = data.filter(isWhole);
  if (orders.length < data.length) {
    if (orders.length === 0) throw new Error('an order exceeds the bytes of a page');
    const page = await readExportPage(sql, orgId, query, { cursor, limit: orders.length });
    return { ...page, total: pagination.total };
  }
  return { orders: orders.map(shown), total: pagination.total, next: pagination.next_cursor };
}

function isWhole(row: Row): row is ExportedOrder {
  return row.items !== null;
}

function shown(row: ExportedOrder): ExportedOrder {
  const { order_datetime: at, erased_at: erasedAt } = row;
  return {
    ...row,
    order_datetime: at === null ? null : isoOf(at),
    erased_at: erasedAt && isoOf(erasedAt),
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
