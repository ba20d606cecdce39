import {
  type ApiKeyListQuery,
  type ApiKeyListResponse,
  type ApiKeyRow,
  ENDED_KEY_DAYS,
  type KeyUse,
  MAX_LIVE_KEYS,
} from '@offizin/contracts/people/directory';
import { MAX_SHOPS } from '@offizin/contracts/products/products';
import { CONFIRMED_MINUTES } from '@offizin/contracts/calls/confirmation';
import { notFound } from '@offizin/contracts/calls/errors';
import type { Scope } from '@offizin/contracts/people/scopes';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, isHitOf, type Timed, withIsoTimes } from '@offizin/pg/queries';
import { isId } from '@offizin/pg/ids';
import { decodeCursor, filteredName, nextCursor } from '@offizin/operations/cursor-pages';
import type { OrganizationRow, OrganizationsResponse } from '@offizin/contracts/people/organizations';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';

export const insertOrganization = changeOf<[orgId: string, name: string]>(
  'organization_insert',
  `INSERT INTO core.organizations (id, name) VALUES ($1, $2)`,
);
/** Locks the organization for a change of its shops or keys; false when it is missing or inactive. */
export const lockOrganization = isHitOf<[orgId: string]>(
  'organization_lock',
  `SELECT id FROM core.organizations WHERE id = $1 AND is_active FOR UPDATE`,
);
const insertShopRow = statement<
  { id: string },
  { id: string; orgId: string; name: string; domain: string; isTest: boolean }
>(
  'shop_insert',
  `INSERT INTO core.shops (id, org_id, name, domain, is_test) SELECT $id, $orgId, $name, $domain, $isTest
   WHERE (SELECT count(*) FROM core.shops WHERE org_id = $orgId) < ${MAX_SHOPS} RETURNING id`,
);
const findParentShop = statement<{ id: string }, [string, string]>(
  'shop_above',
  `SELECT id FROM core.shops WHERE org_id = $1 AND right($2, length(domain) + 1) = '.' || domain LIMIT 1`,
);
const listShopNames = statement<{ id: string; name: string }, [string]>(
  'shop_names',
  `SELECT id, name FROM core.shops WHERE org_id = $1`,
);
const shopExists = isHitOf<[orgId: string, shopId: string]>(
  'shop_find',
  `SELECT id FROM core.shops WHERE org_id = $1 AND id = $2`,
);

/** Throws `Refused` (not_found) for a shop that the organization does not have; without a shop nothing is asked. */
export async function requireShop(sql: Sql, orgId: string, shopId: string | null | undefined): Promise<void> {
  if (shopId === null || shopId === undefined) return;
  if (!isId(shopId) || !(await shopExists(sql, orgId, shopId))) throw notFound('shop');
}

/** Listed by name: a statement prepared with `*` fails after a later version adds a column. */
const KEY_COLUMNS =
  'id, name, kind, scopes, shop_id, reads_assortment, created_at, expires_at, revoked_at, last_used_at, replaced_by';
const insertKeyRow = statement<
  KeyRow,
  NewKey & { orgId: string; most: number; replaces: string | null; readsAssortment: boolean }
>(
  'api_key_insert',
  `INSERT INTO core.api_keys (id, org_id, name, kind, hash, scopes, shop_id, expires_at, first_key_id, reads_assortment)
   SELECT $id, $orgId, $name, $kind, $hash, $scopes, $shopId, $expiresAt,
     (SELECT coalesce(old.first_key_id, old.id) FROM core.api_keys old WHERE old.id = $replaces), $readsAssortment
   WHERE (SELECT count(*) FROM core.api_keys k
          WHERE k.org_id = $orgId AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) < $most
   RETURNING ${KEY_COLUMNS}`,
);
/** Ids rise with the time of creation. */
const listKeyRows = statement<KeyRow, [string, string | null, boolean, number]>(
  'api_key_list',
  `SELECT ${KEY_COLUMNS} FROM core.api_keys
   WHERE org_id = $1 AND ($2::uuid IS NULL OR id > $2)
     AND ($3 OR least(revoked_at, expires_at) > now() - make_interval(days => ${ENDED_KEY_DAYS}) IS NOT FALSE)
   ORDER BY id LIMIT $4`,
);
export const revokeKey = isHitOf<[orgId: string, keyId: string]>(
  'api_key_revoke',
  `UPDATE core.api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE org_id = $1 AND id = $2 RETURNING id`,
);
const findRotatableKey = statement<
  KeyRow & { lifetime_ms: number | null; is_live: boolean },
  [string, string]
>(
  'api_key_rotatable',
  `SELECT ${KEY_COLUMNS}, extract(epoch FROM expires_at - created_at)::float8 * 1000 AS lifetime_ms,
          revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS is_live
   FROM core.api_keys WHERE org_id = $1 AND id = $2 FOR UPDATE`,
);
const replaceKeyRow = statement<never, [string, string, string, number]>(
  'api_key_replace',
  `UPDATE core.api_keys SET replaced_by = $3, expires_at = least(expires_at, now() + make_interval(secs => $4))
   WHERE org_id = $1 AND id = $2`,
);
const useKeyRows = statement<{ id: string }, [string[], string[]]>(
  'api_key_used',
  // Locked in sorted order to avoid deadlocks: two replicas may report the same keys in different orders.
  `WITH uses AS (
     SELECT id, least(max(at), now()) AS at FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, at) GROUP BY id
   ), locked AS MATERIALIZED (
     SELECT k.id, u.at FROM core.api_keys k JOIN uses u USING (id)
     WHERE k.last_used_at IS NULL OR k.last_used_at < u.at ORDER BY k.id FOR UPDATE OF k
   )
   UPDATE core.api_keys k SET last_used_at = l.at FROM locked l WHERE k.id = l.id RETURNING k.id`,
);
const liveSessions = (condition = ''): string => `
  SELECT session_id AS id, 'session.' || session_id AS key, row_to_json(r)::text AS record FROM (
    SELECT 'session' AS type, s.id AS session_id, s.staff_id, s.org_id, s.hash, p.role, s.ends_at,
           s.confirmed_at + make_interval(mins => ${CONFIRMED_MINUTES}) AS confirmed_until
    FROM core.staff_sessions s JOIN core.staff p ON p.id = s.staff_id
    WHERE s.ended_at IS NULL AND s.ends_at > now() AND core.session_is_live(s.id) ${condition}) r`;
/** `row_to_json` writes the same text as `JSON.stringify`: an older order-core compares the bucket with that. */
const RECORDS = `
  SELECT org_id AS id, 'organization.' || org_id AS key, row_to_json(r)::text AS record FROM (
    SELECT 'organization' AS type, id AS org_id, name, is_active FROM core.organizations) r
  UNION ALL
  SELECT shop_id, 'shop.' || shop_id, row_to_json(r)::text FROM (
    SELECT 'shop' AS type, id AS shop_id, org_id, name, domain, is_active, is_test FROM core.shops) r
  UNION ALL
  SELECT key_id, 'key.' || key_id, row_to_json(r)::text FROM (
    SELECT 'key' AS type, id AS key_id, org_id, hash, kind, shop_id, scopes, expires_at
    FROM core.api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) r
  UNION ALL ${liveSessions()}`;
/** As in bucket-content.ts. */
const PART = 'right(key, 2)';
const HASH = `('x' || left(encode(sha256(convert_to(key || ' ' || record, 'UTF8')), 'hex'), 16))::bit(64)::bigint`;
const recordRows = statement<{ key: string; record: string | null }, [string[], string[]]>(
  'directory_records',
  `SELECT key, record FROM (${RECORDS}) r WHERE id = ANY($1::uuid[])
   UNION ALL SELECT key, record FROM (${liveSessions('AND s.staff_id = ANY($2::uuid[])')}) r
   UNION ALL SELECT 'session.' || id, NULL FROM core.staff_sessions
     WHERE staff_id = ANY($2::uuid[]) AND ended_at > now() - interval '1 minute'`,
);
const sumRows = statement<{ part: string; sum: string }, [string[]]>(
  'directory_sums',
  `SELECT ${PART} AS part, bit_xor(${HASH})::text AS sum FROM (${RECORDS}) r
   WHERE left(${PART}, 1) = ANY($1::text[]) GROUP BY 1`,
);
/** Each statement hashes a quarter of the records, far below the time-out of statements. */
const QUARTERS = ['0123', '4567', '89ab', 'cdef'];
const hashRows = statement<{ key: string; hash: string }, [string[]]>(
  'directory_hashes',
  `SELECT key, ${HASH}::text AS hash FROM (${RECORDS}) r WHERE ${PART} = ANY($1::text[])`,
);
const lockProjection = statement<never, []>(
  'directory_lock',
  `SELECT pg_advisory_xact_lock(hashtext('directory'))`,
);

type KeyRow = Timed<ApiKeyRow, 'created_at' | 'expires_at' | 'revoked_at' | 'last_used_at'>;

export const TOO_MANY_SHOPS = `An organization has at most ${MAX_SHOPS} shops.`;

/**
 * Returns false when the organization has MAX_SHOPS; its lock makes the count exact. Throws a unique violation of
 * `shops_domain` when the domain is taken on the platform.
 */
export async function insertShop(
  tx: Sql,
  orgId: string,
  { id, name, domain, isTest = false }: { id: string; name: string; domain: string; isTest?: boolean },
): Promise<boolean> {
  return (await tx.rows(insertShopRow, { id, orgId, name, domain, isTest })).length === 1;
}

/** True when the host name is below the domain of a shop of the organization. */
export async function isBelowOwnDomain(sql: Sql, orgId: string, domain: string): Promise<boolean> {
  return (await sql.rows(findParentShop, orgId, domain)).length === 1;
}

/** Names by id, for a file. */
export async function shopNames(sql: Sql, orgId: string): Promise<Map<string, string>> {
  return new Map((await sql.rows(listShopNames, orgId)).map(({ id, name }) => [id, name]));
}

export interface NewKey {
  id: string;
  name: string;
  kind: 'org' | 'int';
  hash: string;
  scopes: Scope[];
  shopId: string | null;
  /** Default: true. */
  readsAssortment?: boolean;
  expiresAt: string | null;
  /** The key that it replaces. */
  replaces?: string | null;
}

/** Returns null when the organization has MAX_LIVE_KEYS; its lock makes the count exact. */
export async function insertKey(tx: Sql, orgId: string, key: NewKey): Promise<ApiKeyRow | null> {
  const { replaces = null, readsAssortment = true } = key;
  const [row] = await tx.rows(insertKeyRow, {
    ...key,
    orgId,
    most: MAX_LIVE_KEYS,
    replaces,
    readsAssortment,
  });
  return row ? withIsoTimes(row) : null;
}

/** Oldest first. Throws `Refused` for a cursor of another list. */
export async function listKeys(sql: Sql, orgId: string, query: ApiKeyListQuery): Promise<ApiKeyListResponse> {
  const { limit, cursor, include_revoked: all } = query;
  const list = { name: filteredName('api-keys', query), keyOf: ({ id }: { id: string }) => id };
  const after = cursor === undefined ? null : decodeCursor(list.name, cursor, isId);
  const rows = await sql.rows(listKeyRows, orgId, after, all, limit + 1);
  const data = rows.slice(0, limit).map((row) => withIsoTimes(row));
  return { data, pagination: { limit, next_cursor: nextCursor(list, data, rows.length > limit) } };
}

export interface RotatableKey {
  key: ApiKeyRow;
  isLive: boolean;
  /** From creation to expiry; null for a key that does not expire. */
  lifetimeMs: number | null;
}

/** Locks the key; null when the organization has no such key. */
export async function findRotatable(tx: Sql, orgId: string, keyId: string): Promise<RotatableKey | null> {
  const [row] = await tx.rows(findRotatableKey, orgId, keyId);
  if (!row) return null;
  const { is_live: isLive, lifetime_ms: lifetimeMs, ...key } = row;
  return { key: withIsoTimes(key), isLive, lifetimeMs };
}

/** Lets the old key expire within `overlapSeconds`. */
export async function replaceKey(
  tx: Sql,
  orgId: string,
  keyId: string,
  by: { newKeyId: string; overlapSeconds: number },
): Promise<void> {
  await tx.rows(replaceKeyRow, orgId, keyId, by.newKeyId, by.overlapSeconds);
}

/** Moves the last use of keys forward, in any organization; returns the number of changed keys. Ids must be UUIDs. */
export async function saveKeyUses(sql: Sql, uses: readonly KeyUse[]): Promise<number> {
  const ids = uses.map(({ key_id }) => key_id);
  const times = uses.map(({ at }) => at);
  return (await sql.rows(useKeyRows, ids, times)).length;
}

/** Names a record by its key in the bucket; `staff.<id>` names all sessions of a person. */
export type ChangedRecord = `${'organization' | 'shop' | 'key' | 'session' | 'staff'}.${string}`;

/**
 * Records as the bucket should hold them, by key: null where it should hold none. For a person: the live sessions
 * and those that have just ended. Takes the projection's lock, so that an older record never overwrites a newer one.
 */
export async function readRecords(tx: Sql, keys: readonly string[]): Promise<Map<string, string | null>> {
  await tx.rows(lockProjection);
  const idsOf = (some: string[]): string[] =>
    some.map((key) => key.slice(key.indexOf('.') + 1)).filter((id) => isId(id));
  const people = keys.filter((key) => key.startsWith('staff.'));
  const named = keys.filter((key) => !key.startsWith('staff.'));
  const rows = await tx.rows(recordRows, idsOf(named), idsOf(people));
  const records = new Map<string, string | null>(named.map((key) => [key, null]));
  for (const { key, record } of rows) records.set(key, record);
  return records;
}

/** By part of the bucket. */
export async function readSums(sql: Sql): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const digits of QUARTERS)
    for (const { part, sum } of await sql.rows(sumRows, [...digits])) sums.set(part, sum);
  return sums;
}

/** By key, of all records of these parts. */
export async function readHashes(sql: Sql, parts: readonly string[]): Promise<Map<string, string>> {
  return new Map((await sql.rows(hashRows, [...parts])).map(({ key, hash }) => [key, hash]));
}

/** Ids rise with the time of creation. */
const listOrganizationRows = statement<
  Timed<OrganizationRow, 'created_at'>,
  [string | null, string | null, number]
>(
  'organization_list',
  `SELECT o.id AS org_id, o.name, o.is_active,
     (SELECT count(*)::int FROM core.shops s WHERE s.org_id = o.id) AS shops,
     (SELECT count(*)::int FROM core.api_keys k
      WHERE k.org_id = o.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) AS live_keys,
     o.created_at
   FROM core.organizations o
   WHERE ($1::uuid IS NULL OR o.id = $1) AND ($2::uuid IS NULL OR o.id > $2)
   ORDER BY o.id LIMIT $3`,
);

/** Both ids must be UUIDs. */
export async function listOrganizationsAfter(
  sql: Sql,
  { org_id: id = null, after = null }: { org_id?: string | null; after?: string | null },
  limit = MAX_PAGE_SIZE,
): Promise<OrganizationsResponse> {
  const rows = await sql.rows(listOrganizationRows, id, after, limit + 1);
  const data = rows.slice(0, limit).map((row) => withIsoTimes(row));
  return { data, next: rows.length > limit ? (data.at(-1)?.org_id ?? null) : null };
}
