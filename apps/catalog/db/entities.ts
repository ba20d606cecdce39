import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IdempotencyKeyRow } from '@offizin/idempotency/idempotency-keys';
import { OutboxRow } from '@offizin/events/outbox';
import { SetAsideRow } from '@offizin/events/set-aside';
import type { AdjustReason } from '@offizin/contracts/products/inventory';

/** The platform's catalog: loaded by the command line, read by every organization. */
@Entity('products')
@Check('products_price', 'price >= 0')
@Check('products_thc', 'thc BETWEEN 0 AND 100')
@Check('products_cbd', 'cbd BETWEEN 0 AND 100')
export class ProductRow {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'products_pkey' }) p1_id!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { nullable: true }) category!: string | null;
  @Column('numeric', { precision: 12, scale: 2 }) price!: string;
  @Column('double precision', { nullable: true }) thc!: number | null;
  @Column('double precision', { nullable: true }) cbd!: number | null;
  @Column('boolean', { default: true }) available!: boolean;
  /** 8 digits. */
  @Column('text', { nullable: true }) pzn!: string | null;
  /** GTINs of 14 digits. */
  @Column('text', { array: true, default: [] }) codes!: string[];
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/**
 * A catalog product in the inventory of an organization. null in an overlay column means the catalog's value. The slug
 * is fixed when the product is added, because shops build URLs from it; an import does not change it.
 */
@Entity('inventory')
@Index('inventory_slug', ['org_id', 'slug'], { unique: true })
@Index('inventory_of_product', ['p1_id'])
@ForeignKey(() => ProductRow, ['p1_id'], ['p1_id'], { name: 'inventory_product' })
@Check('inventory_price', 'price >= 0')
@Check('inventory_thc', 'thc BETWEEN 0 AND 100')
@Check('inventory_cbd', 'cbd BETWEEN 0 AND 100')
@Check('inventory_threshold', 'low_stock_threshold >= 0')
@Check('inventory_stock', 'reserved_quantity BETWEEN 0 AND stock_quantity')
export class InventoryItemRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'inventory_pkey' }) org_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'inventory_pkey' }) p1_id!: string;
  @Column('text') slug!: string;
  @Column('text', { nullable: true }) name!: string | null;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { nullable: true }) category!: string | null;
  @Column('numeric', { precision: 12, scale: 2, nullable: true }) price!: string | null;
  @Column('double precision', { nullable: true }) thc!: number | null;
  @Column('double precision', { nullable: true }) cbd!: number | null;
  @Column('boolean', { nullable: true }) available!: boolean | null;
  @Column('text', { nullable: true }) pzn!: string | null;
  @Column('text', { array: true, nullable: true }) codes!: string[] | null;
  @Column('integer', { default: 0 }) stock_quantity!: number;
  @Column('integer', { default: 0 }) reserved_quantity!: number;
  @Column('integer', { default: 0 }) low_stock_threshold!: number;
  /** Number of entries in the stock log: the next entry's number, and the exact total of the log's list. */
  @Column('integer', { default: 0 }) log_entries!: number;
  /** Sequence of the last event of this product. */
  @Column('integer', { default: 0 }) event_sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
  /** When something changed that partners see; set by a trigger. */
  @Column('timestamptz', { default: () => 'now()' }) shown_at!: Date;
}

/**
 * The codes that count for an organization, its own or the catalog's: each of one product. An index could not see what
 * lies over the catalog's values, so they are rows (product-codes.ts).
 */
@Entity('product_codes')
@Index('product_codes_owner', ['org_id', 'code'], { unique: true, where: 'NOT waits' })
@Index('product_codes_item', ['p1_id', 'org_id'])
@ForeignKey(() => InventoryItemRow, ['org_id', 'p1_id'], ['org_id', 'p1_id'], {
  name: 'product_codes_item_fkey',
})
export class ProductCodeRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'product_codes_pkey' }) org_id!: string;
  /** A PZN of 8 digits, or a GTIN of 14. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'product_codes_pkey' }) code!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'product_codes_pkey' }) p1_id!: string;
  /** Another product of the organization has the code, and this one gets it when that one gives it away. */
  @Column('boolean') waits!: boolean;
}

/**
 * A product at a shop. The row stays after a detach, so that the sequence of its events keeps rising. Only attaching
 * writes a detached row: until then, `updated_at` is the time at which it was detached.
 */
@Entity('shop_products')
@Index('shop_products_attached', ['org_id', 'shop_id', 'p1_id'], { where: 'attached' })
@ForeignKey(() => InventoryItemRow, ['org_id', 'p1_id'], ['org_id', 'p1_id'], { name: 'shop_products_item' })
export class ShopProductRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'shop_products_pkey' }) org_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'shop_products_pkey' }) shop_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'shop_products_pkey' }) p1_id!: string;
  @Column('boolean') attached!: boolean;
  @Column('jsonb', { default: {} }) overrides!: Record<string, unknown>;
  @Column('integer', { default: 0 }) event_sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/** Append-only; the entries of a product are numbered from 1 without a gap, and their deltas add up to its stock. */
@Entity('stock_log')
@Index('stock_log_entry', ['org_id', 'p1_id', 'entry_number'], { unique: true })
@Index('stock_log_reference', ['org_id', 'p1_id', 'reference'], {
  unique: true,
  where: 'reference IS NOT NULL',
})
@ForeignKey(() => InventoryItemRow, ['org_id', 'p1_id'], ['org_id', 'p1_id'], { name: 'stock_log_item' })
@Check('stock_log_after', 'stock_after >= 0')
export class StockLogRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'stock_log_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') p1_id!: string;
  @Column('integer') entry_number!: number;
  @Column('integer') delta!: number;
  @Column('integer') stock_after!: number;
  @Column('text') reason!: AdjustReason;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { nullable: true }) reference!: string | null;
  /** The order whose reservation was sold; a separate column, so it cannot conflict with a caller's reference. */
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text') actor!: string;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

/**
 * Stock held for one order request, or for one claim of an order whose stock follows its lines. It ends with the sale,
 * the release, or the claim that replaces it.
 */
@Entity('reservations')
@Index('reservations_held', ['expires_at'], { where: `state = 'held'` })
@Index('reservations_order', ['order_id'], { where: 'order_id IS NOT NULL' })
@Check('reservations_state', `state IN ('held', 'confirmed', 'released', 'sold', 'replaced')`)
export class ReservationRow {
  /** The order request, or the claim of an order. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'reservations_pkey' }) order_request_id!: string;
  /** The reservation of the same order that this claim replaces; until the commit, only the difference is held. */
  @Column('uuid', { nullable: true }) replaces!: string | null;
  @Column('uuid') org_id!: string;
  @Column('integer') attempt!: number;
  @Column('text') state!: 'held' | 'confirmed' | 'released' | 'sold' | 'replaced';
  /** null until the approval is known to have committed. */
  @Column('uuid', { nullable: true }) order_id!: string | null;
  /** Requested lines in canonical form: the same attempt with other lines is a new request. */
  @Column('text') asked_lines!: string;
  /** When order-core is asked for the outcome of the attempt. */
  @Column('timestamptz') expires_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/** Lines that a reservation holds, or held when its order was sold or released. */
@Entity('reservation_lines')
@Index('reservation_lines_item', ['org_id', 'p1_id'])
@ForeignKey(() => ReservationRow, ['order_request_id'], ['order_request_id'], {
  name: 'reservation_lines_reservation',
  onDelete: 'CASCADE',
})
@ForeignKey(() => InventoryItemRow, ['org_id', 'p1_id'], ['org_id', 'p1_id'], {
  name: 'reservation_lines_item_fkey',
})
@Check('reservation_lines_quantity', 'quantity > 0')
export class ReservationLineRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'reservation_lines_pkey' }) order_request_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'reservation_lines_pkey' }) p1_id!: string;
  @Column('uuid') org_id!: string;
  @Column('integer') quantity!: number;
}

/** Applied events of orders, so that each is applied once. Stored for a week. */
@Entity('inbox')
@Index('inbox_received', ['received_at'])
export class InboxRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'inbox_pkey' }) event_id!: string;
  @Column('integer') sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) received_at!: Date;
}

/** All tables of the schema; the drift check compares them with the migrations. */
export const entities = [
  ProductRow,
  InventoryItemRow,
  ProductCodeRow,
  ShopProductRow,
  StockLogRow,
  ReservationRow,
  ReservationLineRow,
  InboxRow,
  OutboxRow,
  SetAsideRow,
  IdempotencyKeyRow,
];
