/**
 * SQL that concatenates the JSON text of an object from the texts of its values. Cheaper than json_build_object,
 * which looks up each value's type and escapes each name per row.
 */
export type JsonField = readonly [name: string, sql: string];

/**
 * Values must not be null: the whole text would be null. Make each with one of the functions below. `spaced`
 * writes the same text as json_build_object, for stored texts that were made by it.
 */
export function jsonText(fields: readonly JsonField[], style: 'dense' | 'spaced' = 'dense'): string {
  const [comma, colon] = style === 'dense' ? [',', ':'] : [', ', ' : '];
  const parts = fields.map(
    ([name, sql], index) => `'${index === 0 ? '{' : comma}"${name}"${colon}' || ${sql}`,
  );
  // Merges adjacent constants: each || copies everything to its left. No constant contains ' || '.
  return `${parts.join(' || ')} || '}'`.replaceAll(`' || '`, '');
}

/** For text without characters to escape: an id, or a word of the contract. */
export function wordJson(column: string): string {
  return `'"' || ${column} || '"'`;
}

export function nullableWordJson(column: string): string {
  return `coalesce(${wordJson(column)}, 'null')`;
}

export function stringJson(column: string): string {
  return `to_json(${column})`;
}

export function nullableStringJson(column: string): string {
  return `coalesce(to_json(${column})::text, 'null')`;
}

/** A decimal without trailing zeros. */
export function decimalJson(column: string): string {
  return `trim_scale(${column})`;
}

/**
 * A timestamptz as the contract writes times, truncated to milliseconds. The added microsecond keeps PostgreSQL
 * from dropping trailing zeros and is cut off by varchar(24). An interval as the zone avoids the lookup of zone
 * names; varchar is cheaper than left(), and to_char dearer than both.
 */
export function timeJson(column: string): string {
  return `to_json(date_trunc('milliseconds', ${column} AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24) || 'Z"'`;
}
