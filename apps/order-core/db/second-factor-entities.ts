import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** The app that makes a person's codes. */
@Entity('staff_totp')
export class StaffTotpEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_totp_pkey' }) staff_id!: string;
  @Column('uuid') org_id!: string;
  /** Encrypted under the data key of the organization. */
  @Column('bytea') secret!: Buffer;
  /** Of the last accepted code: no code of this or an earlier step counts again. */
  @Column('integer', { default: 0 }) last_step!: number;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  /** Null in rows that an older version began: they do not count. */
  @Column('timestamptz', { nullable: true }) confirmed_at!: Date | null;
}

/** A new app, until its first code. */
@Entity('staff_totp_set_ups')
export class StaffTotpSetUpEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_totp_set_ups_pkey' }) staff_id!: string;
  @Column('uuid') org_id!: string;
  /** Encrypted under the data key of the organization. */
  @Column('bytea') secret!: Buffer;
  /** Keyed hashes, as of `StaffRecoveryCodeEntity`. */
  @Column('bytea', { array: true }) recovery_hashes!: Buffer[];
}

/** The codes that are left; a used one is deleted. */
@Entity('staff_recovery_codes')
export class StaffRecoveryCodeEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_recovery_codes_pkey' }) staff_id!: string;
  /** Keyed hash under the data key of the organization. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'staff_recovery_codes_pkey' }) hash!: Buffer;
}

@Entity('staff_passkeys')
@Index('staff_passkeys_staff', ['staff_id'])
@Unique('staff_passkeys_credential', ['credential_id'])
export class StaffPasskeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_passkeys_pkey' }) id!: string;
  @Column('uuid') staff_id!: string;
  @Column('uuid') org_id!: string;
  /** Base64url, as the browser names it. */
  @Column('text') credential_id!: string;
  @Column('bytea') public_key!: Buffer;
  /** As the authenticator last reported it; 0 from those that do not count. */
  @Column('bigint') sign_count!: string;
  @Column('text', { array: true }) transports!: string[];
  @Column('text') name!: string;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { nullable: true }) last_used_at!: Date | null;
}

/** A sign-in whose password or link was right and that waits for the second factor. */
@Entity('staff_sign_ins')
@Index('staff_sign_ins_staff', ['staff_id'])
export class StaffSignInEntity {
  /** Hex SHA-256 of the token. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'staff_sign_ins_pkey' }) hash!: string;
  @Column('uuid') staff_id!: string;
  @Column('uuid') org_id!: string;
  @Column('timestamptz') expires_at!: Date;
}

/** What a passkey has to sign; at most one per owner and purpose. */
@Entity('staff_challenges')
export class StaffChallengeEntity {
  /** A session, or a sign-in by the hash of its token. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'staff_challenges_pkey' }) owner!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'staff_challenges_pkey' }) purpose!: string;
  @Column('text') challenge!: string;
  @Column('timestamptz') expires_at!: Date;
}

export const secondFactorEntities = [
  StaffTotpEntity,
  StaffTotpSetUpEntity,
  StaffRecoveryCodeEntity,
  StaffPasskeyEntity,
  StaffSignInEntity,
  StaffChallengeEntity,
];
