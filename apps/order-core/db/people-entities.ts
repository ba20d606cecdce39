import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Role } from '@offizin/contracts/people/roles';
import type { LinkKind, Preferences, SignedInBy } from '@offizin/contracts/people/sessions';
import type { OrderColumn, ViewQuery, ViewScreen } from '@offizin/contracts/console/views';

/** The people of an organization who use the console. */
@Entity('staff')
@Index('staff_org', ['org_id'])
@Unique('staff_email', ['email', 'org_id'])
@Check('staff_email_lower', 'email = lower(email)')
export class StaffEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Lower case; unique in the organization. */
  @Column('text') email!: string;
  @Column('text') name!: string;
  @Column('text') role!: Role;
  /** Argon2id with its parameters; null until the person has joined. */
  @Column('text', { nullable: true }) password_hash!: string | null;
  @Column('boolean', { default: true }) is_active!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  /** Last sign-in. */
  @Column('timestamptz', { nullable: true }) last_seen_at!: Date | null;
  @Column('text', { default: 'de' }) language!: Preferences['language'];
  @Column('text', { default: 'Europe/Berlin' }) time_zone!: string;
  @Column('text', { default: 'system' }) theme!: Preferences['theme'];
  @Column('integer', { default: 5 }) undo_seconds!: number;
  @Column('text', { default: 'on' }) single_keys!: Preferences['single_keys'];
  /** Of the table of orders; empty: the usual ones. */
  @Column('text', { array: true, default: [] }) order_columns!: OrderColumn[];
  @Column('boolean', { default: false }) hides_first_steps!: boolean;
}

@Entity('staff_sessions')
@Index('staff_sessions_staff', ['staff_id'])
@Unique('staff_sessions_hash', ['hash'])
export class StaffSessionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_sessions_pkey' }) id!: string;
  @Column('uuid') staff_id!: string;
  @Column('uuid') org_id!: string;
  /** Hex SHA-256 of the token; the token itself is never stored. */
  @Column('text') hash!: string;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) last_used_at!: Date;
  /** When the password was last confirmed; signing in confirms it. */
  @Column('timestamptz', { default: () => 'now()' }) confirmed_at!: Date;
  /** How the person signed in: password (also a link), passkey or provider. */
  @Column('text', { default: 'password' }) made_by!: SignedInBy;
  @Column('timestamptz') ends_at!: Date;
  /** Of SESSION_IDLE_MINUTES at the sign-in. */
  @Column('integer') idle_seconds!: number;
  /** Set by sign-out, revocation, and changes of role or password. */
  @Column('timestamptz', { nullable: true }) ended_at!: Date | null;
}

/** At most one link per person: a new one replaces the earlier one, and its use deletes it. */
@Entity('staff_links')
@Unique('staff_links_hash', ['hash'])
export class StaffLinkEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_links_pkey' }) staff_id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') kind!: LinkKind;
  /** Hex SHA-256 of the token. */
  @Column('text') hash!: string;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}

/** Wrong passwords per e-mail since the last right one. */
@Entity('staff_lockouts')
export class StaffLockoutEntity {
  /** Hex SHA-256 of the lower-case e-mail. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'staff_lockouts_pkey' }) email_hash!: string;
  @Column('integer') failures!: number;
  @Column('timestamptz', { default: () => 'now()' }) failed_at!: Date;
  @Column('timestamptz', { nullable: true }) locked_until!: Date | null;
}

/** The app that makes a person's codes. */
@Entity('staff_totp')
export class StaffTotpEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_totp_pkey' }) staff_id!: string;
  @Column('uuid') org_id!: string;
  /** Encrypted under the data key of the organization, with the person's id as additional data. */
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
  /** As in `StaffTotpEntity`. */
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

/** The provider at which people of an organization sign in; at most one. */
@Entity('sign_on_providers')
export class SignOnProviderEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sign_on_providers_pkey' }) org_id!: string;
  @Column('text') issuer!: string;
  @Column('text') client_id!: string;
  /** Encrypted under the data key of the organization, with its id as additional data. */
  @Column('bytea') client_secret!: Buffer;
  @Column('integer') version!: number;
  @Column('text') changed_by!: string;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}

/** A sign-on whose browser is at the provider. */
@Entity('staff_sign_ons')
export class StaffSignOnEntity {
  /** Hex SHA-256 of the token in the browser's cookie; state, nonce and verifier are made from that token. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'staff_sign_ons_pkey' }) hash!: string;
  @Column('uuid') org_id!: string;
  @Column('text') issuer!: string;
  @Column('text') client_id!: string;
  @Column('text') return_to!: string;
  @Column('timestamptz') expires_at!: Date;
}

/** Filter, sort and columns of one list of the console, under a name. */
@Entity('saved_views')
@Index('saved_views_own', { synchronize: false })
@Index('saved_views_shared', { synchronize: false })
export class SavedViewEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'saved_views_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Whose it is; null: shared with the organization. */
  @Column('uuid', { nullable: true }) staff_id!: string | null;
  @Column('text') screen!: ViewScreen;
  /** Unique per screen without regard to case (umlauts, too), among the views of the person or the shared ones. */
  @Column('text') name!: string;
  @Column('jsonb') query!: ViewQuery;
  /** Empty: the usual ones. */
  @Column('text', { array: true }) columns!: OrderColumn[];
  /** Rises by one with every change: ETag. */
  @Column('integer', { default: 1 }) version!: number;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}

export const peopleEntities = [
  StaffEntity,
  StaffSessionEntity,
  StaffLinkEntity,
  StaffLockoutEntity,
  StaffTotpEntity,
  StaffTotpSetUpEntity,
  StaffRecoveryCodeEntity,
  StaffPasskeyEntity,
  StaffSignInEntity,
  StaffChallengeEntity,
  SignOnProviderEntity,
  StaffSignOnEntity,
  SavedViewEntity,
];
