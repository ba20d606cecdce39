import type { OrderEntity } from '../../db/entities';
import type { StoredItem } from './order-patch';
import type { Workflow } from './order-status';

/** An order as the statements return it (sql/upsert.ts, `selected`). */
export type OrderRow = Omit<
  OrderEntity,
  'total_amount' | 'items' | 'unpaid_since' | 'payment_change' | 'summary'
> & {
  total_amount: number;
  items: StoredItem[];
  /** Null: the default workflow. */
  workflow: Workflow | null;
};
