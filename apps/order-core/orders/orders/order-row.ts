import type { OrderLot } from '@offizin/contracts/orders/lots';
import type { OrderEntity } from '../../db/entities';
import type { StoredParcel } from '../parcels/parcel';
import type { StoredItem } from './order-patch';
import type { Workflow } from './order-status';

/** An order as the statements return it. */
export type OrderRow = Omit<
  OrderEntity,
  | 'total_amount'
  | 'items'
  | 'parcels'
  | 'has_lots'
  | 'unpaid_since'
  | 'event_change'
  | 'summary'
  | 'integration_id'
> & {
  total_amount: number;
  items: StoredItem[];
  parcels: StoredParcel[];
  /** Null for none. */
  lots: OrderLot[] | null;
  /** Null: the default workflow. */
  workflow: Workflow | null;
};

/** The columns of an OrderRow, of `o`. */
export const ORDER_COLUMNS = `o.id, o.org_id, o.shop_id, o.external_id, o.status, o.order_request_id, o.sequence, o.created_at, o.updated_at,
            o.is_test, o.order_number, o.order_datetime, o.customer_name, o.customer_email, o.address_street,
            o.address_city, o.address_postal_code, o.address_phone, o.parcels, o.total_is_given, o.payment_status,
            o.payment_reference, o.shipping_option, o.shipped, o.picked_up, o.cash_on_pickup, o.items,
            o.metadata, o.stock_claim_id, o.erased_at, o.stock, CASE WHEN o.has_lots THEN core.lots_of(o.id) END AS lots, o.total_amount::float8 AS total_amount,
            (SELECT g.workflow FROM core.organizations g WHERE g.id = o.org_id) AS workflow`;
