import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Client } from 'pg';

/** Searches the remains of a stack for planted texts, also in encoded form. */
export interface Needle {
  /** Name in a finding; never the text itself, which may be secret. */
  name: string;
  text: string;
}

const AROUND_BYTES = 60;

/** `place: name (spelling)` of each needle found, with the text after it where that helps. */
export function foundIn(place: string, content: Buffer, needles: readonly Needle[]): string[] {
  return needles.flatMap(({ name, text }) =>
    spellingsOf(text).flatMap(({ spelling, bytes }) => {
      const at = content.indexOf(bytes);
      if (at < 0) return [];
      const around = content.subarray(at, at + AROUND_BYTES).toString('latin1');
      return [`${place}: ${name} (${spelling}) ${printable(around)}`];
    }),
  );
}

/** The same for every file below a folder. */
export function foundBelow(folder: string, needles: readonly Needle[]): string[] {
  return filesBelow(folder).flatMap((file) => foundIn(relative(folder, file), contentOf(file), needles));
}

/** Servers may delete files during the search: a missing file counts as empty. */
function contentOf(file: string): Buffer {
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

/** The text itself, in hexadecimal, and in base64 wherever it begins within three bytes. */
function spellingsOf(text: string): { spelling: string; bytes: Buffer }[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const plain = [
    { spelling: 'as it is', bytes },
    { spelling: 'hex', bytes: Buffer.from(hex) },
    { spelling: 'UTF-16', bytes: Buffer.from(text, 'utf16le') },
  ];
  const encoded = [0, 1, 2].flatMap((offset) => {
    const cores = new Set((['base64', 'base64url'] as const).map((kind) => coreOf(bytes, offset, kind)));
    return [...cores].map((core) => ({ spelling: 'base64', bytes: Buffer.from(core) }));
  });
  return [...plain, ...encoded];
}

/** The characters that depend only on the text, not on its surroundings. */
function coreOf(text: Buffer, offset: number, kind: 'base64' | 'base64url'): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), text]).toString(kind);
  const firstWhole = Math.ceil((offset * 8) / 6);
  const lastWhole = Math.floor(((offset + text.length) * 8) / 6);
  return encoded.slice(firstWhole, lastWhole);
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '.');
}

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
