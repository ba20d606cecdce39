import { type Sql, statement } from '@offizin/pg/database';
import { valueOf } from '@offizin/pg/queries';
import type { ApiKeyEntity } from '../../db/entities';

/**
 * An integration is an integration key with the keys that replaced it in rotations. Its id is that of the first key, so
 * requests and callbacks outlive a rotation.
 */
const LIVE = `k.kind = 'int' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;

/** Null when the key has ended. */
export const integrationOfLiveKey = valueOf<string | null, [orgId: string, keyId: string]>(
  'integration_of_live_key',
  `SELECT coalesce(k.first_key_id, k.id) AS id FROM core.api_keys k
   WHERE k.org_id = $1 AND k.id = $2 AND ${LIVE}`,
  null,
);
/** Null when the key has ended. */
export const mayReadAssortment = valueOf<
  ApiKeyEntity['reads_assortment'] | null,
  [orgId: string, keyId: string]
>(
  'integration_reads_assortment',
  `SELECT k.reads_assortment FROM core.api_keys k WHERE k.org_id = $1 AND k.id = $2 AND ${LIVE}`,
  null,
);
const live = statement<Pick<ApiKeyEntity, 'id'>, [string, string, string]>(
  'integration_live',
  `SELECT k.id FROM core.api_keys k
   WHERE k.org_id = $1 AND coalesce(k.first_key_id, k.id) = $2 AND (k.shop_id IS NULL OR k.shop_id = $3) AND ${LIVE}
   LIMIT 1`,
);

/** SQL: the integration of a caller's key; null for any other key, and for none. */
export function integrationOf(keyId: string): string {
  return `(SELECT coalesce(k.first_key_id, k.id) FROM core.api_keys k WHERE k.id = ${keyId} AND k.kind = 'int')`;
}

/** SQL: whom the request belongs to: the integration that handed it in, else the organization. */
export function senderOf(request: string): string {
  return `coalesce(${request}.integration_id, ${request}.org_id)`;
}

/** SQL: the name of the integration that handed the request in; null for the organization. */
export function integrationName(request: string): string {
  return `(SELECT k.name FROM core.api_keys k WHERE k.id = ${request}.integration_id)`;
}

/** SQL: the request `r` belongs to the integration of this key; for any other key, and for none, to the organization. */
export function isOf(keyId: string): string {
  return `${senderOf('r')} = coalesce(${integrationOf(keyId)}, r.org_id)`;
}

/** Whether one of its keys may still use the shop. */
export async function isIntegrationLive(
  sql: Sql,
  orgId: string,
  { integrationId, shopId }: { integrationId: string; shopId: string },
): Promise<boolean> {
  return (await sql.rows(live, orgId, integrationId, shopId)).length === 1;
}
