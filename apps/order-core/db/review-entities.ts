import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What staff has checked on the prescription of one version of a request. */
@Entity('review_marks')
export class ReviewMarksEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_marks_pkey' }) order_request_id!: string;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'review_marks_pkey' }) version!: number;
  @Column('uuid') org_id!: string;
  @Column('date', { nullable: true }) issued_on!: string | null;
  @Column('boolean', { default: false }) signature_seen!: boolean;
  @Column('boolean', { default: false }) prescriber_checked!: boolean;
  @Column('boolean', { default: false }) dose_plausible!: boolean;
  @Column('bytea', { nullable: true }) note_ciphertext!: Buffer | null;
  /** The actor as in the audit log. */
  @Column('text') changed_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}

/** How an organization reviews. No row: the defaults. */
@Entity('review_settings')
export class ReviewSettingsEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_settings_pkey' }) org_id!: string;
  @Column('integer') version!: number;
  @Column('text', { array: true }) marks!: string[];
  @Column('boolean') marks_only_for_thc!: boolean;
  @Column('integer') amber_days!: number;
  @Column('integer') red_days!: number;
  @Column('jsonb') templates!: unknown;
  /** Which requests two people approve. */
  @Column('text', { default: 'off' }) four_eyes!: string;
  @Column('text', { array: true, default: [] }) four_eyes_categories!: string[];
  /** The actor as in the audit log. */
  @Column('text') changed_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}

/** The last audited look of a session at a prescription; rows are deleted once the next look is audited again. */
@Entity('review_views')
@Index('review_views_viewed', ['viewed_at'])
export class ReviewViewEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'review_views_pkey' }) session_id!: string;
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'review_views_pkey' }) order_request_id!: string;
  @Column('timestamptz', { default: () => 'now()' }) viewed_at!: Date;
}

export const reviewEntities = [ReviewMarksEntity, ReviewSettingsEntity, ReviewViewEntity];
