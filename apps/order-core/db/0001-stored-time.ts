/** A time as libs/pg/json-text.ts writes it. A copy, because stored rows must not change with that file. */
export const timeJson = (column: string): string =>
  `to_json(date_trunc('milliseconds', ${column} AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)`;
