import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { Metadata } from '@offizin/contracts/calls/metadata';
import type { OrderRequestStatus, RequestReason } from '@offizin/contracts/requests/order-requests';
import type { OfferState } from '@offizin/contracts/requests/partner-answer';
import type { DocumentKind } from '@offizin/contracts/requests/review';
import type { FourEyes, Mark, MessageTemplate } from '@offizin/contracts/requests/review-settings';

@Entity('order_requests')
@Index('order_requests_reference', { synchronize: false })
@Index('order_requests_approved_reference', { synchronize: false })
@Index('order_requests_org_created', ['org_id', 'created_at', 'id'])
@Index('order_requests_org_updated', ['org_id', 'updated_at', 'id'])
@Index('order_requests_org_shop_created', ['org_id', 'shop_id', 'created_at', 'id'])
@Index('order_requests_org_status_created', ['org_id', 'status', 'created_at', 'id'])
@Index('order_requests_decided', ['org_id', 'created_at', 'id'], {
  where: "status IN ('approved', 'rejected', 'expired', 'cancelled')",
})
@Index('order_requests_customer', ['org_id', 'customer_digest', 'created_at'])
@Index('order_requests_e_prescription', { synchronize: false })
@Index('order_requests_second_look', ['org_id', 'created_at', 'id'], {
  where: "status = 'pending' AND first_approved_by IS NOT NULL",
})
@Index('order_requests_first_email', ['org_id', 'first_approval_email_hash', 'id'], {
  where: 'first_approval_email_hash IS NOT NULL',
})
@Index('order_requests_parked', ['org_id', 'parked_until'], {
  where: "status = 'pending' AND parked_until IS NOT NULL",
})
@Index('order_requests_test_created', ['created_at'], { where: 'is_test' })
@Index('order_requests_own', ['shop_id', 'integration_id', 'status', 'updated_at', 'id'], {
  where: 'order_id IS NULL AND integration_id IS NOT NULL',
})
@Index('order_requests_test', ['updated_at'], { where: "is_test AND status = 'pending'" })
@Index('order_requests_open', ['created_at'], { where: "status IN ('pending', 'needs_clarification')" })
@Index('order_requests_offers', ['offer_valid_until'], { where: "offer_state = 'open'" })
export class OrderRequestEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_requests_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  @Column('text') source!: string;
  /** The integration that handed it in (api_keys.first_key_id); null when no integration key did. */
  @Column('uuid', { nullable: true }) integration_id!: string | null;
  @Column('text', { nullable: true }) external_reference!: string | null;
  @Column('text', { default: 'pending' }) status!: OrderRequestStatus;
  /** Approval attempt that may commit; raising it makes earlier ones void (see settle). */
  @Column('integer', { default: 0 }) attempt!: number;
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('text', { nullable: true }) customer_name!: string | null;
  @Column('numeric', { precision: 12, scale: 2 }) total_amount!: string;
  /** Keyed hashes by which the lines are searched (requests/intake/line-words.ts). */
  @Column('text', { default: '' }) line_words!: string;
  /** The lines in one text for the review list, encrypted: no plain column links a person to a medicine. */
  @Column('bytea', { nullable: true }) lines_ciphertext!: Buffer | null;
  @Column('integer', { default: 0 }) line_count!: number;
  @Column('text', { nullable: true }) shipping_option!: string | null;
  /** The partner's own values, by key. */
  @Column('jsonb', { default: {} }) metadata!: Metadata;
  /** The version that last sent each key of metadata; a missing key was sent by the first one. */
  @Column('jsonb', { default: {} }) metadata_versions!: Record<string, number>;
  /** The whole payload without document and access code, encrypted. */
  @Column('bytea') payload_ciphertext!: Buffer;
  /** SHA-256 over source and payload (document included) with sorted keys: detects repeats. */
  @Column('bytea') payload_digest!: Buffer;
  @Column('uuid', { nullable: true }) order_id!: string | null;
  @Column('text', { nullable: true }) reason!: RequestReason | null;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { nullable: true }) partner_message!: string | null;
  @Column('text', { nullable: true }) decided_by!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
  /** Rises when the sender replaces it or answers a question; order_request_versions holds the earlier versions. */
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
  /** What its sender reads of the corrections, encrypted; written by the approval alone. */
  @Column('bytea', { nullable: true }) answer_ciphertext!: Buffer | null;
  /** Lines that the pharmacist offered last, with what the sender said to them, encrypted. */
  @Column('bytea', { nullable: true }) offer_ciphertext!: Buffer | null;
  @Column('text', { nullable: true }) offer_state!: OfferState | null;
  /** The version that the offer is about; an accepted offer is about the version that it became. */
  @Column('integer', { nullable: true }) offer_version!: number | null;
  @Column('timestamptz', { nullable: true }) offer_valid_until!: Date | null;
  /** The token of the present version's e-prescription, encrypted; no query but that of its look reads it. */
  @Column('bytea', { nullable: true }) e_prescription_ciphertext!: Buffer | null;
  /** HMAC of its task id: identifies the e-prescription. */
  @Column('bytea', { nullable: true }) e_prescription_digest!: Buffer | null;
  /** Who made the first of two approvals; null without one. Kept when the second has followed. */
  @Column('uuid', { nullable: true }) first_approved_by!: string | null;
  @Column('timestamptz', { nullable: true }) first_approved_at!: Date | null;
  /** Hash of what was approved: only the same content is approved a second time. */
  @Column('bytea', { nullable: true }) first_approval_digest!: Buffer | null;
  /** Corrections, overridden checks and marks of the first approval, encrypted. */
  @Column('bytea', { nullable: true }) first_approval_ciphertext!: Buffer | null;
  /** HMAC of the e-mail to which it corrects, while the second one is missing. */
  @Column('bytea', { nullable: true }) first_approval_email_hash!: Buffer | null;
  /** The person who looks after it; anybody may decide it. */
  @Column('uuid', { nullable: true }) assigned_to!: string | null;
  /** Until then it is not among the open ones. */
  @Column('timestamptz', { nullable: true }) parked_until!: Date | null;
  /** True when an erasure deleted its prescription. */
  @Column('boolean', { default: false }) document_erased!: boolean;
  /** JSON text of the request's list item, written by a trigger. */
  @Column('text') summary!: string;
  /** Of its shop. */
  @Column('boolean', { default: false }) is_test!: boolean;
}

/** What `q` searches of a request, written by a trigger. */
@Entity('order_request_words')
@Index('order_request_words_words', { synchronize: false })
export class OrderRequestWordsEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_request_words_pkey' }) id!: string;
  @Column('tsvector') words!: string;
}

/** A payload that its sender replaced, as received. */
@Entity('order_request_versions')
@Index('order_request_versions_customer', ['org_id', 'customer_digest'])
@Index(
  'order_request_versions_e_prescription',
  ['org_id', 'e_prescription_digest', 'withdrawn_by', 'created_at', 'order_request_id'],
  { where: 'e_prescription_digest IS NOT NULL' },
)
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
  /** As in order_requests, for the e-prescription of this version: it stays used. */
  @Column('bytea', { nullable: true }) e_prescription_digest!: Buffer | null;
  /** As in documents. */
  @Column('uuid', { nullable: true }) withdrawn_by!: string | null;
}

/** A first submission that a test shop refused on purpose. */
@Entity('refused_trials')
@Index('refused_trials_refused', ['refused_at'])
export class RefusedTrialEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'refused_trials_pkey' }) shop_id!: string;
  /** The integration, else the organization. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'refused_trials_pkey' }) sender_id!: string;
  /** SHA-256 of the reference. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'refused_trials_pkey' }) reference_digest!: Buffer;
  @Column('timestamptz', { default: () => 'now()' }) refused_at!: Date;
}

/** A step of the certification that an integration has done at a test shop. */
@Entity('certified_steps')
export class CertifiedStepEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'certified_steps_pkey' }) shop_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'certified_steps_pkey' }) integration_id!: string;
  /** Its name in libs/contracts/requests/certification-steps.ts. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'certified_steps_pkey' }) step!: string;
  /** X-Request-Id of the call, or id of the delivery, that did it first. */
  @Column('text') request_id!: string;
  @Column('timestamptz', { default: () => 'now()' }) done_at!: Date;
}

/**
 * Prescriptions as submitted. Data that identifies the customer or a condition is encrypted with the organization's
 * data key. Searchable columns hold keyed hashes, so that no column links a person to a therapy.
 */
@Entity('prescriptions')
@Unique('prescriptions_shop_key', ['shop_id', 'upsert_key'])
@Index('prescriptions_org_created', ['org_id', 'created_at', 'id'])
@Index('prescriptions_org_updated', ['org_id', 'updated_at', 'id'])
@Index('prescriptions_customer', ['org_id', 'customer_email_hash'])
@Index('prescriptions_test_created', ['created_at'], { where: 'is_test' })
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
  /** As in order_requests. */
  @Column('bytea', { nullable: true }) e_prescription_ciphertext!: Buffer | null;
  @Column('integer', { default: 1 }) sequence!: number;
  @Column('timestamptz', { nullable: true }) erased_at!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) updated_at!: Date;
  /** Of its shop. */
  @Column('boolean', { default: false }) is_test!: boolean;
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
  /** Null for an erasure by id, once finished, and when only the hash is known and no order has the e-mail. */
  @Column('bytea', { nullable: true }) email_ciphertext!: Buffer | null;
  @Column('text') actor_kind!: Caller['kind'];
  @Column('text') actor_id!: string;
  @Column('text') request_id!: string;
  @Column('integer', { default: 0 }) orders!: number;
  @Column('integer', { default: 0 }) order_requests!: number;
  @Column('integer', { default: 0 }) prescriptions!: number;
  /** Number of its events `customer_erased`: the sequence of the last one. */
  @Column('integer', { default: 0 }) events!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { nullable: true }) finished_at!: Date | null;
  @Column('text', { nullable: true }) object_kind!: 'order' | 'order-request' | 'prescription' | null;
  @Column('uuid', { nullable: true }) object_id!: string | null;
  /** Time of the vacuum that followed the erasure. */
  @Column('timestamptz', { nullable: true }) vacuumed_at!: Date | null;
}

/** What one person has checked on the prescription of one version of a request. */
@Entity('review_marks')
export class ReviewMarksEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_marks_pkey' }) order_request_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'review_marks_pkey' }) version!: number;
  /** The actor as in the audit log. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'review_marks_pkey' }) marked_by!: string;
  @Column('uuid') org_id!: string;
  @Column('boolean', { default: false }) signature_seen!: boolean;
  @Column('boolean', { default: false }) prescriber_checked!: boolean;
  @Column('boolean', { default: false }) dose_plausible!: boolean;
  @Column('boolean', { default: false }) rest_not_needed!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}

/** What staff shares about one version of a request. */
@Entity('review_notes')
export class ReviewNotesEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_notes_pkey' }) order_request_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'review_notes_pkey' }) version!: number;
  @Column('uuid') org_id!: string;
  @Column('date', { nullable: true }) issued_on!: string | null;
  @Column('text', { nullable: true }) document_kind!: DocumentKind | null;
  @Column('bytea', { nullable: true }) note_ciphertext!: Buffer | null;
}

/** A tick of the day's check. */
@Entity('day_checks')
@Index('day_checks_checked', ['checked_at'])
export class DayCheckEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'day_checks_pkey' }) order_request_id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') checked_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) checked_at!: Date;
}

/** How an organization reviews. No row: the defaults. */
@Entity('review_settings')
export class ReviewSettingsEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_settings_pkey' }) org_id!: string;
  @Column('integer') version!: number;
  @Column('text', { array: true }) marks!: Mark[];
  @Column('boolean') marks_only_for_thc!: boolean;
  @Column('integer') amber_days!: number;
  @Column('integer') red_days!: number;
  @Column('jsonb') templates!: MessageTemplate[];
  /** Which requests two people approve. */
  @Column('text', { default: 'off' }) four_eyes!: FourEyes;
  @Column('text', { array: true, default: [] }) four_eyes_categories!: string[];
  /** The actor as in the audit log. */
  @Column('text') changed_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}

/** A prescriber whom a person of the organization has checked. */
@Entity('checked_prescribers')
export class CheckedPrescriberEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'checked_prescribers_pkey' }) org_id!: string;
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'checked_prescribers_pkey' }) identity!: Buffer;
  /** The actor as in the audit log. */
  @Column('text') checked_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) checked_at!: Date;
}

/** The last audited look of a session at a prescription; rows are deleted once the next look is audited again. */
@Entity('review_views')
@Index('review_views_viewed', ['viewed_at'])
export class ReviewViewEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'review_views_pkey' }) session_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_views_pkey' }) document_id!: string;
  @Column('timestamptz', { default: () => 'now()' }) viewed_at!: Date;
}

export const requestEntities = [
  OrderRequestEntity,
  OrderRequestWordsEntity,
  OrderRequestVersionEntity,
  RefusedTrialEntity,
  CertifiedStepEntity,
  PrescriptionEntity,
  AuditSealEntity,
  ErasureEntity,
  ReviewMarksEntity,
  ReviewNotesEntity,
  DayCheckEntity,
  ReviewSettingsEntity,
  CheckedPrescriberEntity,
  ReviewViewEntity,
];
