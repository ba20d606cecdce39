import type { OrganizationsResponse } from '@offizin/contracts/organizations';
import { MAX_PAGE_SIZE } from '@offizin/contracts/paging';
import { type Sql, statement } from '@offizin/pg/database';

interface Row {
  id: string;
  name: string;
  is_active: boolean;
  shops: number;
  live_keys: number;
  created_at: Date;
}

/** Ids rise with the time of creation. */
const listOrganizationRows = statement<Row, [string | null, string | null, number]>(
  'organization_list',
  `SELECT o.id, o.name, o.is_active, o.created_at,
     (SELECT count(*)::int FROM core.shops s WHERE s.org_id = o.id) AS shops,
     (SELECT count(*)::int FROM core.api_keys k
      WHERE k.org_id = o.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) AS live_keys
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
  const data = rows.slice(0, limit).map(({ id: org_id, created_at, ...row }) => ({
    org_id,
    ...row,
    created_at: created_at.toISOString(),
  }));
  return { data, next: rows.length > limit ? (data.at(-1)?.org_id ?? null) : null };
}
