import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * Prescriptions as submitted. Data that identifies the customer or a condition is encrypted with the organization's
 * data key. Searchable columns hold keyed hashes, so that no column links a person to a therapy.
 */
@Entity('prescriptions')
@Unique('prescriptions_shop_key', ['shop_id', 'upsert_key'])
@Index('prescriptions_org_created', ['org_id', 'created_at', 'id'])
@Index('prescriptions_org_updated', ['org_id', 'updated_at', 'id'])
@Index('prescriptions_customer', ['org_id', 'customer_email_hash'])
export class PrescriptionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'prescriptions_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  /** Keyed hash of the External Id, or of the body without one. */
  @Column('bytea') upsert_key!: Buffer;
  /** Keyed hash of the body: detects repeats. */
  @Column('bytea') body_digest!: Buffer;
  @Column('bytea', { nullable: true }) receipt_digest!: Buffer | null;
  @Column('bytea', { nullable: true }) customer_email_hash!: Buffer | null;
  @Column('numeric', { precision: 12, scale: 2, nullable: true }) total_amount!: string | null;
  /** Names, e-mail and External Id, for lists. */
  @Column('bytea') summary_ciphertext!: Buffer;
  /** The whole body without a PDF. */
  @Column('bytea') body_ciphertext!: Buffer;
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('timestamptz', { nullable: true }) erased_at!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/** Chain over the audit log: each hash covers the previous hash and the entry of its position. Append-only. */
@Entity('audit_seals')
export class AuditSealEntity {
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'audit_seals_pkey' }) position!: string;
  @Column('bytea') hash!: Buffer;
  @Column('timestamptz', { default: () => 'now()' }) sealed_at!: Date;
}

/** A requested erasure with its progress; after a crash, another process continues it. */
@Entity('erasures')
@Index('erasures_unfinished', ['created_at'], { where: 'finished_at IS NULL' })
@Index('erasures_not_vacuumed', ['finished_at'], { where: 'vacuumed_at IS NULL' })
@Check('erasures_subject', 'num_nonnulls(email_hash, object_id) = 1')
export class ErasureEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'erasures_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Null for an erasure by id. */
  @Column('bytea', { nullable: true }) email_hash!: Buffer | null;
  /** Null once finished. */
  @Column('bytea', { nullable: true }) email_ciphertext!: Buffer | null;
  @Column('text') actor_kind!: string;
  @Column('text') actor_id!: string;
  @Column('text') request_id!: string;
  @Column('integer', { default: 0 }) orders!: number;
  @Column('integer', { default: 0 }) order_requests!: number;
  @Column('integer', { default: 0 }) prescriptions!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { nullable: true }) finished_at!: Date | null;
  @Column('text', { nullable: true }) object_kind!: string | null;
  @Column('uuid', { nullable: true }) object_id!: string | null;
  /** Time of the vacuum that followed the erasure. */
  @Column('timestamptz', { nullable: true }) vacuumed_at!: Date | null;
}

export const prescriptionEntities = [PrescriptionEntity, AuditSealEntity, ErasureEntity];
