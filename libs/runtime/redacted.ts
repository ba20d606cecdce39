const REDACTED = '[Redacted]';
const SECRETS = new Set(['authorization', 'apikey', 'x-api-key', 'cookie']);
/** Levels below the fields of a line, as in `headers.authorization`. */
const DEPTH = 1;

/**
 * Replaces values of fields that may hold a secret, at the top level and one level below. Returns the same object
 * when nothing matches. Used instead of pino's `redact`, whose wildcards copy each value.
 */
export function redacted(fields: Record<string, unknown>, depth = DEPTH): Record<string, unknown> {
  let clean = fields;
  for (const name in fields) {
    const value = fields[name];
    const safe = SECRETS.has(name)
      ? REDACTED
      : depth > 0 && isObject(value)
        ? redacted(value, depth - 1)
        : value;
    if (safe === value) continue;
    if (clean === fields) clean = { ...fields };
    clean[name] = safe;
  }
  return clean;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
