import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Role } from '@offizin/contracts/roles';
import type { LinkKind } from '@offizin/contracts/sessions';

/** The people of an organization who use the console. */
@Entity('staff')
@Index('staff_org', ['org_id'])
@Unique('staff_email', ['email'])
@Check('staff_email_lower', 'email = lower(email)')
export class StaffEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'staff_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Lower case; unique on the platform. */
  @Column('text') email!: string;
  @Column('text') name!: string;
  @Column('text') role!: Role;
  /** Argon2id with its parameters; null until the person has joined. */
  @Column('text', { nullable: true }) password_hash!: string | null;
  @Column('boolean', { default: true }) is_active!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  /** Last sign-in. */
  @Column('timestamptz', { nullable: true }) last_seen_at!: Date | null;
  @Column('text', { default: 'de' }) language!: string;
  @Column('text', { default: 'Europe/Berlin' }) time_zone!: string;
  @Column('text', { default: 'system' }) theme!: string;
  @Column('integer', { default: 5 }) undo_seconds!: number;
  @Column('text', { default: 'on' }) single_keys!: string;
  /** Of the table of orders; empty: the usual ones. */
  @Column('text', { array: true, default: [] }) order_columns!: string[];
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
  @Column('text', { default: 'password' }) made_by!: string;
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

export const staffEntities = [StaffEntity, StaffSessionEntity, StaffLinkEntity, StaffLockoutEntity];
