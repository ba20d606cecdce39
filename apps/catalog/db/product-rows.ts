import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

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
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/**
 * A catalog product in the inventory of an organization. null in an overlay column means the catalog's value. The slug
 * is fixed when the product is added, because shops build URLs from it; an import does not change it.
 */
@Entity('inventory')
@Index('inventory_slug', ['org_id', 'slug'], { unique: true })
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
  @Column('integer', { default: 0 }) stock_quantity!: number;
  @Column('integer', { default: 0 }) reserved_quantity!: number;
  @Column('integer', { default: 0 }) low_stock_threshold!: number;
  /** Number of entries in the stock log: the next entry's number, and the exact total of the log's list. */
  @Column('integer', { default: 0 }) log_entries!: number;
  /** Sequence of the last event of this product. */
  @Column('integer', { default: 0 }) event_sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
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
