/**
 * CSV by RFC 4180: a header row, CRLF after every row, UTF-8. Texts are quoted, numbers are not. A text that a
 * spreadsheet would run as a formula gets an apostrophe in front, because names are untrusted input.
 */
export const CSV_DIALECTS = {
  default: { begin: '', separator: ',', decimalPoint: '.' },
  /** German Excel reads `12.50` as a date, and umlauts only after a byte order mark. */
  'excel-de': { begin: '\uFEFF', separator: ';', decimalPoint: ',' },
} as const;
export type CsvDialect = keyof typeof CSV_DIALECTS;

export type CsvCell = string | number | null;

/** One column: its name in the header row, and a function for its cell. Amounts go through `cents` first. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => CsvCell | Decimal];

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
  const names = columns.map(([name]) => name);
  return CSV_DIALECTS[dialect].begin + csvLine(names, dialect);
}

export function csvRows<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  dialect: CsvDialect,
): string {
  const lineOf = (row: Row): string =>
    csvLine(
      columns.map(([, cell]) => cell(row)),
      dialect,
    );
  return rows.map(lineOf).join('');
}

function csvLine(cells: readonly (CsvCell | Decimal)[], dialect: CsvDialect): string {
  const { separator, decimalPoint } = CSV_DIALECTS[dialect];
  return `${cells.map((cell) => csvCell(cell, decimalPoint)).join(separator)}\r\n`;
}

const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: CsvCell | Decimal, decimalPoint: string): string {
  if (value === null) return '';
  if (value instanceof Decimal) return value.value.toFixed(2).replace('.', decimalPoint);
  if (typeof value === 'number') return String(value).replace('.', decimalPoint);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
