import type { LinkKind } from '@offizin/contracts/people/sessions';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf } from '@offizin/pg/queries';
import type { Organization } from '../../db/entities';
import type { StaffEntity, StaffLinkEntity } from '../../db/people-entities';
import { hashToken, newToken } from './session-token';

/** See docs/contract.md#people */
const HOURS: Record<LinkKind, number> = { invitation: 72, reset: 1 };

const put = statement<
  Pick<StaffLinkEntity, 'expires_at'>,
  { staffId: string; orgId: string; kind: LinkKind; hash: string; hours: number }
>(
  'link_put',
  `INSERT INTO core.staff_links (staff_id, org_id, kind, hash, expires_at)
   VALUES ($staffId, $orgId, $kind, $hash, now() + make_interval(hours => $hours))
   ON CONFLICT (staff_id) DO UPDATE
     SET kind = excluded.kind, hash = excluded.hash, created_at = now(), expires_at = excluded.expires_at
   RETURNING expires_at`,
);
const find = statement<FoundLink, [string]>(
  'link_find',
  `SELECT l.staff_id, l.org_id, l.kind, p.email, p.name, g.name AS org_name
   FROM core.staff_links l JOIN core.staff p ON p.id = l.staff_id AND p.is_active
     JOIN core.organizations g ON g.id = l.org_id AND g.is_active
   WHERE l.hash = $1 AND l.expires_at > now()`,
);
const take = statement<Pick<StaffLinkEntity, 'staff_id'>, [string]>(
  'link_take',
  `DELETE FROM core.staff_links WHERE hash = $1 AND expires_at > now() RETURNING staff_id`,
);
export const dropLink = changeOf<[staffId: string]>(
  'link_drop',
  `DELETE FROM core.staff_links WHERE staff_id = $1`,
);

export type FoundLink = Pick<StaffLinkEntity, 'staff_id' | 'org_id' | 'kind'> &
  Pick<StaffEntity, 'email' | 'name'> & { org_name: Organization['name'] };

/** Replaces the earlier link of the person. The token is shown once. */
export async function makeLink(
  tx: Sql,
  person: { id: string; org_id: string },
  kind: LinkKind,
): Promise<{ token: string; expiresAt: string }> {
  const token = newToken();
  const [row] = await tx.rows(put, {
    staffId: person.id,
    orgId: person.org_id,
    kind,
    hash: hashToken(token),
    hours: HOURS[kind],
  });
  if (!row) throw new Error('an upserted link has a row');
  return { token, expiresAt: row.expires_at.toISOString() };
}

/** Null when it is unknown, used or over, or person or organization is switched off. */
export async function findLink(sql: Sql, token: string): Promise<FoundLink | null> {
  return (await sql.rows(find, hashToken(token)))[0] ?? null;
}

/** Uses the link up; of racing calls one gets true. */
export async function takeLink(tx: Sql, token: string): Promise<boolean> {
  return (await tx.rows(take, hashToken(token))).length === 1;
}
