import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { Refused } from '@offizin/contracts/calls/errors';
import type { DtoClass } from '@offizin/contracts/calls/operation';
import { type DescribedField, fieldsOf } from '@offizin/contracts/calls/schema';
import { type Separator, unguarded } from '@offizin/contracts/calls/spreadsheet-text';
import { hasErrorCode } from '@offizin/local-stack/process-identity';
import { validate } from '@offizin/operations/validate';

/** A line that cannot be taken, by its number in the file (the first line is 1). */
export interface RefusedLine {
  line: number;
  /** What the line is about, as far as it can be read. */
  key: string | null;
  reason: string;
}

export interface AcceptedLine<Line> {
  line: number;
  value: Line;
}

interface CheckedTable<Line> {
  accepted: AcceptedLine<Line>[];
  refused: RefusedLine[];
}

interface TableRules<Line extends object> {
  dto: DtoClass<Line>;
  /** The column that says what a line is about; a second line of one key is refused. */
  keyColumn: keyof Line & string;
}

interface FileLine {
  line: number;
  value: unknown;
  /** Why it could not even be read. */
  unreadable?: string;
}

const SEPARATORS: readonly Separator[] = [',', ';', '\t'];
/** A German spreadsheet writes WAHR and FALSCH. */
const FLAGS: Record<string, boolean> = {
  true: true,
  wahr: true,
  ja: true,
  false: false,
  falsch: false,
  nein: false,
};
/** What a program writes for a byte that it could not decode: the text is lost, not only its encoding. */
const REPLACEMENT = '\ufffd';

/**
 * All lines of a table, checked as the service checks them: CSV with a header line (`.csv`, `.tsv`), else JSON Lines.
 * Throws where the file as a whole makes no sense.
 */
export function checkTable<Line extends object>(
  file: string,
  text: string,
  { dto, keyColumn }: TableRules<Line>,
): CheckedTable<Line> {
  const isCsv = /\.[ct]sv$/i.test(file);
  const lines = isCsv ? csvLines(text, fieldsOf(dto)) : jsonLines(text);
  const checked: CheckedTable<Line> = { accepted: [], refused: [] };
  const lineOf = new Map<string, number>();
  for (const { line, value, unreadable } of lines) {
    const key = keyIn(value, keyColumn);
    const read = unreadable ?? readLine(dto, value);
    const earlier = key === null ? undefined : lineOf.get(key);
    if (typeof read === 'string') {
      checked.refused.push({ line, key, reason: read });
    } else if (earlier !== undefined) {
      checked.refused.push({ line, key, reason: `${keyColumn} is that of line ${earlier}` });
    } else {
      if (key !== null) lineOf.set(key, line);
      checked.accepted.push({ line, value: read });
    }
  }
  if (checked.accepted.length + checked.refused.length === 0) throw new Error('The file has no lines.');
  return checked;
}

/** The line, or the reasons for its refusal. */
function readLine<Line extends object>(dto: DtoClass<Line>, value: unknown): Line | string {
  try {
    const line = validate(dto, value, { prefix: '' });
    const damaged = Object.entries(line).find(
      ([, text]) => typeof text === 'string' && text.includes(REPLACEMENT),
    );
    if (!damaged) return line;
    return `${damaged[0]}: holds ${REPLACEMENT}, so letters were lost before: export the file again`;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const problems = error.details ?? [];
    return problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  }
}

function keyIn(value: unknown, column: string): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const key = (value as Record<string, unknown>)[column];
  return typeof key === 'string' ? key : null;
}

function jsonLines(text: string): FileLine[] {
  const lines = text.split(/\r?\n/).map((json, index): FileLine | null => {
    if (json.trim() === '') return null;
    try {
      return { line: index + 1, value: JSON.parse(json) as unknown };
    } catch {
      return { line: index + 1, value: null, unreadable: 'is not JSON' };
    }
  });
  return lines.filter((line) => line !== null);
}

function csvLines(text: string, fields: Map<string, DescribedField>): FileLine[] {
  const records: { record: string[]; line: number }[] = [];
  const separator = separatorOf(text);
  parse(text, {
    delimiter: separator,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    on_record: (record: string[], { lines }) => {
      records.push({ record, line: lines });
      return null;
    },
  });
  const [header, ...rows] = records;
  const columns = header?.record ?? [];
  checkColumns(columns, fields);
  return rows.map(({ record, line }): FileLine => {
    const value = Object.fromEntries(columns.map((column, place) => [column, record[place] ?? '']));
    const unreadable = `has ${record.length} fields, the header has ${columns.length}`;
    const isWhole = record.length === columns.length;
    return { line, value: typed(value, fields, separator), ...(!isWhole && { unreadable }) };
  });
}

/** The one that the header line has most of. */
function separatorOf(text: string): Separator {
  const [header = ''] = text.split(/\r?\n/, 1);
  const count = (separator: Separator): number => header.split(separator).length;
  return [...SEPARATORS].sort((one, other) => count(other) - count(one))[0] ?? ',';
}

/** A misspelt column would be as good as left out, in every line. */
function checkColumns(columns: readonly string[], fields: Map<string, DescribedField>): void {
  const unknown = columns.filter((column) => !fields.has(column));
  const missing = [...fields].filter(([name, { required }]) => required && !columns.includes(name));
  const twice = columns.filter((column, place) => columns.indexOf(column) < place);
  const problems = [
    ...unknown.map((column) => `column ${column || '(without a name)'} is unknown`),
    ...missing.map(([name]) => `column ${name} is missing`),
    ...twice.map((column) => `column ${column} occurs twice`),
  ];
  if (problems.length === 0) return;
  throw new Error(`The header line: ${problems.join(', ')}. Columns: ${[...fields.keys()].join(', ')}.`);
}

/**
 * CSV knows text only: an empty field is one left out, numbers and flags are read as such, a list has blanks between its
 * entries, the rest is text.
 */
function typed(
  record: Record<string, string>,
  fields: Map<string, DescribedField>,
  separator: Separator,
): Record<string, unknown> {
  const entries = Object.entries(record).filter(([, text]) => text !== '');
  return Object.fromEntries(
    entries.map(([column, text]): [string, unknown] => {
      const type = [fields.get(column)?.schema.type].flat();
      if (type.includes('number')) return [column, numberOf(text)];
      if (type.includes('boolean')) return [column, FLAGS[text.toLowerCase()] ?? text];
      if (type.includes('array')) return [column, text.split(/\s+/)];
      return [column, unguarded(text, separator)];
    }),
  );
}

/** 9.5 and -2, or 9,5 and 1.234,50 as German programs write them; other text stays text and is refused. */
function numberOf(text: string): number | string {
  const isGerman = /^-?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(text);
  const plain = isGerman ? text.replaceAll('.', '').replace(',', '.') : text;
  return /^-?\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** Encodings of files that spreadsheets and ERP systems write. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A catalog of a million products is smaller; the whole file is held in memory. */
const MAX_BYTES = 256 * 1024 * 1024;
/**
 * Windows-1252 from 0x80 on, where it is not Latin-1; a blank where it has no character. Node.js 20 reads it as Latin-1
 * (TextDecoder), which makes an invisible control character of each € and “.
 */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const HIGH_CONTROLS = /[\x80-\x9f]/g;
const SAMPLE_BYTES = 1_000;

/** Text of a file, in the encoding that is given or found. Throws one sentence for a person. */
export async function readText(
  file: string,
  given?: Encoding,
): Promise<{ text: string; encoding: Encoding }> {
  const bytes = await readBytes(file);
  const encoding = given ?? encodingOf(bytes);
  const text = decoded(bytes, encoding);
  if (text === null || text.includes('\0')) {
    const others = ENCODINGS.filter((other) => other !== encoding).join(', ');
    throw new Error(`${file} is not ${encoding}: name its encoding by --encoding (${others}).`);
  }
  return { text, encoding };
}

async function readBytes(file: string): Promise<Buffer> {
  const found = await stat(file).catch((error: unknown) => {
    throw new Error(
      `The file ${file} ${hasErrorCode(error, 'ENOENT') ? 'does not exist' : 'cannot be read'}.`,
    );
  });
  if (!found.isFile()) throw new Error(`${file} is not a file.`);
  if (found.size > MAX_BYTES) throw new Error(`${file} is larger than 256 MiB: import it in parts.`);
  return readFile(file);
}

/** By the byte order mark, by the zero bytes of UTF-16, else UTF-8 if it is that, else Windows-1252. */
function encodingOf(bytes: Buffer): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [place, byte] of bytes.subarray(0, SAMPLE_BYTES).entries())
    if (byte === 0) zeros[place % 2] = (zeros[place % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd > Math.min(bytes.length, SAMPLE_BYTES) / 4) return odd > even ? 'utf-16le' : 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

/** Without a byte order mark; null if it is not of that encoding. */
function decoded(bytes: Buffer, encoding: Encoding): string | null {
  if (encoding === 'windows-1252') {
    const text = bytes
      .toString('latin1')
      .replace(HIGH_CONTROLS, (byte) => FROM_0X80[byte.charCodeAt(0) - 0x80] ?? ' ');
    return bytes.some((byte) => FROM_0X80[byte - 0x80] === ' ') ? null : text;
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
