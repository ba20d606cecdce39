import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventType } from '@offizin/contracts/webhooks/events';
import type { DeliveryStatus, DisabledReason } from '@offizin/contracts/webhooks/webhooks';
import { IdempotencyKeyRow } from '@offizin/idempotency/idempotency-keys';
import { OutboxRow } from '@offizin/events/outbox';
import { SetAsideRow } from '@offizin/events/set-aside';

/**
 * The tables, compared with the database by schemaDrift. No foreign keys: an event makes up to twenty deliveries, and
 * each check would lock the subscription's row. A deleted subscription stays until retention has removed its
 * deliveries.
 */
@Entity('subscriptions')
@Index('subscriptions_own', ['org_id'], { where: 'integration_id IS NULL AND deleted_at IS NULL' })
@Index('subscriptions_callback', ['integration_id', 'shop_id'], {
  unique: true,
  where: 'integration_id IS NOT NULL AND deleted_at IS NULL',
})
@Check('subscriptions_callback_of', '(integration_id IS NULL) = (shop_id IS NULL)')
export class SubscriptionRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'subscriptions_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Only of a partner's callback, which the organization's own operations never touch (callbacks.store.ts). */
  @Column('uuid', { nullable: true }) integration_id!: string | null;
  /** Of a callback: the shop of whose requests it is notified. */
  @Column('uuid', { nullable: true }) shop_id!: string | null;
  @Column('text') url!: string;
  /** null: every kind. */
  @Column('text', { array: true, nullable: true }) event_types!: EventType[] | null;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('boolean', { default: true }) is_active!: boolean;
  @Column('integer', { nullable: true }) rate_per_second!: number | null;
  /** The rate is used up until then; see leases.store. */
  @Column('timestamptz', { default: () => 'now()' }) paced_until!: Date;
  /** Encrypted, see secret-encryption. */
  @Column('bytea') secret!: Buffer;
  @Column('bytea', { nullable: true }) previous_secret!: Buffer | null;
  @Column('timestamptz', { nullable: true }) previous_secret_until!: Date | null;
  @Column('text', { nullable: true }) disabled_reason!: DisabledReason | null;
  @Column('timestamptz', { nullable: true }) disabled_at!: Date | null;
  /** First failed attempt since the last success; null while attempts succeed. */
  @Column('timestamptz', { nullable: true }) failing_since!: Date | null;
  /** Sequence of the last event about this subscription itself. */
  @Column('integer', { default: 0 }) event_sequence!: number;
  /** Rises with each change of url or secrets, so that a worker detects stale cached values. */
  @Column('integer', { default: 1 }) revision!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
  @Column('timestamptz', { nullable: true }) deleted_at!: Date | null;
}

/** Inbox and feed: every event that arrived, once. */
@Entity('events')
@Index('events_feed', ['org_id', 'position'])
@Index('events_recent', ['org_id', 'created_at'])
@Index('events_of_aggregate', ['org_id', 'aggregate_id', 'sequence'])
export class EventRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'events_pkey' }) id!: string;
  /** Order of arrival and of commits; see inbox.store. */
  @Column('bigint', { generated: 'increment' }) position!: string;
  @Column('uuid') org_id!: string;
  @Column('text') event_type!: string;
  @Column('text') aggregate_id!: string;
  @Column('integer') sequence!: number;
  /** JSON text; exactly these bytes are signed and sent. */
  @Column('text') body!: string;
  /** From the body. */
  @Column('timestamptz') created_at!: Date;
  /** Of the step that received the event, if traced. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}

@Entity('deliveries')
@Index('deliveries_once', ['subscription_id', 'event_id'], { unique: true })
@Index('deliveries_due', ['subscription_id', 'next_attempt_at', 'id'], { where: "status = 'pending'" })
@Index('deliveries_given_up', ['subscription_id', 'event_id'], { where: `status IN ('failed', 'cancelled')` })
@Index('deliveries_tried', ['subscription_id', 'last_attempt_at'], { where: 'last_attempt_at IS NOT NULL' })
@Index('deliveries_queue', ['queue', 'sequence'], { where: 'queue IS NOT NULL' })
@Check('deliveries_in_queue', "(queue IS NOT NULL) = (status = 'pending')")
@Check('deliveries_status', "status IN ('pending', 'succeeded', 'failed', 'cancelled')")
export class DeliveryRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'deliveries_pkey' }) id!: string;
  @Column('uuid') subscription_id!: string;
  @Column('uuid') event_id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') event_type!: EventType;
  @Column('text') aggregate_id!: string;
  /** Key of the queue (subscription and aggregate, see queue_of); only while pending. */
  @Column('bigint', { nullable: true }) queue!: string | null;
  @Column('integer') sequence!: number;
  @Column('text', { default: 'pending' }) status!: DeliveryStatus;
  @Column('integer', { default: 0 }) attempt_count!: number;
  @Column('timestamptz', { default: () => 'now()' }) next_attempt_at!: Date;
  @Column('timestamptz', { nullable: true }) last_attempt_at!: Date | null;
  @Column('uuid', { nullable: true }) lease_token!: string | null;
  @Column('timestamptz', { nullable: true }) lease_until!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  /** Copied from the event, to save the lease statement a read. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}

@Entity('attempts')
export class AttemptRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'attempts_pkey' }) delivery_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'attempts_pkey' }) number!: number;
  @Column('timestamptz') started_at!: Date;
  @Column('integer') duration_ms!: number;
  @Column('integer', { nullable: true }) status_code!: number | null;
  @Column('text', { nullable: true }) failure!: string | null;
  @Column('text', { nullable: true }) answer!: string | null;
}

export const entities = [
  SubscriptionRow,
  EventRow,
  DeliveryRow,
  AttemptRow,
  OutboxRow,
  SetAsideRow,
  IdempotencyKeyRow,
];
