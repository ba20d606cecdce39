import { MAX_SHOPS } from '@offizin/contracts/products/products';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, isHitOf, type Timed, withIsoTimes } from '@offizin/pg/queries';
import { isId } from '@offizin/pg/ids';
import type { OrganizationRow, OrganizationsResponse } from '@offizin/contracts/people/organizations';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import type { ShopRow } from '../../db/entities';

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
  Pick<ShopRow, 'id'>,
  { id: string; orgId: string; name: string; domain: string; isTest: boolean }
>(
  'shop_insert',
  `INSERT INTO core.shops (id, org_id, name, domain, is_test) SELECT $id, $orgId, $name, $domain, $isTest
   WHERE (SELECT count(*) FROM core.shops WHERE org_id = $orgId) < ${MAX_SHOPS} RETURNING id`,
);
/** True when the host name is below the domain of a shop of the organization. */
export const isBelowOwnDomain = isHitOf<[orgId: string, domain: string]>(
  'shop_above',
  `SELECT id FROM core.shops WHERE org_id = $1 AND right($2, length(domain) + 1) = '.' || domain LIMIT 1`,
);
const listShopNames = statement<Pick<ShopRow, 'id' | 'name'>, [string]>(
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

/** Names by id, for a file. */
export async function shopNames(sql: Sql, orgId: string): Promise<Map<string, string>> {
  return new Map((await sql.rows(listShopNames, orgId)).map(({ id, name }) => [id, name]));
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
