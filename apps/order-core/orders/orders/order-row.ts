import type { Metadata } from '@offizin/contracts/calls/metadata';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import type { StoredItem } from './order-patch';
import type { Workflow } from './order-status';

/** An order as the statements return it (sql/upsert.ts, `selected`). */
export interface OrderRow {
  id: string;
  org_id: string;
  shop_id: string;
  external_id: string;
  order_number: string | null;
  order_datetime: Date | null;
  customer_name: string | null;
  customer_email: string | null;
  address_street: string | null;
  address_city: string | null;
  address_postal_code: string | null;
  address_phone: string | null;
  total_amount: number;
  total_is_given: boolean;
  payment_status: 'paid' | 'pending' | 'cash_on_pickup' | 'refunded' | 'failed';
  payment_reference: string | null;
  shipping_option: 'Abholung' | 'Versand' | 'Express' | 'Uber Eats' | null;
  shipped: boolean;
  picked_up: boolean;
  cash_on_pickup: boolean;
  status: OrderStatus;
  items: StoredItem[];
  metadata: Metadata;
  order_request_id: string | null;
  stock_claim_id: string | null;
  /** Null: it never held any. */
  stock: 'reserved' | 'sold' | 'released' | null;
  sequence: number;
  created_at: Date;
  updated_at: Date;
  /** Of a test shop. */
  is_test: boolean;
  erased_at: Date | null;
  /** Null: the default workflow. */
  workflow: Workflow | null;
}
