/**
 * CSV by RFC 4180: a header row, CRLF after every row, UTF-8 without a byte order mark. Texts are quoted, numbers are
 * not. A text that a spreadsheet would run as a formula gets an apostrophe in front, because names are untrusted
 * input.
 */
export const CSV_DIALECTS = {
  default: { separator: ',', decimalPoint: '.' },
  /** German Excel reads `12.50` as a date, so numbers use a decimal comma. */
  'excel-de': { separator: ';', decimalPoint: ',' },
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
  const { separator, decimalPoint } = CSV_DIALECTS[dialect];
  const head = columns.map(([name]) => csvCell(name, decimalPoint));
  const body = rows.map((row) => columns.map(([, cell]) => csvCell(cell(row), decimalPoint)));
  return [head, ...body].map((cells) => `${cells.join(separator)}\r\n`).join('');
}

const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: CsvCell | Decimal, decimalPoint: string): string {
  if (value === null) return '';
  if (value instanceof Decimal) return value.value.toFixed(2).replace('.', decimalPoint);
  if (typeof value === 'number') return String(value).replace('.', decimalPoint);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
