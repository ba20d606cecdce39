import type {
  AuditEntry,
  AuditFilters,
  AuditLogQuery,
  AuditLogResponse,
} from '@offizin/contracts/reports/audit';
import { invalid } from '@offizin/contracts/calls/errors';
import { MAX_PAGE_SIZE, rowsToSkip } from '@offizin/contracts/calls/paging';
import { decodeCursor, encodeCursor, filteredName } from '@offizin/operations/cursor-pages';
import { type Sql, statement } from '@offizin/pg/database';
import type { AuditEntity } from '../db/entities';

type Row = Pick<AuditEntity, keyof AuditEntry>;

/** The organization's entries, newest first, paged by offset or by cursor. Throws `Refused` for a foreign cursor. */
export async function listAudit(sql: Sql, orgId: string, query: AuditLogQuery): Promise<AuditLogResponse> {
  const { limit, offset, cursor } = query;
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'must not be given together with cursor' }]);
  }
  const matches = matchesOf(orgId, query);
  const { entries, next } = await pageOf(sql, matches, { cursor, limit, skip: rowsToSkip(offset) });
  const total = await totalOf(sql, matches);
  return { data: entries, pagination: { limit, offset: offset ?? 0, total, next_cursor: next } };
}

export interface AuditPage {
  entries: AuditEntry[];
  /** Of all pages; null after the first. */
  total: number | null;
  next: string | null;
}

/** A page of a file: only the first one counts. */
export async function auditPage(
  sql: Sql,
  orgId: string,
  filters: AuditFilters,
  cursor: string | null,
): Promise<AuditPage> {
  const matches = matchesOf(orgId, filters);
  const page = await pageOf(sql, matches, { cursor: cursor ?? undefined, limit: MAX_PAGE_SIZE, skip: 0 });
  return { ...page, total: cursor === null ? await totalOf(sql, matches) : null };
}

async function pageOf(
  sql: Sql,
  matches: Matches,
  { cursor, limit, skip }: { cursor: string | undefined; limit: number; skip: number },
): Promise<Omit<AuditPage, 'total'>> {
  const isPosition = (text: string): boolean => /^-?\d{1,18}$/.test(text);
  const before = cursor === undefined ? null : decodeCursor(matches.list, cursor, isPosition);
  // One extra row shows whether there is a next page.
  const rows = await rowsOf(sql, matches, { before, limit: limit + 1, skip });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: page.map(({ position, at, ...entry }) => ({
      position: Number(position),
      at: at.toISOString(),
      ...entry,
    })),
    next: last && rows.length > limit ? encodeCursor(matches.list, last.position) : null,
  };
}

/** SQL of the filters that are given; one that is not given, as `$2 IS NULL OR action = $2`, would use no index. */
interface Matches {
  /** Name for cursors. */
  list: string;
  /** Which filters they are: each combination is a prepared statement. */
  shape: string;
  where: string;
  /** Of the period alone; null without one. */
  period: string | null;
  values: readonly unknown[];
}

function matchesOf(orgId: string, { action, object, actor, from, to }: AuditFilters): Matches {
  const values: unknown[] = [orgId];
  const own = 'org_id = $1';
  const given: [string, string, unknown][] = [
    ['action', 'action = $', action],
    // Entries about versions and documents say more after the id. Of other kinds one object may have very many entries.
    object !== undefined && /^(?:order-request|prescription):/.test(object)
      ? ['parts', `(object = $ OR object ~>=~ ($ || ':') AND object ~<~ ($ || ';'))`, object]
      : ['object', 'object = $', object],
    // As in the index audit_log_staff, which has the entries of people only. A range would hang on the collation.
    actor?.startsWith('staff:')
      ? ['person', `left(actor, 6) = 'staff:' AND actor = $`, actor]
      : ['actor', 'actor = $', actor],
  ];
  const times: [string, string, unknown][] = [
    ['from', 'at >= $', from],
    ['to', 'at < $', to],
  ];
  const bound = (filters: typeof given) =>
    filters
      .filter(([, , value]) => value !== undefined)
      .map(([name, condition, value]) => {
        const parameter = `$${values.push(value)}`;
        return { name, condition: condition.replaceAll('$', () => parameter) };
      });
  const [filters, period] = [bound(given), bound(times)];
  const all = [...filters, ...period];
  return {
    list: filteredName('audit', { action, object, actor, from, to }),
    shape: all.map(({ name }) => name).join('_'),
    where: [own, ...all.map(({ condition }) => condition)].join(' AND '),
    period: period.length === 0 ? null : [own, ...period.map(({ condition }) => condition)].join(' AND '),
    values,
  };
}

async function rowsOf(
  sql: Sql,
  { shape, where, period, values }: Matches,
  { before, limit, skip }: { before: string | null; limit: number; skip: number },
): Promise<Row[]> {
  const at = values.length;
  const list = statement<Row, unknown[]>(
    `audit_list_${shape}_${before === null ? 'first' : 'further'}`,
    `${period === null ? '' : boundsSql(period)}
     SELECT a.position::text AS position, at, actor, action, object, request_id FROM core.audit_log a
     WHERE ${where}
       ${period === null ? '' : 'AND a.position BETWEEN (SELECT first FROM bounds) AND (SELECT last FROM bounds)'}
       ${before === null ? '' : `AND a.position < $${at + 3}::bigint`}
     ORDER BY a.position DESC LIMIT $${at + 1} OFFSET $${at + 2}`,
  );
  return sql.rows(list, ...values, limit, skip, ...(before === null ? [] : [before]));
}

/**
 * The positions of a period, read from the index of times alone. The log is ordered by position: without them, a page of
 * an old period would read all newer entries. OFFSET 0 keeps min and max from walking the index of positions.
 */
function boundsSql(period: string): string {
  return `WITH bounds AS MATERIALIZED (SELECT min(position) AS first, max(position) AS last FROM (
    SELECT position FROM core.audit_log WHERE ${period} OFFSET 0) timed)`;
}

async function totalOf(sql: Sql, { shape, where, values }: Matches): Promise<number> {
  const total = statement<{ count: number }, unknown[]>(
    `audit_total_${shape}`,
    `SELECT count(*)::float8 AS count FROM core.audit_log WHERE ${where}`,
  );
  const [counted] = await sql.rows(total, ...values);
  return counted?.count ?? 0;
}
