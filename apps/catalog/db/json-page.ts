import { folded, prefixPattern } from '@offizin/pg/list-page';

/** SQL fragments of all lists. The database builds the JSON; Node passes its bytes on. */

/** A timestamptz in the format of the contract: UTC with milliseconds and Z. */
export function isoUtc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * `{data, pagination}` of a list as one text column `json`. The relation `page` holds the rows of the page, `total` is
 * an SQL expression, `limit` and `page` are parameter placeholders. OFFSET 0 makes the planner compute the total once.
 */
export function pageJson(options: { total: string; limit: string; page: string; orderBy: string }): string {
  const { total, limit, page, orderBy } = options;
  return `json_build_object(
    'data', coalesce((SELECT json_agg(page ORDER BY page.${orderBy}) FROM page), '[]'::json),
    'pagination', (SELECT json_build_object(
      'page', ${page}::int, 'pageSize', ${limit}::int, 'total', counted.total,
      'totalPages', ceil(counted.total / ${limit}::numeric)::bigint
    ) FROM (SELECT (${total}) AS total OFFSET 0) AS counted)
  )::text AS json`;
}

/** Rows before the page. */
export function skipped(limit: string, page: string): string {
  return `${limit}::bigint * (${page}::bigint - 1)`;
}

/** SQL: name or id holds the words of `pattern`, a placeholder for the text of `containing`. True for null. */
export function isNamed({ name, p1Id }: { name: string; p1Id: string }, pattern: string): string {
  const [words, byName, byId] = [folded(`${pattern}::text`), folded(name), folded(p1Id)];
  return `(${pattern}::text IS NULL OR ${byName} LIKE ${words} OR ${byId} LIKE ${words})`;
}

/** LIKE pattern that finds `words` anywhere; wildcards are escaped. */
export function containing(words: string | undefined): string | null {
  return words === undefined ? null : `%${prefixPattern(words)}`;
}
