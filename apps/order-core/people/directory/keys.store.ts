import {
  type ApiKeyListQuery,
  type ApiKeyListResponse,
  type ApiKeyRow,
  ENDED_KEY_DAYS,
  type KeyUse,
  MAX_LIVE_KEYS,
} from '@offizin/contracts/people/directory';
import type { Scope } from '@offizin/contracts/people/scopes';
import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, withIsoTimes } from '@offizin/pg/queries';
import { isId } from '@offizin/pg/ids';
import { decodeCursor, filteredName, nextCursor } from '@offizin/operations/cursor-pages';
import type { ApiKeyEntity } from '../../db/entities';

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
const useKeyRows = statement<Pick<ApiKeyEntity, 'id'>, [string[], string[]]>(
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

type KeyRow = Pick<ApiKeyEntity, keyof ApiKeyRow>;

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
