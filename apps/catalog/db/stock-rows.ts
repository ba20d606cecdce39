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
  /** The order whose reservation was sold; a caller's reference can never stand in its way. */
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text') actor!: string;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

/**
 * Stock of one order request, or of one claim of an order whose stock follows its lines: from the hold to the sale, the
 * release, or the claim that takes its place.
 */
@Entity('reservations')
@Index('reservations_held', ['expires_at'], { where: `state = 'held'` })
@Index('reservations_order', ['order_id'], { where: 'order_id IS NOT NULL' })
@Check('reservations_state', `state IN ('held', 'confirmed', 'released', 'sold', 'replaced')`)
export class ReservationRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'reservations_pkey' }) order_request_id!: string;
  /** The reservation of the same order that this claim takes the place of; while held, it holds only what that lacks. */
  @Column('uuid', { nullable: true }) replaces!: string | null;
  @Column('uuid') org_id!: string;
  @Column('integer') attempt!: number;
  @Column('text') state!: string;
  /** Known since the approval is known to have committed. */
  @Column('uuid', { nullable: true }) order_id!: string | null;
  /** What was asked for, in canonical form: the same attempt with other lines is a new question. */
  @Column('text') asked_lines!: string;
  /** When order-core is asked what became of the attempt. */
  @Column('timestamptz') expires_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/** What a reservation holds, or held when it was sold or released by its order. */
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

/** Events of orders that were applied, so that each is applied once. Kept for a week. */
@Entity('inbox')
@Index('inbox_order', ['order_id'], { where: 'order_id IS NOT NULL' })
@Index('inbox_received', ['received_at'])
export class InboxRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'inbox_pkey' }) event_id!: string;
  /** Set for an event that ends a reservation: it may come before the event that names the order's request. */
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text', { nullable: true }) move!: string | null;
  @Column('integer') sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) received_at!: Date;
}
