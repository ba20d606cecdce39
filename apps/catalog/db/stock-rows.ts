import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { AdjustReason } from '@offizin/contracts/inventory';
import { InventoryItemRow } from './product-rows';

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
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'reservations_pkey' }) order_request_id!: string;
  /** The reservation of the same order that this claim replaces; until the commit, only the difference is held. */
  @Column('uuid', { nullable: true }) replaces!: string | null;
  @Column('uuid') org_id!: string;
  @Column('integer') attempt!: number;
  @Column('text') state!: string;
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
@Index('inbox_order', ['order_id'], { where: 'order_id IS NOT NULL' })
@Index('inbox_received', ['received_at'])
export class InboxRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'inbox_pkey' }) event_id!: string;
  /** Set for an event that ends a reservation: it may arrive before the event that names the order's request. */
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text', { nullable: true }) move!: string | null;
  @Column('integer') sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) received_at!: Date;
}
