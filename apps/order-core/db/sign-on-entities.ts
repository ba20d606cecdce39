import { Column, Entity, PrimaryColumn } from 'typeorm';

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

export const signOnEntities = [SignOnProviderEntity, StaffSignOnEntity];
