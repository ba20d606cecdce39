import type { DocumentKind } from '@offizin/contracts/requests/review';
import { folded, type Token, tokensOf } from './document-words';
import { type FoundPlace, type MedicineFinding, medicinesIn, type WantedLine } from './medicine-findings';
import { isBreak, isHyphenated, lineBefore } from './medicine-phrases';

/** What the text of a document says about a request. Pure comparison: the pharmacist judges. */

export interface Wanted {
  customerName: string | null;
  lines: readonly WantedLine[];
}

export interface Findings {
  /** The document has no text: it is a picture. */
  isScan: boolean;
  hasName: boolean;
  /** YYYY-MM-DD, when a date of issue was found. */
  issuedOn: string | null;
  medicines: readonly MedicineFinding[];
  /** Of the prescriber, as it is written. */
  phone: string | null;
}

export function findingsIn(text: string, { customerName, lines }: Wanted): Findings {
  const tokens = tokensOf(text);
  return {
    isScan: isPicture(tokens),
    hasName: namesIn(tokens, customerName).length > 0,
    issuedOn: issuedOn(text),
    medicines: medicinesIn(tokens, lines).medicines,
    phone: /(?:Tel(?:efon)?\.?|Fon)\s*:?\s*(\+?[\d][\d ()/-]{5,20}\d)/i.exec(text)?.[1]?.trim() ?? null,
  };
}

function isPicture(tokens: readonly Token[]): boolean {
  return tokens.filter(({ type }) => type === 'word').length < 4;
}

/** Whether a text is too short to compare anything with. */
export function isScan(text: string): boolean {
  return isPicture(tokensOf(text));
}

/** Places of name and medicines in the text of a page, and their differences. */
export function placesIn(text: string, { customerName, lines }: Wanted): FoundPlace[] {
  const tokens = tokensOf(text);
  const names = namesIn(tokens, customerName).map(({ from, to }) => ({ from, to, isOther: false }));
  return [...names, ...medicinesIn(tokens, lines).places];
}

const TITLES = new Set(['dr', 'prof', 'med', 'herr', 'frau', 'dipl', 'von', 'van', 'der', 'de', 'zu']);
const STREET = /^(?:str|strasse|weg|platz|gasse|allee|ring|damm)$/;

/** The parts of the name where they stand together, in whatever order. */
function namesIn(tokens: readonly Token[], name: string | null, isPrescriber = false): Token[] {
  const words = tokensOf(name ?? '').map(({ text }) => folded(text));
  const parts = words.filter((word) => /^[\p{L}\p{N}]{2,}$/u.test(word) && !TITLES.has(word));
  if (parts.length === 0) return [];
  const isDoctor = isPrescriber || words.some((word) => word === 'dr' || word === 'prof');
  return tokens.flatMap((_, start) => nameAt(tokens, start, parts, isDoctor));
}

function nameAt(
  tokens: readonly Token[],
  start: number,
  parts: readonly string[],
  isDoctor: boolean,
): Token[] {
  const open = [...parts];
  const found: Token[] = [];
  let hasBreak = false;
  let at = start;
  for (; open.length > 0; at += 1) {
    const token = tokens[at];
    const index = token ? open.indexOf(folded(token.text)) : -1;
    if (!token || (at === start && index < 0)) return [];
    if (index >= 0) {
      open.splice(index, 1);
      found.push(token);
    } else if (token.type === 'line') hasBreak = true;
    else if (!isWithinName(token)) return [];
  }
  const before = lineBefore(tokens, start);
  const next = tokens[at];
  const isAlone = before.length === 0 && (isBreak(next) || next?.type !== 'word');
  const isStreet = next?.type === 'word' && STREET.test(folded(next.text));
  const isPart = isHyphenated(tokens, start, -1) || isHyphenated(tokens, at - 1, 1);
  // The prescriber may be called like the patient.
  const isPrescriber = !isDoctor && before.some(({ text }) => /^(?:dr|prof)$/.test(text));
  return isPart || isStreet || isPrescriber || (hasBreak && !isAlone) ? [] : found;
}

/** Commas, titles and initials. */
function isWithinName({ type, text }: Token): boolean {
  if (type === 'mark') return /^[,.'’‐‑-]$/.test(text);
  return type === 'word' && (TITLES.has(text) || text.length === 1);
}

/** The first that the text names; a printout is one only by its own head, since it asks for less. */
const KINDS: readonly (readonly [DocumentKind, RegExp])[] = [
  ['narcotic', /bet(?:ä|ae)ubungsmittel|(?<!\p{L})btm/iu],
  ['private', /privat-?\s?(?:rezept|verordnung)/i],
  ['electronic', /ausdruck zur einl(?:ö|oe)sung ihre[sr] e-?\s?(?:rezept|verordnung)/i],
];

export function kindIn(text: string): DocumentKind | null {
  return KINDS.find(([, words]) => words.test(text))?.[0] ?? null;
}

const DATE = /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/g;
const ISSUED = /(?:ausgestellt|ausstellung\w*|(?<!\p{L})datum)(.{0,160})/isu;
const BIRTHDAY = /geb\p{L}*[.:\s]*(?:am\s*)?\d{1,2}\.\s?\d{1,2}\.\s?\d{4}/giu;
/** Birthdays, ends and prints are no dates of issue. */
const OTHER_DATE = /(?:geb\p{L}*|bis|druck\p{L}*|gedruckt)[.:\s]*(?:am\s*)?\d{1,2}\.\s?\d{1,2}\.\s?\d{4}/giu;

/** Whether the text has this day (YYYY-MM-DD), in the German or the ISO form, also with two digits for the year. */
export function hasDay(text: string, day: string): boolean {
  const [year = '', month, date] = day.split('-');
  const german = `0?${Number(date)}\\.\\s?0?${Number(month)}\\.\\s?(?:${year}|${year.slice(2)})`;
  return new RegExp(`(?<!\\d)(?:${german}|${day})(?!\\d)`).test(text);
}

/** Days after a word such as "geb.". */
export function birthdaysIn(text: string): string[] {
  return [...text.matchAll(BIRTHDAY)].flatMap(([written]) => daysIn(written));
}

/** Whether the parts of a prescriber's name stand together in the text. */
export function hasName(text: string, name: string): boolean {
  return namesIn(tokensOf(text), name, true).length > 0;
}

/** The newest date after a word such as "Ausgestellt am", else the newest of all: a birthday is older. */
export function issuedOn(text: string): string | null {
  const dates = text.replaceAll(OTHER_DATE, ' ');
  const near = daysIn(ISSUED.exec(dates)?.[1] ?? '');
  return (near.length > 0 ? near : daysIn(dates)).sort().at(-1) ?? null;
}

function daysIn(text: string): string[] {
  return [...text.matchAll(DATE)].flatMap(([, day = '', month = '', year = '']) => {
    const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const time = new Date(`${written}T00:00:00Z`);
    return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(written) ? [] : [written];
  });
}
