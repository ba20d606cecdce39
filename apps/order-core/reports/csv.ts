/**
 * CSV as RFC 4180 has it: a header row, commas, CRLF after every row, UTF-8 without a mark. Figures are plain (point, no
 * grouping). A text that a spreadsheet would run as a formula gets an apostrophe before it: names come from outside.
 */
export type CsvCell = string | number | null;

/** One column: its name in the header row, and its cell of a row. Amounts go through `cents` first. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => CsvCell | Decimal];

/** A figure that is shown with two decimals. */
export class Decimal {
  constructor(readonly value: number) {}
}

export function cents(amount: number | null): Decimal | null {
  return amount === null ? null : new Decimal(amount);
}

export function csvText<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const head = columns.map(([name]) => csvCell(name));
  const body = rows.map((row) => columns.map(([, cell]) => csvCell(cell(row))));
  return [head, ...body].map((cells) => `${cells.join(',')}\r\n`).join('');
}

const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: CsvCell | Decimal): string {
  if (value === null) return '';
  if (value instanceof Decimal) return value.value.toFixed(2);
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
