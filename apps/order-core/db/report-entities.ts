import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** One per new order and two per change of one: append-only, written by triggers, folded into the sums below. */
@Entity('daily_sum_deltas')
@Index('daily_sum_deltas_org', ['org_id'])
export class DailySumDeltaEntity {
  @PrimaryColumn('bigint', { generated: 'increment', primaryKeyConstraintName: 'daily_sum_deltas_pkey' })
  position!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  /** Of created_at, in Germany. */
  @Column('date') day!: string;
  @Column('text') status!: string;
  @Column('boolean') refunded!: boolean;
  /** core.customer_key of the order; null for a cancelled order. */
  @Column('bytea', { nullable: true }) customer!: Buffer | null;
  /** 1 or -1. */
  @Column('integer') orders!: number;
  @Column('numeric') amount!: string;
}

/** Orders of a day and their amount. A nil shop means all shops, here and below. */
@Entity('daily_sums')
export class DailySumEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'daily_sums_pkey' }) org_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'daily_sums_pkey' }) shop_id!: string;
  @PrimaryColumn('date', { primaryKeyConstraintName: 'daily_sums_pkey' }) day!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'daily_sums_pkey' }) status!: string;
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'daily_sums_pkey' }) refunded!: boolean;
  @Column('integer') orders!: number;
  /** Orders that are not cancelled and have a customer. */
  @Column('integer') with_customer!: number;
  @Column('numeric') amount!: string;
}

/** Orders of a customer on a day, without cancelled ones. */
@Entity('customer_days')
export class CustomerDayEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'customer_days_pkey' }) org_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'customer_days_pkey' }) shop_id!: string;
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'customer_days_pkey' }) customer!: Buffer;
  @PrimaryColumn('date', { primaryKeyConstraintName: 'customer_days_pkey' }) day!: string;
  @Column('integer') orders!: number;
}

/** How long ago the customers of a day ordered before; reports/daily-sums.store.ts explains it. */
@Entity('customer_gaps')
export class CustomerGapEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'customer_gaps_pkey' }) org_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'customer_gaps_pkey' }) shop_id!: string;
  @PrimaryColumn('date', { primaryKeyConstraintName: 'customer_gaps_pkey' }) day!: string;
  /** 1: the customer's previous order; 2: the one before it. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'customer_gaps_pkey' }) nth!: number;
  /** By gap in days, from 0: orders of the day whose nth previous order is at most so many days earlier. */
  @Column('integer', { array: true }) orders!: number[];
}

export const reportEntities = [DailySumDeltaEntity, DailySumEntity, CustomerDayEntity, CustomerGapEntity];
