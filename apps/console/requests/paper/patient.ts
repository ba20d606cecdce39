import { type Crop, rowsCrop } from './crops';
import { cleaned, folded, isSameWord, wordsOf } from './folding';
import { type Line, type Mark, type PaperPage, placeOf } from './page-lines';

/** Whose paper it is: the customer's name, and the fields of patients that begin a form. Pure. */

/** Academic titles, and short forms that are names without their point: Sen, Hr. `after` ends a part of a title. */
const titlesWith = (after: string): RegExp =>
  new RegExp(
    `(?<!\\p{L})(?:(?:dr|prof|pd|priv[. -]+doz|dipl)(?!\\p{L})(?:[. -]+(?:med|dent|vet|rer[. ]+nat|phil|jur|habil|h\\.? ?c|ing|mult)${after})*\\.?|(?:jun|sen|jr|sr|fr|hr|mag|ing|univ|h\\. ?c|[bm]\\. ?(?:a|sc)|m\\. ?d)\\.)`,
    'giu',
  );
const TITLES = titlesWith('(?!\\p{L}|,)');
/** Without names that are a title only with their point: Dr. Dent, Dr. Phil. */
const POINTED_TITLES = titlesWith('(?=\\.)');
const NO_NAMES = /^(?:herrn?|frau|mrs?|ms|miss|von|van|der?|zu|phd|msc)$/;

/** The name before the marriage or the day of birth, to the next comma: "geb. Vogel", "née Vogel", "*14.03.1984". */
const BORN =
  /[\s,(]+(?:(?:geb(?:oren(?:e[rn]?)?)?|n[eé]e|né)(?!\p{L})\.?(?=\s*[\p{L}\d])|\*)\s*((?:(?!(?:am|in) )[\p{L}\p{M}'’-]+ ?)*)[^,()]*\)?/iu;

/** Of a customer, each word in all of its forms. */
export interface Name {
  first: readonly string[];
  /** Any word of the family name, also of the one before the marriage: papers are older than a new name. */
  last: readonly string[];
  /** All words of the family name of today. */
  family: readonly (readonly string[])[];
  words: readonly string[];
}

/** After a comma, more words than these are a remark. */
const MOST_GIVEN = 2;

/** A title leaves two names: of "Dr. Dent, Arthur" it is the first word alone. */
function withoutTitles(customer: string): string {
  const text = customer.replace(TITLES, ' ');
  const names = text.replace(BORN, ' ').split(',').flatMap(nameWords);
  return names.length > 1 ? text : customer.replace(POINTED_TITLES, ' ');
}

/** The words before a comma are the family name, else it is the last one. */
export function nameOf(customer: string | null): Name | null {
  const text = withoutTitles(cleaned(customer ?? ''));
  const born = nameWords(BORN.exec(text)?.[1] ?? '').flat();
  const [own = [], after] = text
    .replace(BORN, ' ')
    .split(',')
    .map(nameWords)
    .filter((part) => part.length > 0);
  const given = own.length === 1 || (after?.length ?? 0) <= MOST_GIVEN ? after : undefined;
  const unparted = own.length > 1 ? (own.at(-1) ?? []) : own.flat().slice(-1);
  const family = given ? own.flat() : unparted;
  const [first] = (given ?? own).flat();
  if (first === undefined) return null;
  return {
    first: folded(first),
    last: [...family, ...born].flatMap(folded),
    family: family.map(folded),
    words: [...own.flat(), ...(given ?? []).flat(), ...born],
  };
}

/** Words of a part of a name; those that a hyphen joins are together. */
function nameWords(part: string): string[][] {
  const isName = (word: string): boolean =>
    word.length > 1 && !/^\d/.test(word) && !NO_NAMES.test(folded(word)[0] ?? '');
  const groups = part.split(' ').map((group) => wordsOf(group).filter(isName));
  return groups.filter((group) => group.length > 0);
}

export interface NameFound {
  line: Line;
  boxes: readonly Mark[];
  isSwapped: boolean;
}

/** Both words in one line, in its row, or in the lines below it; of annotations, in those that follow. */
export function namesOn(page: PaperPage, name: Name): NameFound[] {
  const inRows = page.rows.flatMap((row, at) =>
    row.flatMap((line, cell) =>
      foundIn(line, name, () => [...row.slice(cell + 1), ...below(page, at, line, 2)]),
    ),
  );
  const rowed = new Set(page.rows.flat());
  const others = page.lines.filter((line) => !rowed.has(line));
  return [
    ...inRows,
    ...others.flatMap((line, at) => foundIn(line, name, () => others.slice(at + 1, at + 3))),
  ];
}

/** `near`: the lines in which its other word may be. */
function foundIn(line: Line, { first, last, words }: Name, near: () => readonly Line[]): NameFound[] {
  const [given, family] = [placeOf(line, first, true), placeOf(line, last, true)];
  if (given && family)
    return [{ line, boxes: [given, family], isSwapped: words.length > 1 && isSwapped(line, first, last) }];
  const own = given ?? family;
  if (!own) return [];
  const missing = given ? last : first;
  const other = near().find((each) => placeOf(each, missing, true));
  const box = other && placeOf(other, missing, true);
  if (!box) return [];
  const isBelow = other.box.top > line.box.top + 1;
  const isAlone = wordsOf(line.text).length === 1;
  return [{ line, boxes: [own, box], isSwapped: isBelow && isAlone && given !== null }];
}

/** "Anna, Berger" names a family Anna. */
function isSwapped({ text }: Line, first: readonly string[], last: readonly string[]): boolean {
  const [before, after] = text.split(',');
  const has = (part: string | undefined, word: readonly string[]): boolean =>
    wordsOf(part ?? '').some((each) => word.some((form) => folded(each).includes(form)));
  return after !== undefined && has(before, first) && !has(before, last) && has(after, last);
}

/** Lines of the next rows that lie below a line. */
export function below({ rows }: PaperPage, at: number, { box }: Line, count: number): Line[] {
  return rows
    .slice(at + 1, at + 1 + count)
    .flatMap((row) => row.filter((line) => line.box.left < box.right && line.box.right > box.left - 2));
}

const LABEL =
  /^(?:name, ?(?:und )?vorname|nachname, ?vorname|name d(?:er|es) (?:patient|versichert)\p{L}*|patient(?:in|endaten|en)?(?![\p{L}-])|versicherte[rn]?(?![\p{L}-])|name(?= ?:|$)|patient'?s? name|(?:\p{L}*rezept |prescription )?(?:fur|for)(?= ?:|$| (?:herrn?|frau|mrs?|ms)\b))/u;
const REST = /^[\s:]*(?:d(?:es|er) )?(?:patient\p{L}*|versichert\p{L}*)?[\s:]*/iu;
/** Begins another field. */
const OTHER_LABEL = /^(?:geb|datum|ausgestellt|anschrift|adresse|kasse|krankenkasse|vers|date|address|born)/i;

export interface Form {
  page: PaperPage;
  /** The row of its label of patient; null for a page without one. */
  row: number | null;
  label: Line | null;
  /** The text of its patient field. */
  value: readonly string[];
  top: number;
  bottom: number;
}

/** Rows above a label that belong to its form. */
const TITLE_ROWS = 2;

/** In the order of the paper. A page without a label of patient is one form. */
export function formsOn(page: PaperPage, found: readonly NameFound[]): Form[] {
  const labels = page.rows.flatMap((row, at) =>
    row.flatMap((line) => {
      const label = LABEL.exec(line.forms[0] ?? '')?.[0];
      return label === undefined ? [] : [{ line, at, value: valueOf(page, at, line, label) }];
    }),
  );
  const begins = labels.map(({ line }) => {
    const at = page.rows.findIndex((row) => row.includes(line));
    return page.rows[Math.max(0, at - TITLE_ROWS)]?.[0]?.box.top ?? line.box.top;
  });
  if (labels.length > 0)
    return labels.map(({ line, at, value }, index) => ({
      page,
      row: at,
      label: line,
      value,
      top: index === 0 ? 0 : (begins[index] ?? 0),
      bottom: begins.slice(index + 1).find((top) => top > line.box.bottom) ?? page.height,
    }));
  const [name] = found;
  const row = name ? page.rows.findIndex((each) => each.includes(name.line)) : -1;
  return [{ page, row: row < 0 ? null : row, label: null, value: [], top: 0, bottom: page.height }];
}

function valueOf(page: PaperPage, at: number, line: Line, label: string): string[] {
  const rest = line.text.slice(label.length).replace(REST, '');
  if (rest !== '' && !OTHER_LABEL.test(rest)) return [rest];
  return below(page, at, line, 3)
    .map(({ text }) => text)
    .filter((text) => /\p{L}{2}/u.test(text) && !OTHER_LABEL.test(text))
    .slice(0, 2);
}

/** Another name is the first in the field of the patient, or only a part of the family name is in it. */
export function otherName({ value }: Form, { first, family, words }: Name): string | null {
  const lines = value.join('\n').replaceAll(PARTED, '$1').split('\n');
  const [name] = lines;
  if (name === undefined || !/\p{L}{2}/u.test(name)) return null;
  const has = (texts: readonly string[], word: readonly string[]): boolean =>
    texts.some((text) => wordsOf(text).some((each) => word.some((form) => folded(each).includes(form))));
  const isWhole = has(lines, first) && family.every((word) => has(lines, word));
  return isWhole && words.some((word) => has([name], folded(word))) ? null : name;
}

/** A word that goes on in the next line. */
const PARTED = /(\p{L})[-‐]\n(?=\p{Ll})/gu;

/** The label of a patient that stands twice on a page. */
export function labelTwice(forms: readonly Form[]): Line | null {
  const labels = forms.flatMap(({ label }) => label ?? []);
  const textOf = ({ forms: [text = ''] }: Line): string => LABEL.exec(text)?.[0] ?? '';
  return labels.find((line, at) => labels.slice(0, at).some((one) => textOf(one) === textOf(line))) ?? null;
}

const HEAD_BELOW = 3;
const HEAD_ABOVE = 6;
const HEAD_WITHOUT_LABEL = 6;

/** From the title to three lines below the label; without a label the top of the page. */
export function headOf({ page, row, top }: Form, marks: readonly Mark[] = []): Crop | null {
  if (page.rows.length === 0) return null;
  const first = page.rows.findIndex((lines) => lines.some(({ box }) => box.bottom > top));
  const at = row ?? first;
  const from = Math.max(first, at - HEAD_ABOVE, 0);
  const last = row === null ? from + HEAD_WITHOUT_LABEL - 1 : at + HEAD_BELOW;
  return rowsCrop(page, from, Math.min(last, page.rows.length - 1), marks);
}

const PRESCRIBER = /(?<!\p{L})(?:dr|prof|\p{L}*arzt|\p{L}*arztin|\p{L}*praxis|physician|doctor)(?!\p{L})/u;
const SIGNED = /(?<!\p{L})(?:unterschrift|gez|stempel|signature)(?!\p{L})/u;
const FOOT_ROWS = 4;

/** Prescriber and signature: from the first line that names them below `from`, else the last lines. */
export function footOf({ page, top, bottom }: Form, from: number): Crop | null {
  const isOf = (pattern: RegExp, { forms: [text = ''] }: Line): boolean => pattern.test(text);
  const rows = page.rows.flatMap((row, at) => {
    const lines = row.filter(({ box }) => box.top > Math.max(top, from) && box.top < bottom);
    return lines.length > 0 ? [{ at, lines }] : [];
  });
  const end = rows.at(-1)?.at;
  if (end === undefined) return null;
  const named = rows.find(({ lines }) => lines.some((line) => isOf(PRESCRIBER, line) || isOf(SIGNED, line)));
  const first = named?.at ?? Math.max(rows[0]?.at ?? 0, end - FOOT_ROWS + 1);
  const last = Math.min(first + FOOT_ROWS - 1, end);
  const prescribers = page.rows.slice(first, last + 1).flat();
  const places = prescribers.filter((line) => isOf(PRESCRIBER, line)).map(({ box }) => [box]);
  return { ...rowsCrop(page, first, last, []), inks: [{ of: 'prescriber', places }] };
}

export function isOfName(word: string, name: Name | null): boolean {
  return name?.words.some((each) => isSameWord(each, word)) ?? false;
}
