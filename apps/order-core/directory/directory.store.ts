import type { ApiKeyRow } from '@offizin/contracts/directory';
import { Refused } from '@offizin/contracts/errors';
import type { Caller } from '@offizin/contracts/caller';
import type { Scope } from '@offizin/contracts/scopes';
import type { DirectoryRecord } from '@offizin/directory/records';
import { type Sql, statement } from '@offizin/pg/database';

/** At most so many live keys per organization. Source: decisions.md section 3. */
export const MAX_LIVE_KEYS = 50;

const insertOrganizationRow = statement<never, [string, string]>(
  'organization_insert',
  `INSERT INTO core.organizations (id, name) VALUES ($1, $2)`,
);
const lockOrganizationRow = statement<{ id: string }, [string]>(
  'organization_lock',
  `SELECT id FROM core.organizations WHERE id = $1 AND is_active FOR UPDATE`,
);
const insertShopRow = statement<never, [string, string, string, string]>(
  'shop_insert',
  `INSERT INTO core.shops (id, org_id, name, domain) VALUES ($1, $2, $3, $4)`,
);
const findShopRow = statement<{ id: string }, [string, string]>(
  'shop_find',
  `SELECT id FROM core.shops WHERE org_id = $1 AND id = $2`,
);
const insertKeyRow = statement<
  KeyRow,
  [string, string, string, string, string, Scope[], string | null, string | null, number]
>(
  'api_key_insert',
  `INSERT INTO core.api_keys (id, org_id, name, kind, hash, scopes, shop_id, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8
   WHERE (SELECT count(*) FROM core.api_keys k
          WHERE k.org_id = $2 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) < $9
   RETURNING *`,
);
const listKeyRows = statement<KeyRow, [string]>(
  'api_key_list',
  `SELECT * FROM core.api_keys WHERE org_id = $1 ORDER BY created_at, id`,
);
const revokeKeyRow = statement<{ id: string }, [string, string]>(
  'api_key_revoke',
  `UPDATE core.api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE org_id = $1 AND id = $2 RETURNING id`,
);
const liveKey = statement<{ id: string }, [string]>(
  'api_key_live',
  `SELECT id FROM core.api_keys WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);
const everything = statement<{ record: DirectoryRecord }, []>(
  'directory_everything',
  `SELECT json_build_object('type', 'organization', 'org_id', id, 'name', name, 'is_active', is_active) AS record
     FROM core.organizations
   UNION ALL
   SELECT json_build_object('type', 'shop', 'shop_id', id, 'org_id', org_id, 'name', name, 'domain', domain,
                            'is_active', is_active) FROM core.shops
   UNION ALL
   SELECT json_build_object('type', 'key', 'key_id', id, 'org_id', org_id, 'hash', hash, 'kind', kind,
                            'shop_id', shop_id, 'scopes', scopes, 'expires_at', expires_at)
     FROM core.api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);
const lockProjection = statement<never, []>(
  'directory_lock',
  `SELECT pg_advisory_xact_lock(hashtext('directory'))`,
);

interface KeyRow {
  id: string;
  org_id: string;
  name: string;
  kind: 'org' | 'int';
  scopes: Scope[];
  shop_id: string | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export async function insertOrganization(tx: Sql, orgId: string, name: string): Promise<void> {
  await tx.rows(insertOrganizationRow, orgId, name);
}

/** Locks the organization for a change below it; false when there is no such active one. */
export async function lockOrganization(tx: Sql, orgId: string): Promise<boolean> {
  return (await tx.rows(lockOrganizationRow, orgId)).length === 1;
}

/** Throws a unique violation of `shops_domain` when the domain is taken on the platform. */
export async function insertShop(
  tx: Sql,
  orgId: string,
  shop: { id: string; name: string; domain: string },
): Promise<void> {
  await tx.rows(insertShopRow, shop.id, orgId, shop.name, shop.domain);
}

export async function shopExists(sql: Sql, orgId: string, shopId: string): Promise<boolean> {
  return (await sql.rows(findShopRow, orgId, shopId)).length === 1;
}

export interface NewKey {
  id: string;
  name: string;
  kind: 'org' | 'int';
  hash: string;
  scopes: Scope[];
  shopId: string | null;
  expiresAt: string | null;
}

/** Null when the organization has MAX_LIVE_KEYS already; the organization's lock makes the count exact. */
export async function insertKey(tx: Sql, orgId: string, key: NewKey): Promise<ApiKeyRow | null> {
  const { id, name, kind, hash, scopes, shopId, expiresAt } = key;
  const [row] = await tx.rows(
    insertKeyRow,
    id,
    orgId,
    name,
    kind,
    hash,
    scopes,
    shopId,
    expiresAt,
    MAX_LIVE_KEYS,
  );
  return row ? toApiKeyRow(row) : null;
}

export async function listKeys(sql: Sql, orgId: string): Promise<ApiKeyRow[]> {
  return (await sql.rows(listKeyRows, orgId)).map(toApiKeyRow);
}

export async function revokeKey(tx: Sql, orgId: string, keyId: string): Promise<boolean> {
  return (await tx.rows(revokeKeyRow, orgId, keyId)).length === 1;
}

/**
 * Checks the caller's key once more, in the transaction of the write: an edge whose replica lags may have let a
 * revoked key in. Our own processes and the operator have no key. Throws `Refused` (unauthorized).
 */
export async function assertKeyIsLive(tx: Sql, caller: Caller): Promise<void> {
  if (caller.kind !== 'key' && caller.kind !== 'integration') return;
  if ((await tx.rows(liveKey, caller.actorId)).length === 1) return;
  throw new Refused('unauthorized', 'The API key is revoked or has expired.');
}

/** Everything that is projected. Takes the projection's lock, so that an older picture never overwrites a newer one. */
export async function readDirectory(tx: Sql): Promise<DirectoryRecord[]> {
  await tx.rows(lockProjection);
  return (await tx.rows(everything)).map((row) => row.record);
}

function toApiKeyRow(row: KeyRow): ApiKeyRow {
  const { id, name, kind, scopes, shop_id } = row;
  return {
    id,
    name,
    kind,
    scopes,
    shop_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
