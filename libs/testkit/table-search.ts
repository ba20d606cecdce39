import type { Client } from 'pg';
import { type Needle, spellingsOf } from './plain-search';

/** Names of the tables with a row that contains one of the texts. The database decompresses values. */
export async function tablesWith(database: Client, needles: readonly Needle[]): Promise<string[]> {
  const patterns = needles.flatMap(({ text }) =>
    spellingsOf(text).map(({ bytes }) => `%${bytes.toString('latin1').replace(/[\\%_]/g, '\\$&')}%`),
  );
  const usable = patterns.filter((pattern) => !pattern.includes('\0'));
  // A partition is part of its table.
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND NOT starts_with(n.nspname, 'pg_temp')
     ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const rows = await database.query(`SELECT 1 FROM ${name} t WHERE t::text LIKE ANY ($1) LIMIT 1`, [
      usable,
    ]);
    if (rows.rowCount) found.push(name);
  }
  return found;
}
