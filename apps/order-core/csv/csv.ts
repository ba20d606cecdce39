import { Refused } from '@offizin/contracts/calls/errors';
import { guarded, type Separator } from '@offizin/contracts/calls/spreadsheet-text';
import { acceptedType } from '@offizin/runtime/accepted-type';
import type { Caller } from '@offizin/contracts/calls/caller';
import { type CsvWords, germanCell, germanHead } from './german';

/**
 * CSV by RFC 4180: a header row, CRLF after every row, UTF-8. Texts are quoted, numbers are not. Names are untrusted input:
 * `guarded` keeps a spreadsheet from running them as formulas.
 */
export const CSV_DIALECTS = {
  default: { begin: '', separator: ',', decimalPoint: '.' },
  /** German Excel reads `12.50` as a date, and umlauts only after a byte order mark. */
  'excel-de': { begin: '\uFEFF', separator: ';', decimalPoint: ',' },
} as const;
/** `german`: excel-de with German words, for a person. */
export type CsvDialect = keyof typeof CSV_DIALECTS | 'german';

export type CsvCell = string | number | null;

/** One column: its name, a function for its cell, and German words of its values. Amounts go through `cents` first. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => CsvCell | Decimal, words?: CsvWords];

export class Decimal {
  constructor(readonly value: number) {}
}

export function cents(amount: number | null): Decimal | null {
  return amount === null ? null : new Decimal(amount);
}

export function csvText<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  dialect: CsvDialect = 'default',
): string {
  return csvHead(columns, dialect) + csvRows(columns, rows, dialect);
}

export function csvHead<Row>(columns: readonly CsvColumn<Row>[], dialect: CsvDialect): string {
  const names = columns.map(([name]) => (dialect === 'german' ? germanHead(name) : name));
  return formOf(dialect).begin + csvLine(names, dialect);
}

export function csvRows<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  dialect: CsvDialect,
): string {
  const lineOf = (row: Row): string =>
    csvLine(
      columns.map(([, cell, words]) => {
        const value = cell(row);
        return dialect === 'german' && typeof value === 'string' ? germanCell(value, words) : value;
      }),
      dialect,
    );
  return rows.map(lineOf).join('');
}

function csvLine(cells: readonly (CsvCell | Decimal)[], dialect: CsvDialect): string {
  const form = formOf(dialect);
  return `${cells.map((cell) => csvCell(cell, form)).join(form.separator)}\r\n`;
}

function formOf(dialect: CsvDialect) {
  return CSV_DIALECTS[dialect === 'german' ? 'excel-de' : dialect];
}

function csvCell(
  value: CsvCell | Decimal,
  { separator, decimalPoint }: { separator: Separator; decimalPoint: string },
): string {
  if (value === null) return '';
  if (value instanceof Decimal) return value.value.toFixed(2).replace('.', decimalPoint);
  if (typeof value === 'number') return String(value).replace('.', decimalPoint);
  return `"${guarded(value, separator).replaceAll('"', '""')}"`;
}

/** The media types of a report; JSON wins when the caller weighs both equally. */
const FORMATS = { 'application/json': 'json', 'text/csv': 'csv' } as const;
const TYPES = ['application/json', 'text/csv'] as const;
export type ReplyFormat = (typeof FORMATS)[(typeof TYPES)[number]];

/** Throws `Refused` (not_acceptable). */
export function replyFormat(accept: string | undefined): ReplyFormat {
  const type = acceptedType(accept, TYPES);
  if (type !== null) return FORMATS[type];
  throw new Refused('not_acceptable', 'A report is application/json or text/csv: accept one of them.');
}

/** Reads `dialect` of the accepted `text/csv`. Throws `Refused` (not_acceptable) for an unknown dialect. */
export function csvDialect(accept = '', kind?: Caller['kind']): CsvDialect {
  const ranges = accept.toLowerCase().split(',');
  const parameters = ranges.map((range) => range.split(';').map((part) => part.trim()));
  const csv = parameters.find(([type]) => type === 'text/csv') ?? [];
  const dialect = csv
    .find((part) => part.startsWith('dialect='))
    ?.slice('dialect='.length)
    .replaceAll('"', '');
  if (dialect === undefined) return 'default';
  if (dialect === 'excel-de') return kind === 'staff' ? 'german' : dialect;
  throw new Refused('not_acceptable', 'The dialect of text/csv is excel-de, or left out.');
}

/** `en-CA` writes YYYY-MM-DD. */
const BERLIN = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });

/** The name of a list's file carries the day in Berlin, as the console's own files do. */
export function csvName(list: string, atMs: number): string {
  return `${list}_${BERLIN.format(atMs)}.csv`;
}

export function csvHeaders(dialect: CsvDialect, fileName: string): Record<string, string> {
  const mediaType = 'text/csv; charset=utf-8; header=present';
  return {
    'content-type': dialect === 'default' ? mediaType : `${mediaType}; dialect=excel-de`,
    'content-disposition': `attachment; filename="${fileName}"`,
    vary: 'Accept',
  };
}

/** For the audit log: which filters, and only those values that name no customer. */
export function filtersInWords(shown: object, unnamed: object = {}): string {
  const given = (filters: object) => Object.entries(filters).filter(([, value]) => value !== undefined);
  const words = [
    ...given(shown).map(([name, value]) => `${name}=${value}`),
    ...given(unnamed).map(([name]) => name),
  ];
  return words.join(' ') || 'all';
}
