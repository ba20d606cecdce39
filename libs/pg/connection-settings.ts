import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg';

/** Settings of PostgreSQL by their names; times in ms. */
export type ConnectionSettings = Readonly<Record<string, string | number>>;

/**
 * `onConnect` of a pool: each new connection gets the settings before anything else. They are a statement, because
 * PgBouncer refuses settings in the start packet, or drops them silently.
 */
export function settingsOnConnect(settings: ConnectionSettings): (client: ClientBase) => Promise<unknown> {
  const text = Object.entries(settings)
    .map(([name, value]) => `SET ${escapeIdentifier(name)} = ${escapeLiteral(String(value))}`)
    .join('; ');
  return (client) => client.query(text);
}
