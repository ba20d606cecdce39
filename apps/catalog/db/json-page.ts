/** SQL texts that every list of this schema is built from. The database makes the JSON; Node passes its bytes on. */

/** A timestamptz as the contract shows it: UTC with milliseconds and Z. */
export function isoUtc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * `{data, pagination}` of a page list as one text column `json`. The relation `page` holds the rows of the page as
 * they are shown, `total` is an SQL expression, `limit` and `page` are the places of the parameters. OFFSET 0 keeps
 * the planner from counting once for each mention of the total.
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

/**
 * Lower case for a search. The database's own lower() knows only ASCII under the C locale that the service runs on;
 * the letters of German and its neighbours are added here, and Node does the same to the words that are looked for.
 */
export function folded(expression: string): string {
  return `translate(lower(${expression}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;
}

/** The pattern of a LIKE that finds `words` anywhere; what LIKE takes as a wildcard stands for itself. */
export function containing(words: string | undefined): string | null {
  return words === undefined ? null : `%${words.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
