/** JSON text from the texts of an object's values. json_build_object looks up types and escapes names per row. */
export type JsonField = readonly [name: string, sql: string];

/**
 * A null value would make the whole text null; use the functions below. `spaced` writes the same text as
 * json_build_object, for stored texts.
 */
export function jsonText(fields: readonly JsonField[], style: 'dense' | 'spaced' = 'dense'): string {
  const [comma, colon] = style === 'dense' ? [',', ':'] : [', ', ' : '];
  const parts = fields.map(
    ([name, sql], index) => `'${index === 0 ? '{' : comma}"${name}"${colon}' || ${sql}`,
  );
  // Merges adjacent constants: each || copies everything to its left. No constant contains ' || '.
  return `${parts.join(' || ')} || '}'`.replaceAll(`' || '`, '');
}

/** For text without characters to escape. */
export function wordJson(column: string): string {
  return `'"' || ${column} || '"'`;
}

export function nullableWordJson(column: string): string {
  return `coalesce(${wordJson(column)}, 'null')`;
}

export function stringJson(column: string): string {
  return `to_json(${column})`;
}

/**
 * A timestamptz, truncated to milliseconds. The added microsecond keeps trailing zeros. An interval as the zone avoids
 * the lookup of zone names; varchar is cheaper than left() and to_char.
 */
export function timeJson(column: string): string {
  return `to_json(date_trunc('milliseconds', ${column} AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24) || 'Z"'`;
}
