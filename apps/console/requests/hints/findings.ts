import type { DocumentKind } from '@offizin/contracts/requests/review';
import { folded, type Token, tokensOf } from './document-words';
import { type FoundPlace, type MedicineFinding, medicinesIn, type WantedLine } from './medicine-findings';
import { isBreak, isHyphenated, lineBefore, lineFrom } from './medicine-phrases';

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
  const own = ownPages(text, customerName);
  return {
    isScan: isScan(text),
    hasName: namesIn(tokensOf(own), customerName).length > 0,
    issuedOn: issuedOn(own),
    medicines: medicinesIn(tokensOf(own), lines).medicines,
    phone: /(?:Tel(?:efon)?\.?|Fon)\s*:?\s*(\+?[\d][\d ()/-]{5,20}\d)/i.exec(own)?.[1]?.trim() ?? null,
  };
}

/** Without the pages of other patients: files and documents may hold prescriptions of several people. */
export function ownPages(text: string, customerName: string | null): string {
  const pages = text.split('\f').map((page) => ({ page, tokens: tokensOf(page) }));
  const isNamed = pages.map(({ tokens }) => namesIn(tokens, customerName).length > 0);
  if (!isNamed.includes(true)) return text;
  const own = pages.filter(
    ({ tokens }, at) => isNamed[at] || !tokens.some((token) => OWNER.test(token.text)),
  );
  return own.map(({ page }) => page).join('\f');
}

const OWNER = /^(?:patient(?:in)?|versichert\p{L}*|geb(?:oren)?|geburts\p{L}*)$/u;

/** Whether a text is too short to compare anything with. */
export function isScan(text: string): boolean {
  return tokensOf(text).filter(({ type }) => type === 'word').length < 4;
}

/** Places of name and medicines in the text of a page, and their differences. */
export function placesIn(text: string, { customerName, lines }: Wanted): FoundPlace[] {
  const tokens = tokensOf(text);
  const names = namesIn(tokens, customerName).map(({ from, to }) => ({ from, to, isOther: false }));
  return [...names, ...medicinesIn(tokens, lines).places];
}

const TITLES = new Set(['dr', 'prof', 'med', 'herr', 'frau', 'dipl', 'von', 'van', 'der', 'de', 'zu']);
const PLACE =
  /^(?:str|strasse|weg|platz|gasse|allee|ring|damm|apotheke|praxis|klinik(?:um)?|krankenhaus|stiftung)$/;
const TITLE = /^(?:dr|dres|prof)$/;
const DOCTOR = /^(?:\p{L}*praxis|\p{L}*arzt(?:in)?|verordner(?:in)?|gez|vertretung|ausgestellt)$/u;
/** Relatives, and doctors who prescribe nothing here. */
const NEITHER =
  /^(?:mutter|vater|eltern|kind|sohn|tochter|vertreter(?:in)?|vertreten|uberwiesen|uberweis\p{L}*)$/u;
/** "Arzt / Praxis" alone is a heading of forms. */
const TITLE_ABOVE = /^(?:dr|dres|prof|med|dent|\p{L}+praxis)$/u;
const PATIENT = /^(?:patient(?:in)?|versichert\p{L}*|fur|name)$/u;

interface FoundName {
  tokens: readonly Token[];
  /** Whose name it is, as the words beside it say. */
  role: 'doctor' | 'neither' | 'patient' | null;
}

/** The name of the patient, who may be called like the prescriber. */
function namesIn(tokens: readonly Token[], name: string | null): Token[] {
  const isDoctor = tokensOf(name ?? '').some(({ text }) => text === 'dr' || text === 'prof');
  return everyName(tokens, name).flatMap((found) =>
    found.role === 'neither' || (found.role === 'doctor' && !isDoctor) ? [] : found.tokens,
  );
}

/** The parts of the name where they stand together, in whatever order. */
function everyName(tokens: readonly Token[], name: string | null): FoundName[] {
  const words = tokensOf(name ?? '').map(({ text }) => folded(text));
  const parts = words.filter((word) => /^[\p{L}\p{N}]{2,}$/u.test(word) && !TITLES.has(word));
  return parts.length === 0 ? [] : tokens.flatMap((_, start) => nameAt(tokens, start, parts));
}

function nameAt(tokens: readonly Token[], start: number, parts: readonly string[]): FoundName[] {
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
  const isPart = isHyphenated(tokens, start, -1) || isHyphenated(tokens, at - 1, 1);
  const next = tokens[at];
  const isPlace = next?.type === 'word' && PLACE.test(folded(next.text));
  const isMixed = hasBreak ? !isAlone(tokens, start, at) : isBetweenNames(tokens, start, at);
  return isPart || isPlace || isMixed ? [] : [{ tokens: found, role: roleOf(tokens, start, at) }];
}

/** A name on several lines has these to itself, and no line of one word beside them, which may be of another name. */
function isAlone(tokens: readonly Token[], start: number, end: number): boolean {
  const next = tokens[end];
  if (lineBefore(tokens, start).length > 0 || (!isBreak(next) && next?.type === 'word')) return false;
  const above = lineBefore(tokens, start - 1);
  const isLabelled = above.some(({ text }) => PATIENT.test(folded(text)) || TITLES.has(text));
  const below = isBreak(next) ? lineFrom(tokens, end + 1) : [];
  return (isLabelled || !isOneWord(above)) && !isOneWord(below);
}

function isOneWord(line: readonly Token[]): boolean {
  return line.length === 1 && line[0]?.type === 'word';
}

/** "Vogel, Lukas Becker, Anna" names no Lukas Becker, and "Max Vogel, Anna Berg" no Anna Vogel. */
function isBetweenNames(tokens: readonly Token[], start: number, end: number): boolean {
  const hasComma = tokens.slice(start, end).some(({ text }) => text === ',');
  const first = tokens[start - 1];
  const isGiven = first?.type === 'word' && !isWithinName(first) && !PATIENT.test(folded(first.text));
  if (hasComma && isGiven) return true;
  const [one, before, after, other] = [start - 2, start - 1, end, end + 1].map((at) => tokens[at]);
  const hasNames = one?.type === 'word' && other?.type === 'word' && !other.text.startsWith('geb');
  return hasNames && before?.text === ',' && after?.text === ',';
}

function roleOf(tokens: readonly Token[], start: number, end: number): FoundName['role'] {
  const next = tokens.slice(end, end + 3);
  const word = folded(next.find(({ type }) => type === 'word')?.text ?? '');
  if (/^geb/.test(word)) return 'patient';
  // "Arzt:" begins what comes after it.
  if (/arzt(?:in)?$/.test(word) && next.at(-1)?.text !== ':') return 'doctor';
  const before = lineBefore(tokens, start).map(({ text }) => folded(text));
  const label = before.findLast((text) => !TITLES.has(text) && roleOfLabel(text) !== null);
  const last = before.findLast((text) => !TITLES.has(text));
  if (label !== undefined && NEITHER.test(label)) return 'neither';
  // "Patient: Max Vogel Dr. Anna Berg"
  if (before.some((text) => TITLE.test(text)) && (label === undefined || last !== label)) return 'doctor';
  if (label !== undefined) return roleOfLabel(label);
  const above = tokens[start - 1]?.type === 'line' ? lineBefore(tokens, start - 1).at(-1) : undefined;
  return TITLE_ABOVE.test(folded(above?.text ?? '')) ? 'doctor' : null;
}

function roleOfLabel(text: string): FoundName['role'] {
  if (NEITHER.test(text)) return 'neither';
  if (PATIENT.test(text)) return 'patient';
  return DOCTOR.test(text) ? 'doctor' : null;
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

const DATE = String.raw`(?<!\d)(?:\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})(?!\d)`;
/** On the line of its label, or alone on the next one: under several labels stand several dates. */
function dateAfter(label: string): RegExp {
  const labelled = String.raw`(?:${label})[.:,\t \u00a0]*(?:(?:am|ab|vom|den)[.:\t \u00a0]*)?`;
  return new RegExp(
    String.raw`(?<![\p{L}-])${labelled}${DATE}|^${labelled}\r?\n[\t ]*${DATE}[\t ]*$`,
    'gimu',
  );
}
const BIRTHDAY = dateAfter(String.raw`geb\p{L}{0,20}[. -]{0,3}(?:datum|tag)?`);
/** Ends, prints, visits and the like are no dates of issue or birth. */
const OTHER_DATE = dateAfter(
  String.raw`bis|ab|seit|verwendbar|\p{L}{0,20}druck\p{L}{0,20}|print|\p{L}{0,20}termin|\p{L}{0,20}eingang\p{L}{0,20}|eingegangen|\p{L}{0,20}abgabe\p{L}{0,20}|abgegeben|\p{L}{0,20}fax|gelesen|\p{L}{0,20}liefer\p{L}{0,20}|folge\p{L}{0,20}|wiederholung\p{L}{0,20}|letzte\p{L}{0,20}`,
);
/** The first that the text has counts. */
const DATES_OF_ISSUE = [
  String.raw`ausgestellt|ausstellung\p{L}{0,20}`,
  String.raw`(?:rezept|verordnungs)?datum`,
].map(dateAfter);
const ISSUED = /(?:ausgestellt|ausstellung\w*|(?<!\p{L})datum)(.{0,160})/isu;

/** Whether the text has this day (YYYY-MM-DD), in the German or the ISO form, also with two digits for the year. */
function hasDay(text: string, day: string): boolean {
  const [year = '', month, date] = day.split('-');
  const german = `0?${Number(date)}\\.\\s?0?${Number(month)}\\.\\s?(?:${year}|${year.slice(2)})`;
  return new RegExp(`(?<!\\d)(?:${german}|${day})(?!\\d)`).test(text);
}

/** `instead`: what the document has in its place. */
interface DayFound {
  isFound: boolean;
  instead: readonly string[];
}

/** A birthday has its label, or nothing says that it is another day. Its century is written; two labelled ones are doubtful. */
export function birthdayIn(text: string, day: string): DayFound {
  const own = text.replaceAll(RELATIVE, ' ');
  const labelled = matchesOf(own, BIRTHDAY);
  if (labelled !== '') {
    const days = daysIn(labelled);
    const isOnly = new Set(days).size === 1;
    return { isFound: isOnly && days.includes(day), instead: isOnly || !days.includes(day) ? days : [] };
  }
  const issues = DATES_OF_ISSUE.reduce((rest, label) => rest.replaceAll(label, ' '), own);
  const isFound = daysIn(issues.replaceAll(OTHER_DATE, ' ')).includes(day) && day !== issuedOn(text);
  return { isFound, instead: [] };
}

/** A line about a relative of the patient. */
const RELATIVE =
  /^.*(?<!\p{L})(?:mutter|vater|eltern|kind|sohn|tochter|ehefrau|ehemann|partner(?:in)?|vertreter(?:in)?|betreuer(?:in)?)(?!\p{L}).*$/gimu;

/** A day of issue likewise. */
export function dayOfIssueIn(text: string, day: string): DayFound {
  const found = issuedOn(text);
  const isFound = hasDay(labelledIssues(text) || withoutOthers(text), day);
  return { isFound, instead: found === null ? [] : [found] };
}

/** Whether the parts of a prescriber's name stand together in the text, and are not the patient's. */
export function hasPrescriber(text: string, name: string, customerName: string | null): boolean {
  const tokens = tokensOf(text);
  const patients = new Set(everyName(tokens, customerName).flatMap((found) => found.tokens));
  return everyName(tokens, name).some(
    (found) =>
      found.role === 'doctor' || (found.role === null && !found.tokens.some((each) => patients.has(each))),
  );
}

/** The oldest date with the label, else the newest near the label, else the newest of all: a birthday is older. */
export function issuedOn(text: string): string | null {
  const labelled = daysIn(withCenturies(labelledIssues(text))).sort()[0];
  if (labelled !== undefined) return labelled;
  const dates = withoutOthers(text);
  const near = daysIn(ISSUED.exec(dates)?.[1] ?? '');
  return (near.length > 0 ? near : daysIn(dates)).sort().at(-1) ?? null;
}

/** 20.11.26 was written in this century. */
function withCenturies(text: string): string {
  return text.replaceAll(/(?<=\d\.\s?)(\d{2})(?!\d|\.\s?\d)/g, '20$1');
}

function labelledIssues(text: string): string {
  const others = text.replaceAll(BIRTHDAY, ' ');
  return DATES_OF_ISSUE.map((label) => matchesOf(others, label)).find((found) => found !== '') ?? '';
}

function withoutOthers(text: string): string {
  return text.replaceAll(BIRTHDAY, ' ').replaceAll(OTHER_DATE, ' ');
}

function matchesOf(text: string, pattern: RegExp): string {
  return [...text.matchAll(pattern)].map(([written]) => written).join(' ');
}

const FULL_DATE = /(?<!\d)(?:(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})|(\d{4})-(\d{2})-(\d{2}))(?!\d)/g;

function daysIn(text: string): string[] {
  return [...text.matchAll(FULL_DATE)].flatMap(([, date, month, year, isoYear, isoMonth, isoDate]) => {
    const [day, ofMonth] = [date ?? isoDate ?? '', month ?? isoMonth ?? ''];
    const written = `${year ?? isoYear ?? ''}-${ofMonth.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const time = new Date(`${written}T00:00:00Z`);
    return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(written) ? [] : [written];
  });
}
