import { IdempotencyKeyRow } from '@offizin/idempotency/idempotency-keys';
import { OutboxRow } from '@offizin/events/outbox';
import { SetAsideRow } from '@offizin/events/set-aside';
import { InventoryItemRow, ProductRow, ShopProductRow } from './product-rows';
import { InboxRow, ReservationLineRow, ReservationRow, StockLogRow } from './stock-rows';

/** All tables of the schema; the drift check compares them with the migrations. */
export const entities = [
  ProductRow,
  InventoryItemRow,
  ShopProductRow,
  StockLogRow,
  ReservationRow,
  ReservationLineRow,
  InboxRow,
  OutboxRow,
  SetAsideRow,
  IdempotencyKeyRow,
];
