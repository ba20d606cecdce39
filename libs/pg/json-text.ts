/**
 * SQL that joins the JSON text of an object from the texts of its values. json_build_object makes the same at twice the
 * cost: it looks up the type of each value, and writes and checks each name anew (list-page.ts has the figures).
 */
export type JsonField = readonly [name: string, sql: string];

/** Not for null values: the text of the whole would be null. Each value by one of the functions below. */
export function jsonText(fields: readonly JsonField[]): string {
  const parts = fields.map(([name, sql], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${sql}`);
  return `${parts.join(' || ')} || '}'`;
}

/** Text that holds nothing to escape: an id, or one of the contract's own words. */
export function wordJson(column: string): string {
  return `'"' || ${column} || '"'`;
}

export function stringJson(column: string): string {
  return `to_json(${column})`;
}

export function nullableStringJson(column: string): string {
  return `coalesce(to_json(${column})::text, 'null')`;
}

/** A decimal as JSON writes a number: without zeros at its end. */
export function decimalJson(column: string): string {
  return `trim_scale(${column})`;
}

/**
 * A timestamptz as the contract writes times: with milliseconds, what is behind them cut off. The microsecond keeps
 * PostgreSQL from leaving zeros out, and is cut off with the rest; to_char takes half as long again.
 */
export function timeJson(column: string): string {
  return `left(to_json(date_trunc('milliseconds', ${column} AT TIME ZONE 'UTC') + interval '1 microsecond')::text, 24) || 'Z"'`;
}
