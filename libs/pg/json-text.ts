/**
 * The JSON text of a timestamptz, truncated to milliseconds. The added microsecond keeps trailing zeros. An interval as
 * the zone avoids the lookup of zone names; varchar is cheaper than left() and to_char.
 */
export function timeJson(column: string): string {
  return `to_json(date_trunc('milliseconds', ${column} AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24) || 'Z"'`;
}
