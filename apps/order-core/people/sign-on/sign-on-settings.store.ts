import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, rowOf } from '@offizin/pg/queries';
import { joinPerson } from '../../audit/audit.store';
import type { SignOnProviderEntity } from '../../db/people-entities';

/** Null without a provider, or when the organization is switched off. */
export const findProvider = rowOf<StoredProvider, [orgId: string]>(
  'sign_on_provider_find',
  `SELECT o.org_id, o.issuer, o.client_id, o.client_secret, o.version, coalesce(person.name, o.changed_by) AS by,
          o.changed_at AS at
   FROM core.sign_on_providers o JOIN core.organizations g ON g.id = o.org_id AND g.is_active
     ${joinPerson('o', 'changed_by')}
   WHERE o.org_id = $1`,
);
/** Writes nothing when the stored version differs from `$version`; without a row it is 0. Null keeps the secret of `$issuer`. */
const save = statement<Pick<SignOnProviderEntity, 'version'>, NewProvider & { orgId: string }>(
  'sign_on_provider_save',
  `WITH updated AS (
     UPDATE core.sign_on_providers SET issuer = $issuer, client_id = $clientId,
       client_secret = coalesce($secret, client_secret), version = version + 1, changed_by = $changedBy, changed_at = now()
     WHERE org_id = $orgId AND version = $version AND ($secret::bytea IS NOT NULL OR issuer = $issuer) RETURNING version
   ), inserted AS (
     INSERT INTO core.sign_on_providers (org_id, issuer, client_id, client_secret, version, changed_by)
     SELECT $orgId, $issuer, $clientId, $secret::bytea, 1, $changedBy WHERE $version = 0 AND $secret::bytea IS NOT NULL
     ON CONFLICT ON CONSTRAINT sign_on_providers_pkey DO NOTHING RETURNING version
   )
   SELECT version FROM updated UNION ALL SELECT version FROM inserted`,
);
/** False without one. */
export const removeProvider = isHitOf<[orgId: string]>(
  'sign_on_provider_remove',
  `DELETE FROM core.sign_on_providers WHERE org_id = $1 RETURNING org_id`,
);

export type StoredProvider = Pick<
  SignOnProviderEntity,
  'org_id' | 'issuer' | 'client_id' | 'client_secret' | 'version'
> & { by: string; at: SignOnProviderEntity['changed_at'] };

export interface NewProvider {
  version: number;
  issuer: string;
  clientId: string;
  /** Null keeps the stored one. */
  secret: Buffer | null;
  changedBy: string;
}

/** False when the stored version is another. */
export async function saveProvider(tx: Sql, orgId: string, given: NewProvider): Promise<boolean> {
  return (await tx.rows(save, { ...given, orgId })).length === 1;
}
