import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Append-only: actor, action, object, time and request. */
@Entity('audit_log')
@Index('audit_log_org', ['org_id', 'position'])
@Index('audit_log_object', { synchronize: false })
@Index('audit_log_time', ['org_id', 'at', 'position'])
@Index('audit_log_staff', { synchronize: false })
@Index('audit_log_record', ['record_id'], { unique: true, where: 'record_id IS NOT NULL' })
export class AuditEntity {
  @PrimaryColumn('bigint', { generated: 'increment', primaryKeyConstraintName: 'audit_log_pkey' })
  position!: string;
  @Column('uuid', { nullable: true }) org_id!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  @Column('text') actor!: string;
  @Column('text') action!: string;
  @Column('text') object!: string;
  @Column('text') request_id!: string;
  /** Id of another service's record; null for an action of order-core. */
  @Column('uuid', { nullable: true }) record_id!: string | null;
}

/** How far the audit log was verified; one row. */
@Entity('audit_checkpoints')
export class AuditCheckpointRow {
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'audit_checkpoints_pkey' }) id!: number;
  @Column('bigint') position!: string;
  @Column('bytea') seal!: Buffer;
  @Column('bigint') checked!: string;
  @Column('bytea') mac!: Buffer;
}
