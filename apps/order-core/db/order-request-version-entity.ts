import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
