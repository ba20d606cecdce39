import { styleText } from 'node:util';

/** `undefined`: as the terminal wants it; from `--json` and `--no-json`. */
type Wanted = boolean | undefined;
type Style = Parameters<typeof styleText>[0];

/**
 * What a command answers, on the standard output: JSON for programs, text for a person. A person is who has a terminal
 * there; `--json` and `--no-json` decide otherwise.
 */
export class Output {
  constructor(private readonly wanted: () => Wanted) {}

  /** For commands whose text is for programs, too, such as one line for each event. */
  get isJsonAsked(): boolean {
    return this.wanted() === true;
  }

  private get isForPerson(): boolean {
    const wanted = this.wanted();
    return wanted === undefined ? process.stdout.isTTY : !wanted;
  }

  /** The bytes as they are, or for a person as text. */
  bytes(bytes: Buffer, value: object): void {
    if (this.isJsonAsked) this.answer(value);
    else if (this.isForPerson) say(bytes.toString());
    else process.stdout.write(bytes);
  }

  /** An object; a list is `{data: […]}`, of which a person sees the named columns. */
  answer(value: object, columns?: readonly string[]): void {
    print(this.isForPerson ? textOf(value, columns) : jsonOf(value, 2));
  }

  /** A list of which programs without `--json` read one line of JSON for each. */
  lines(data: readonly object[], columns: readonly string[]): void {
    if (this.isJsonAsked || this.isForPerson) this.answer({ data }, columns);
    else for (const entry of data) print(jsonOf(entry));
  }

  /** `text`, or with `--json` the value. */
  sentence(text: string, value: object): void {
    if (this.isJsonAsked) print(jsonOf(value, 2));
    else say(text);
  }
}

/** Colours where the standard output is a terminal that has them; NO_COLOR and FORCE_COLOR are honoured. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream });
}

/** Controls of terminals, of C0, C1 and of writing direction. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Foreign text for a terminal: controls become escapes, such as `\u001b`. Only `keeps` stay as they are. */
export function visible(text: string, keeps = '\n\t'): string {
  return text.replace(CONTROLS, (control) => (keeps.includes(control) ? control : escapeOf(control)));
}

/** JSON.stringify leaves C1 controls, which some terminals obey. */
export function jsonOf(value: unknown, indent?: number): string {
  return visible(JSON.stringify(value, null, indent), '\n');
}

function escapeOf(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A line on the standard output; the text may be foreign. */
export function say(text: string): void {
  print(visible(text));
}

/** As `say`, on the standard error; `mark` begins it as it is. */
export function note(text: string, mark = ''): void {
  process.stderr.write(`${mark}${visible(text)}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function textOf(value: object, columns?: readonly string[]): string {
  if ('data' in value && Array.isArray(value.data)) return tableOf(value.data as object[], columns);
  const entries = Object.entries(value).map(([name, cell]) => [visible(name, ''), cell] as const);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, cell]) => `${styled('bold', name.padEnd(width))}  ${cellOf(cell)}`).join('\n');
}

function tableOf(rows: readonly object[], wanted?: readonly string[]): string {
  if (rows.length === 0) return 'None.';
  const columns = wanted ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((column) => cellOf(new Map(Object.entries(row)).get(column))));
  const names = columns.map((column) => visible(column, ''));
  const widths = names.map((name, place) =>
    Math.max(name.length, ...cells.map((row) => row[place]?.length ?? 0)),
  );
  const lineOf = (texts: readonly string[]): string =>
    texts
      .map((text, place) => text.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd();
  return [styled('bold', lineOf(names)), ...cells.map(lineOf)].join('\n');
}

/** Names come from outside: a control character could make the terminal show something else. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(cellOf).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return visible(text, '');
}
