import type { AuditEntry, AuditLogQuery, AuditLogResponse } from '@offizin/contracts/audit';
import { invalid } from '@offizin/contracts/errors';
import { rowsToSkip } from '@offizin/contracts/paging';
import { type Sql, statement } from '@offizin/pg/database';

type Filters = [string, string | null, string | null, string | null, string | null, string | null];

const MATCHES = `org_id = $1 AND ($2::text IS NULL OR action = $2) AND ($3::text IS NULL OR object = $3)
   AND ($4::text IS NULL OR actor = $4) AND ($5::timestamptz IS NULL OR at >= $5)
   AND ($6::timestamptz IS NULL OR at < $6)`;

const list = statement<Row, [...Filters, string | null, number, number]>(
  'audit_list',
  `SELECT a.position::text AS position, at, actor, action, object, request_id FROM core.audit_log a
   WHERE ${MATCHES} AND ($7::bigint IS NULL OR a.position < $7)
   ORDER BY a.position DESC LIMIT $8 OFFSET $9`,
);
const total = statement<{ count: number }, Filters>(
  'audit_total',
  `SELECT count(*)::float8 AS count FROM core.audit_log WHERE ${MATCHES}`,
);

interface Row extends Omit<AuditEntry, 'position' | 'at'> {
  position: string;
  at: Date;
}

/** The organization's entries, newest first, paged by offset or by cursor. Throws `Refused` for a foreign cursor. */
export async function listAudit(sql: Sql, orgId: string, query: AuditLogQuery): Promise<AuditLogResponse> {
  const { limit, offset, cursor } = query;
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'must not be given together with cursor' }]);
  }
  const before = cursor === undefined ? null : positionOf(cursor);
  const { action = null, object = null, actor = null, from = null, to = null } = query;
  const filters: Filters = [orgId, action, object, actor, from, to];
  // One extra row shows whether there is a next page.
  const rows = await sql.rows(list, ...filters, before, limit + 1, rowsToSkip(offset));
  const [counted] = await sql.rows(total, ...filters);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(({ position, at, ...entry }) => ({
      position: Number(position),
      at: at.toISOString(),
      ...entry,
    })),
    pagination: {
      limit,
      offset: offset ?? 0,
      total: counted?.count ?? 0,
      next_cursor: last && rows.length > limit ? cursorOf(last.position) : null,
    },
  };
}

function cursorOf(position: string): string {
  return Buffer.from(`audit:${position}`).toString('base64url');
}

function positionOf(cursor: string): string {
  const position = /^audit:(-?\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (position === undefined) throw invalid([{ field: 'cursor', message: 'does not belong to this list' }]);
  return position;
}
