import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Scope } from '@offizin/contracts/scopes';
import { OutboxRow } from '@offizin/pg/outbox';

/** Organizations, shops and keys: the directory. Read by entity (plain CRUD), projected by projection.ts. */
@Entity('organizations')
export class Organization {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organizations_pkey' }) id!: string;
  @Column('text') name!: string;
  @Column('boolean', { default: true }) is_active!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

@Entity('shops')
@Index('shops_org', ['org_id'])
@Unique('shops_domain', ['domain'])
export class ShopRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'shops_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') name!: string;
  /** Lower case; unique on the platform. */
  @Column('text') domain!: string;
  @Column('boolean', { default: true }) is_active!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

@Entity('api_keys')
@Index('api_keys_org', ['org_id'])
@Unique('api_keys_hash', ['hash'])
export class ApiKeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') name!: string;
  @Column('text') kind!: 'org' | 'int';
  /** Hex SHA-256; the key itself is never stored. */
  @Column('text') hash!: string;
  @Column('text', { array: true }) scopes!: Scope[];
  @Column('uuid', { nullable: true }) shop_id!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { nullable: true }) expires_at!: Date | null;
  @Column('timestamptz', { nullable: true }) revoked_at!: Date | null;
}

@Entity('orders')
@Unique('orders_shop_external', ['shop_id', 'external_id'])
@Index('orders_org_created', ['org_id', 'created_at', 'id'])
@Check('orders_amount', 'total_amount >= 0')
export class OrderEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'orders_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  @Column('text') external_id!: string;
  @Column('text', { nullable: true }) order_number!: string | null;
  @Column('timestamptz', { nullable: true }) order_datetime!: Date | null;
  @Column('text', { nullable: true }) customer_name!: string | null;
  @Column('text', { nullable: true }) customer_email!: string | null;
  @Column('text', { nullable: true }) address_street!: string | null;
  @Column('text', { nullable: true }) address_city!: string | null;
  @Column('text', { nullable: true }) address_postal_code!: string | null;
  @Column('text', { nullable: true }) address_phone!: string | null;
  @Column('numeric', { precision: 12, scale: 2 }) total_amount!: string;
  /** A computed total follows the items; a given one is kept, because it may hold shipping. */
  @Column('boolean') total_is_given!: boolean;
  @Column('text') payment_status!: string;
  @Column('text', { nullable: true }) payment_reference!: string | null;
  @Column('text', { nullable: true }) shipping_option!: string | null;
  @Column('boolean', { default: false }) shipped!: boolean;
  @Column('boolean', { default: false }) picked_up!: boolean;
  @Column('boolean', { default: false }) cash_on_pickup!: boolean;
  @Column('text') status!: string;
  /** [{p1_id, name, quantity, price}] */
  @Column('jsonb') items!: unknown;
  @Column('uuid', { nullable: true }) order_request_id!: string | null;
  /** Rises by one with every change: sequence of the event, entry of the history, ETag. */
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/** The fields as they were after each change; what they were before stands in the entry before. */
@Entity('order_history')
export class OrderHistoryEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_history_pkey' }) order_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'order_history_pkey' }) sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  @Column('text') actor!: string;
  @Column('text') action!: string;
  @Column('jsonb') fields!: unknown;
}

@Entity('order_requests')
@Unique('order_requests_reference', ['shop_id', 'source', 'external_reference'])
@Index('order_requests_org_created', ['org_id', 'created_at', 'id'])
@Index('order_requests_open', ['created_at'], { where: "status IN ('pending', 'needs_clarification')" })
export class OrderRequestEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_requests_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  @Column('text') source!: string;
  @Column('text', { nullable: true }) external_reference!: string | null;
  @Column('text', { default: 'pending' }) status!: string;
  /** Approval attempt that may commit; raised to make earlier ones void (see settle). */
  @Column('integer', { default: 0 }) attempt!: number;
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('text', { nullable: true }) customer_name!: string | null;
  @Column('numeric', { precision: 12, scale: 2 }) total_amount!: string;
  /** The payload whole, without the document, encrypted. */
  @Column('bytea') payload_ciphertext!: Buffer;
  /** SHA-256 over source and payload (document included) with sorted keys: is a repeat the same request? */
  @Column('bytea') payload_digest!: Buffer;
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { nullable: true }) partner_message!: string | null;
  @Column('text', { nullable: true }) decided_by!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
}

/** Prescription documents, encrypted. `waiting` and `failed` ones have a URL and no content yet. */
@Entity('documents')
@Index('documents_request', ['order_request_id'])
@Index('documents_waiting', ['next_fetch_at'], { where: "state = 'waiting'" })
export class DocumentEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'documents_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') order_request_id!: string;
  @Column('text') state!: string;
  @Column('text', { nullable: true }) url!: string | null;
  @Column('text', { nullable: true }) failure!: string | null;
  /** Due time of a waiting document; moved ahead while somebody fetches it, so it is a lease, too. */
  @Column('timestamptz', { nullable: true }) next_fetch_at!: Date | null;
  @Column('bytea', { nullable: true }) sha256!: Buffer | null;
  @Column('integer', { nullable: true }) size_bytes!: number | null;
  @Column('bytea', { nullable: true }) ciphertext!: Buffer | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

/** One AES-256 key per organization, wrapped by the master key. */
@Entity('data_keys')
export class DataKeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'data_keys_pkey' }) org_id!: string;
  @Column('bytea') wrapped_key!: Buffer;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

/** Append-only: who did what to which object, when, in which request. */
@Entity('audit_log')
@Index('audit_log_org', ['org_id', 'position'])
export class AuditEntity {
  @PrimaryColumn('bigint', { generated: 'increment', primaryKeyConstraintName: 'audit_log_pkey' })
  position!: string;
  @Column('uuid', { nullable: true }) org_id!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  @Column('text') actor!: string;
  @Column('text') action!: string;
  @Column('text') object!: string;
  @Column('text') request_id!: string;
}

export const entities = [
  Organization,
  ShopRow,
  ApiKeyEntity,
  OrderEntity,
  OrderHistoryEntity,
  OrderRequestEntity,
  DocumentEntity,
  DataKeyEntity,
  AuditEntity,
  OutboxRow,
];
