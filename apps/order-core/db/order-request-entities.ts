import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

@Entity('order_requests')
@Unique('order_requests_reference', ['shop_id', 'source', 'external_reference'])
@Index('order_requests_org_created', ['org_id', 'created_at', 'id'])
@Index('order_requests_org_updated', ['org_id', 'updated_at', 'id'])
@Index('order_requests_org_shop_created', ['org_id', 'shop_id', 'created_at', 'id'])
@Index('order_requests_org_status_created', ['org_id', 'status', 'created_at', 'id'])
@Index('order_requests_decided', ['org_id', 'created_at', 'id'], {
  where: "status IN ('approved', 'rejected', 'expired')",
})
@Index('order_requests_customer', ['org_id', 'customer_digest', 'created_at'])
@Index('order_requests_second_look', ['org_id', 'created_at', 'id'], {
  where: "status = 'pending' AND first_approved_by IS NOT NULL",
})
@Index('order_requests_open', ['created_at'], { where: "status IN ('pending', 'needs_clarification')" })
export class OrderRequestEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_requests_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  @Column('text') source!: string;
  /** The integration that handed it in (api_keys.first_key_id); null when no integration key did. */
  @Column('uuid', { nullable: true }) integration_id!: string | null;
  @Column('text', { nullable: true }) external_reference!: string | null;
  @Column('text', { default: 'pending' }) status!: string;
  /** Approval attempt that may commit; raising it makes earlier ones void (see settle). */
  @Column('integer', { default: 0 }) attempt!: number;
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('text', { nullable: true }) customer_name!: string | null;
  @Column('numeric', { precision: 12, scale: 2 }) total_amount!: string;
  /** Name and reference as the review list searches them (order-requests/list-columns.ts). */
  @Column('text', { default: '' }) search_text!: string;
  /** The lines in one text for the review list, encrypted: no plain column links a person to a medicine. */
  @Column('bytea', { nullable: true }) lines_ciphertext!: Buffer | null;
  @Column('integer', { default: 0 }) line_count!: number;
  @Column('text', { nullable: true }) shipping_option!: string | null;
  /** The partner's own values, by key. */
  @Column('jsonb', { default: {} }) metadata!: unknown;
  /** The whole payload without the document, encrypted. */
  @Column('bytea') payload_ciphertext!: Buffer;
  /** SHA-256 over source and payload (document included) with sorted keys: detects repeats. */
  @Column('bytea') payload_digest!: Buffer;
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { nullable: true }) partner_message!: string | null;
  @Column('text', { nullable: true }) decided_by!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
  /** Rises when the partner answers a question; order_request_versions holds the earlier versions. */
  @Column('integer', { default: 1 }) version!: number;
  /** Arrival of the current version; null for the first one, which arrived with the request. */
  @Column('timestamptz', { nullable: true }) version_at!: Date | null;
  /** Hash of the lines held by the current attempt: different lines need a new attempt. */
  @Column('bytea', { nullable: true }) attempt_lines!: Buffer | null;
  /** The open question; an answered one is stored with the version that it concerned. */
  @Column('text', { nullable: true }) question!: string | null;
  /** HMAC of e-mail or name under the organization's data key: identifies the customer. */
  @Column('bytea', { nullable: true }) customer_digest!: Buffer | null;
  @Column('timestamptz', { nullable: true }) erased_at!: Date | null;
  /** Corrections by staff with the partner's values, encrypted. */
  @Column('bytea', { nullable: true }) corrections_ciphertext!: Buffer | null;
  /** The checks that the approval overrode, with the reason, encrypted. */
  @Column('bytea', { nullable: true }) override_ciphertext!: Buffer | null;
  /** Who made the first of two approvals; null without one. Kept when the second has followed. */
  @Column('uuid', { nullable: true }) first_approved_by!: string | null;
  @Column('timestamptz', { nullable: true }) first_approved_at!: Date | null;
  /** Hash of what was approved: only the same content is approved a second time. */
  @Column('bytea', { nullable: true }) first_approval_digest!: Buffer | null;
  /** Corrections, overridden checks and marks of the first approval, encrypted. */
  @Column('bytea', { nullable: true }) first_approval_ciphertext!: Buffer | null;
  /** True when an erasure deleted its prescription. */
  @Column('boolean', { default: false }) document_erased!: boolean;
  /** JSON text of the request's list item, written by a trigger. */
  @Column('text') summary!: string;
}

/** A payload that a later answer of the partner replaced, as received. */
@Entity('order_request_versions')
@Index('order_request_versions_customer', ['org_id', 'customer_digest'])
export class OrderRequestVersionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_request_versions_pkey' })
  order_request_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'order_request_versions_pkey' }) number!: number;
  @Column('uuid') org_id!: string;
  @Column('bytea') payload_ciphertext!: Buffer;
  @Column('bytea') payload_digest!: Buffer;
  @Column('text', { nullable: true }) question!: string | null;
  @Column('timestamptz') created_at!: Date;
  /** As in order_requests, for the customer of this version. */
  @Column('bytea', { nullable: true }) customer_digest!: Buffer | null;
}
