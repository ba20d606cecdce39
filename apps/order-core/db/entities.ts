import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Metadata } from '@offizin/contracts/calls/metadata';
import type { OrderNote } from '@offizin/contracts/orders/order-notes';
import type { OrderStatus, PaymentStatus, ShippingOption } from '@offizin/contracts/orders/orders';
import type { ClosedOrderRule, WorkflowMode } from '@offizin/contracts/orders/settings';
import type { Role } from '@offizin/contracts/people/roles';
import type { Scope } from '@offizin/contracts/people/scopes';
import type { DocumentState, RequestDocumentKind } from '@offizin/contracts/requests/request-documents';
import { IdempotencyKeyRow } from '@offizin/idempotency/idempotency-keys';
import { OutboxRow } from '@offizin/events/outbox';
import { SetAsideRow } from '@offizin/events/set-aside';
import { peopleEntities } from './people-entities';
import { reportEntities } from './report-entities';
import { requestEntities } from './request-entities';

/**
 * The tables. A spec compares these classes with the database, and the rows of statements take their types from them;
 * TypeORM reads and writes no rows. Organizations, shops and keys form the directory, projected by projection.ts.
 */
@Entity('organizations')
export class Organization {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organizations_pkey' }) id!: string;
  @Column('text') name!: string;
  @Column('boolean', { default: true }) is_active!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('text', { default: 'default' }) workflow_mode!: WorkflowMode;
  /** Allowed next statuses by status; null means the default workflow. */
  @Column('jsonb', { nullable: true }) workflow!: unknown;
  /** Whether closed orders `refuse` or `allow` new lines, amounts, customer and delivery. */
  @Column('text', { default: 'refuse' }) closed_orders!: ClosedOrderRule;
  /** True when upserted orders reserve, release and sell stock as approved ones do. */
  @Column('boolean', { default: false }) stock_follows_orders!: boolean;
  /** Roles that sign in with a second factor only. */
  @Column('text', { array: true, default: () => "'{}'" }) second_factor_roles!: Role[];
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
  /** For ever. Orders and requests of a test shop carry a copy, and take no stock. */
  @Column('boolean', { default: false }) is_test!: boolean;
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
  @Column('timestamptz', { nullable: true }) last_used_at!: Date | null;
  @Column('uuid', { nullable: true }) replaced_by!: string | null;
  /** The first key of its rotations, whose id names the integration; null: itself. */
  @Column('uuid', { nullable: true }) first_key_id!: string | null;
  /** Of kind int: may list the products of its shops. */
  @Column('boolean', { default: true }) reads_assortment!: boolean;
}

@Entity('orders')
@Unique('orders_shop_external', ['shop_id', 'external_id'])
@Index('orders_org_created', ['org_id', 'created_at', 'id'])
@Index('orders_org_status_created', ['org_id', 'status', 'created_at', 'id'])
@Index('orders_org_shop_created', ['org_id', 'shop_id', 'created_at', 'id'])
@Index('orders_org_shop_status_created', ['org_id', 'shop_id', 'status', 'created_at', 'id'])
@Index('orders_org_payment_created', ['org_id', 'payment_status', 'created_at', 'id'])
@Index('orders_org_updated', ['org_id', 'updated_at', 'id'])
@Index('orders_unpaid', ['org_id', 'unpaid_since'], { where: 'unpaid_since IS NOT NULL' })
@Index('orders_test_created', ['created_at'], { where: 'is_test' })
@Index('orders_own', ['shop_id', 'integration_id', 'updated_at', 'order_request_id'], {
  where: 'integration_id IS NOT NULL',
})
@Index('orders_search_email', { synchronize: false })
@Check('orders_amount', 'total_amount >= 0')
@Check('orders_stock', "stock IN ('reserved', 'sold', 'released')")
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
  /** A computed total follows the items; a given total stays, because it may include shipping. */
  @Column('boolean') total_is_given!: boolean;
  @Column('text') payment_status!: PaymentStatus;
  @Column('text', { nullable: true }) payment_reference!: string | null;
  @Column('text', { nullable: true }) shipping_option!: ShippingOption | null;
  @Column('boolean', { default: false }) shipped!: boolean;
  @Column('boolean', { default: false }) picked_up!: boolean;
  @Column('boolean', { default: false }) cash_on_pickup!: boolean;
  @Column('text') status!: OrderStatus;
  /** [{p1_id, name, quantity, price}] */
  @Column('jsonb') items!: unknown;
  /** The caller's own values, by key. */
  @Column('jsonb', { default: {} }) metadata!: Metadata;
  @Column('uuid', { nullable: true }) order_request_id!: string | null;
  /** The claim that holds the stock of its lines; null when stock does not follow the order. */
  @Column('uuid', { nullable: true }) stock_claim_id!: string | null;
  /** Null when it never held stock. */
  @Column('text', { nullable: true }) stock!: 'reserved' | 'sold' | 'released' | null;
  /** Of an order of a request: in awaiting_payment since then. */
  @Column('timestamptz', { nullable: true }) unpaid_since!: Date | null;
  /** Of the last update, for its event: {old_payment_status, changed} of the payment alone, {changed} of an order of a request. */
  @Column('jsonb', { nullable: true }) event_change!: unknown;
  /** Rises by one with every change: sequence of the event and history entry, and ETag. */
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
  /** JSON text of the order's list item, written by a trigger. */
  @Column('text') summary!: string;
  /** Of its shop. */
  @Column('boolean', { default: false }) is_test!: boolean;
  /** When an erasure emptied it; it takes no customer data since. */
  @Column('timestamptz', { nullable: true }) erased_at!: Date | null;
  /** [{id, carrier, tracking_number, url, created_at}], oldest first (orders/parcels/parcel.ts). */
  @Column('jsonb', { default: [] }) parcels!: unknown;
  /** Whether core.order_lots has rows of it. */
  @Column('boolean', { default: false }) has_lots!: boolean;
  /** The integration that handed its request in; null for the organization, and without a request. */
  @Column('uuid', { nullable: true }) integration_id!: string | null;
}

/** What `q` searches of an order; null until it is written (requests/search/order-words.store.ts). */
@Entity('order_words')
@Index('order_words_words', { synchronize: false })
@Index('order_words_due', ['org_id', 'id'], { where: 'words IS NULL' })
export class OrderWordsEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_words_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('tsvector', { nullable: true }) words!: string | null;
}

/** Append-only deltas, written by triggers and folded into RowCountEntity. */
@Entity('row_count_deltas')
@Index('row_count_deltas_org', ['org_id', 'counted'])
export class RowCountDeltaEntity {
  @PrimaryColumn('bigint', { generated: 'increment', primaryKeyConstraintName: 'row_count_deltas_pkey' })
  position!: string;
  /** The table, orders or order_requests; by day in Germany, prescriptions, request_days, or rejections by reason. */
  @Column('text') counted!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  @Column('text') status!: string;
  /** Of created_at, in UTC. */
  @Column('date') day!: string;
  @Column('integer') amount!: number;
}

/** Number of rows of a table by shop, status and day. A nil shop, an empty status and the day -infinity mean all. */
@Entity('row_counts')
export class RowCountEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'row_counts_pkey' }) org_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'row_counts_pkey' }) counted!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'row_counts_pkey' }) shop_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'row_counts_pkey' }) status!: string;
  @PrimaryColumn('date', { primaryKeyConstraintName: 'row_counts_pkey' }) day!: string;
  @Column('bigint') amount!: string;
}

/** Field values after each change; earlier entries have the previous values. */
@Entity('order_history')
@Index('order_history_customer_email', { synchronize: false })
export class OrderHistoryEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_history_pkey' }) order_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'order_history_pkey' }) sequence!: number;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  @Column('text') actor!: string;
  @Column('text') action!: string;
  @Column('jsonb') fields!: Record<string, unknown>;
}

/** Encrypted prescription documents. `waiting` and `failed` ones have a URL but no content. */
@Entity('documents')
@Index('documents_request', ['order_request_id', 'version'])
@Index('documents_sha256', ['org_id', 'sha256', 'withdrawn_by', 'created_at', 'id'])
@Index('documents_waiting', ['next_fetch_at'], { where: "state = 'waiting'" })
@Index('documents_prescription', ['prescription_id'])
@Index('documents_customer', ['org_id', 'customer_email_hash'], { where: 'customer_email_hash IS NOT NULL' })
@Index('documents_to_move', ['created_at'], {
  where: 'ciphertext IS NOT NULL AND order_request_id IS NOT NULL',
})
@Index('documents_moved', ['object_name'], { where: 'object_name IS NOT NULL' })
@Check('documents_owner', 'num_nonnulls(order_request_id, prescription_id) = 1')
export class DocumentEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'documents_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Exactly one of order request and prescription is set. */
  @Column('uuid', { nullable: true }) order_request_id!: string | null;
  @Column('uuid', { nullable: true }) prescription_id!: string | null;
  /** Encrypted, because the URL gives access to the prescription; null for one that was submitted with its content. */
  @Column('bytea', { nullable: true }) url_ciphertext!: Buffer | null;
  @Column('text') state!: DocumentState;
  @Column('text', { nullable: true }) failure!: string | null;
  /** Due time of a waiting document. A fetch moves it ahead, so it also serves as lease. */
  @Column('timestamptz', { nullable: true }) next_fetch_at!: Date | null;
  @Column('bytea', { nullable: true }) sha256!: Buffer | null;
  /** Of the plain document. */
  @Column('integer', { nullable: true }) size_bytes!: number | null;
  /** Null while it waits, after a failed fetch, and while the document store holds it. */
  @Column('bytea', { nullable: true }) ciphertext!: Buffer | null;
  /** Name of its object in the document store; then there is no ciphertext here. */
  @Column('uuid', { nullable: true }) object_name!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  /** The version of the request with which it arrived. */
  @Column('integer', { default: 1 }) version!: number;
  @Column('integer', { default: 1 }) number!: number;
  /** By the document of a later payload. */
  @Column('boolean', { default: false }) is_replaced!: boolean;
  @Column('text', { default: 'prescription' }) kind!: RequestDocumentKind;
  @Column('text', { nullable: true }) name!: string | null;
  @Column('integer', { default: 0 }) fetch_attempts!: number;
  /** Null while the content is missing. */
  @Column('text', { nullable: true }) signature!: 'none' | 'present' | 'altered' | null;
  /** Null when unknown. */
  @Column('integer', { nullable: true }) pages!: number | null;
  /** Of a receipt: as in prescriptions, for the customer with whom it was last sent. */
  @Column('bytea', { nullable: true }) customer_email_hash!: Buffer | null;
  /** The sender (integration, else organization) that has withdrawn the request. */
  @Column('uuid', { nullable: true }) withdrawn_by!: string | null;
}

/** One AES-256 key per organization, wrapped by the master key. */
@Entity('data_keys')
export class DataKeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'data_keys_pkey' }) org_id!: string;
  @Column('bytea') wrapped_key!: Buffer;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

/** Committed claims with their order, and void claims without. */
@Entity('stock_claims')
export class StockClaimEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'stock_claims_pkey' }) id!: string;
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

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

/** An object of the document store that no document names: not yet, while it is uploaded, or no longer. */
@Entity('loose_objects')
@Index('loose_objects_due', ['due_at'])
@Index('loose_objects_document', ['document_id'], { unique: true })
export class LooseObjectEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'loose_objects_pkey' }) name!: string;
  /** The document that is being uploaded; null: the object is to be deleted. */
  @Column('uuid', { nullable: true }) document_id!: string | null;
  /** Rises with each lease: only its latest holder may name the object. */
  @Column('integer', { default: 0 }) attempts!: number;
  /** Work on it moves this time ahead, so it also serves as lease. */
  @Column('timestamptz', { default: () => 'now()' }) due_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

/** A note for staff at an order, or the mark of a piece of work such as a printed slip. */
@Entity('order_notes')
@Index('order_notes_order', ['order_id', 'id'])
export class OrderNoteEntity {
  /** Rises with time, so that it orders the rows. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_notes_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') order_id!: string;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  /** The actor as in the audit log. */
  @Column('text') actor!: string;
  @Column('text') kind!: OrderNote['kind'];
  /** Null for a mark, and after an erasure. */
  @Column('bytea', { nullable: true }) text_ciphertext!: Buffer | null;
}

/** Packs of one lot in an order (orders/orders/order-lots.ts). */
@Entity('order_lots')
@Index('order_lots_lot', ['org_id', 'lot', 'order_id'])
export class OrderLotEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_lots_pkey' }) order_id!: string;
  /** The version of the order that wrote it. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'order_lots_pkey' }) sequence!: number;
  /** Place in the list. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'order_lots_pkey' }) number!: number;
  @Column('uuid') org_id!: string;
  /** That of the product in that version; null where the order no longer had it. */
  @Column('integer', { nullable: true }) line!: number | null;
  @Column('text', { nullable: true }) p1_id!: string | null;
  @Column('text', { nullable: true }) name!: string | null;
  /** As lotOf (libs/codes) writes it. */
  @Column('text') lot!: string;
  @Column('date', { nullable: true }) expires_on!: string | null;
  @Column('text', { nullable: true }) test_number!: string | null;
  @Column('integer') quantity!: number;
  /** When the customer was informed of the lot's recall. */
  @Column('timestamptz', { nullable: true }) told_at!: Date | null;
}

/** A lot that no order takes. A row is deleted when the hold is lifted; the audit log keeps both. */
@Entity('lot_holds')
@Unique('lot_holds_lot', ['org_id', 'lot', 'p1_id'])
export class LotHoldEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'lot_holds_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') p1_id!: string;
  @Column('text') lot!: string;
  @Column('text') reason!: string;
  /** The actor as in the audit log. */
  @Column('text') held_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) held_at!: Date;
}

export const entities = [
  Organization,
  ShopRow,
  ApiKeyEntity,
  OrderEntity,
  OrderWordsEntity,
  RowCountDeltaEntity,
  RowCountEntity,
  OrderHistoryEntity,
  OrderNoteEntity,
  OrderLotEntity,
  LotHoldEntity,
  DocumentEntity,
  LooseObjectEntity,
  DataKeyEntity,
  AuditEntity,
  AuditCheckpointRow,
  StockClaimEntity,
  ...requestEntities,
  ...reportEntities,
  ...peopleEntities,
  OutboxRow,
  SetAsideRow,
  IdempotencyKeyRow,
];
