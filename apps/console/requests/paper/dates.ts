import { type Box, boxOf, type Line, type Mark, type PaperPage } from './page-lines';

/** Dates beside their labels. Pure. */

const DATE =
  /(?<!\d)(?:(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})|(\d{4})-(\d{2})-(\d{2})|(\d{1,2})\/(\d{1,2})\/(\d{4}))(?!\d)/g;

export interface DateFound {
  /** YYYY-MM-DD; a year of two digits may be of two centuries. */
  days: readonly string[];
  written: string;
  mark: Mark;
  line: Line;
  page: PaperPage;
}

const BIRTH =
  /(?<!\p{L})geb(?:oren|urts?-?(?:datum|tag))?(?!\p{L})[^\d]{0,24}|date of birth[^\d]{0,6}|(?<!\p{L})dob[^\d]{0,6}|(?<!\p{L})born[^\d]{0,8}|\*\s?(?=\d{1,2}[./]\s?\d|\d{4}-)/giu;
/** A name before the marriage. */
const BORN_AS = /^[Gg]eb\.?\s+(?!Datum|Tag)\p{Lu}\p{Ll}/u;
/** The first that the paper has counts. */
const ISSUED = [
  /ausgestellt(?! (?:von|durch))[^\d]{0,16}|ausstellungs?-?(?:datum|tag)[^\d]{0,10}|date of issue[^\d]{0,6}|(?<!\p{L})issued[^\d]{0,8}/giu,
  /(?<!\p{L})(?:rezept|verordnungs)?datum[^\d]{0,10}|(?<!\p{L})date(?! of birth)[^\d]{0,6}/giu,
  /^\p{L}[\p{L} -]+, ?(?:den |am )?(?=\d)/giu,
];

export function birthdaysOn(page: PaperPage): DateFound[] {
  return datesAt(page, BIRTH);
}

export function issuesOn(page: PaperPage): DateFound[][] {
  return ISSUED.map((label) => datesAt(page, label));
}

/** A part of each label, for a look at thousands of lines. */
const LABELLED = /geb|dat[eu]|ausgest|ausstell|dob|born|issued|[*,]/i;

function datesAt(page: PaperPage, label: RegExp): DateFound[] {
  return page.rows.flatMap((row, at) =>
    row.flatMap((line) => {
      if (!LABELLED.test(line.text)) return [];
      return [...line.text.matchAll(label)].flatMap(({ 0: found, index }) => {
        const from = index + found.length;
        const rest = line.text.slice(from);
        const own = [...line.text.matchAll(DATE)].find((date) => date.index === from);
        if (own) return [dateOf(own, line, page)];
        if (BORN_AS.test(found)) return [];
        // A label above its field.
        return /\p{L}{4}/u.test(rest) && !/datum|ausgestellt|geb|date/i.test(rest)
          ? []
          : dateBelow(page, at, line.box);
      });
    }),
  );
}

const ROWS_BELOW = 3;
/** Of the page's width. */
const FAR = 0.35;

/** In the next row that has a date, the one that is nearest to the label. */
function dateBelow(page: PaperPage, at: number, { left }: Box): DateFound[] {
  for (const row of page.rows.slice(at + 1, at + 1 + ROWS_BELOW)) {
    const dates = row.flatMap((line) => [...line.text.matchAll(DATE)].map((date) => ({ line, date })));
    const away = ({ line }: { line: Line }): number => Math.abs(line.box.left - left);
    const [nearest] = dates.sort((one, other) => away(one) - away(other));
    if (nearest && away(nearest) < FAR * page.width) return [dateOf(nearest.date, nearest.line, page)];
  }
  return [];
}

function dateOf(match: RegExpExecArray, line: Line, page: PaperPage): DateFound {
  const { 0: written, index } = match;
  const [, day1, month1, year1, isoYear, isoMonth, isoDay, day2, month2, year2] = match;
  const [day = '', month = '', year = ''] = [
    day1 ?? isoDay ?? day2,
    month1 ?? isoMonth ?? month2,
    isoYear ?? year2 ?? year1,
  ];
  const years = year.length === 2 ? [`20${year}`, `19${year}`] : [year];
  const days = years.map((each) => `${each}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  const mark = boxOf(line, index, index + written.length);
  return { days: days.filter((each) => !Number.isNaN(Date.parse(each))), written, mark, line, page };
}
