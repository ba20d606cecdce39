import { dayOfCode } from './expiry';
import { gtinOf, pznDigitsIn, pznInPpn, pznOf } from './product-numbers';

/**
 * Reads the text of a scanned or typed code: numbers of bar codes (PZN, EAN, UPC), element strings of GS1, and messages of
 * ISO/IEC 15434. Of these it knows Format 05, and Format 06 of the IFA coding system. Pure.
 *
 * Guarantee: a code is read whole and in one way only, or it is unreadable with the reason. No lot or day is guessed.
 */

interface Pack {
  kind: 'pzn' | 'gtin' | 'gs1' | 'ifa';
  /** 8 digits. */
  pzn?: string;
  /** 14 digits. */
  gtin?: string;
  /** In upper case. */
  lot?: string;
  /** YYYY-MM-DD, the last good day. */
  expires_on?: string;
  serial?: string;
}

/** `p1_id` is any text without the form of a known code: perhaps the id of a product, or a parcel's number. */
export type Scan =
  | Pack
  | { kind: 'pzn_or_gtin'; pzn: string; gtin: string }
  | { kind: 'p1_id'; p1_id: string }
  | { kind: 'unreadable'; because: Unreadable };

export type Unreadable =
  | 'empty'
  | 'too_long'
  /** Not the form of its kind of code, or a field that its standard does not know or allow. */
  | 'form'
  | 'check_digit'
  /** No such day. */
  | 'date'
  /** The end is missing. */
  | 'cut'
  | 'two_codes'
  /** Group separators are missing, and more than one split into fields is valid. */
  | 'separators'
  /** No number of a product, such as on a shipping label. */
  | 'no_product'
  /** A national number of another country. */
  | 'foreign'
  /** The scanner's keyboard layout is not that of the device. */
  | 'layout';

export interface ReadingOptions {
  /** Decides the century of a day. */
  year: number;
}

const MAX_TEXT_LENGTH = 512;
const MAX_PRODUCT_ID_LENGTH = 255;

/** The character that a scanner meant, by the one that arrived; others arrive as they are. */
export type Layout = Readonly<Record<string, string>>;

/** A scanner for US keyboards at a device with a German one. */
export const US_ON_GERMAN = layout(
  `ß- ?_ ü[ Ü{ +] *} ö; Ö: ä' Ä" #\\ '| -/ _? ;< :> "@ §# &^ /& (* )( =) yz zy YZ ZY`,
);
/** A scanner for German keyboards at a device with a US one. What AltGr writes, such as [, does not arrive. */
export const GERMAN_ON_US = layout(`/- ?_ _? ]+ }* \\# <; >: @" ^& &/ *( () )= yz zy YZ ZY`);

function layout(pairs: string): Layout {
  return Object.fromEntries(pairs.split(' ').map(([arrived = '', meant = '']) => [arrived, meant]));
}

export function readScan(arrived: string, { year }: ReadingOptions): Scan {
  const read = readText(arrived, year);
  if (isPack(read)) return read;
  const isOtherLayout = [US_ON_GERMAN, GERMAN_ON_US].some(
    (other) => isWrittenBy(other, arrived) && isPack(readText(translated(arrived, other), year)),
  );
  return isOtherLayout ? unreadable('layout') : read;
}

/** Whether some keys of the text are of the layout, and none is one that it never writes. */
export function isWrittenBy(keys: Layout, text: string): boolean {
  const meant = new Set(Object.values(keys));
  const arrived = [...text];
  return arrived.some((key) => key in keys) && arrived.every((key) => key in keys || !meant.has(key));
}

export function translated(text: string, keys: Layout): string {
  return [...text].map((key) => keys[key] ?? key).join('');
}

/** Whether it names a product by its number. */
export function isPack({ kind }: Scan): boolean {
  return kind !== 'p1_id' && kind !== 'unreadable';
}

function unreadable(because: Unreadable): { kind: 'unreadable'; because: Unreadable } {
  return { kind: 'unreadable', because };
}

/** A symbology identifier of AIM: ISO/IEC 15424. */
const IDENTIFIER = /^\]([A-Za-z])([0-9A-Za-z])/;
const SEPARATOR = '\x1d';

function readText(arrived: string, year: number): Scan {
  // A device may write a control character of Alt and a number besides the one that was read from the keys.
  const text = arrived.trim().replace(/([\x04\x1d\x1e])\1+/g, '$1');
  if (text === '') return unreadable('empty');
  if (text.length > MAX_TEXT_LENGTH) return unreadable('too_long');
  const [identifier = '', symbology = '', modifier = ''] = IDENTIFIER.exec(text) ?? [];
  const data = text.slice(identifier.length);
  if (/[\r\n\t]|.\[\)>|\][ACEIQd][0-6]/s.test(data)) return unreadable('two_codes');
  if (data.startsWith('[)>')) return readMessage(data, year);
  const isGs1 = ['C1', 'Q3', 'd2', 'e0'].includes(`${symbology}${modifier}`) || data.includes(SEPARATOR);
  if (isGs1) return readElements(data, { year, isSplit: data.includes(SEPARATOR) });
  if (symbology === 'E') return numberOf(data, 'gtin');
  return readNumber(data, symbology) ?? readUnmarked(data, year);
}

/** Bar codes of one number; null for another text. */
function readNumber(data: string, symbology: string): Scan | null {
  const marked = /^\*?-(.*?)\*?$/.exec(data)?.[1] ?? /^PZN[-: ]*(\d+)$/i.exec(data)?.[1];
  if (marked !== undefined) {
    return /^\d{7,8}\*{0,2}-\d{7,8}$/.test(marked) ? unreadable('two_codes') : numberOf(marked, 'pzn');
  }
  if (symbology === 'A' && /^\d{7,8}$/.test(data)) return numberOf(data, 'pzn');
  return /^(?:\d{7,8}|\d{12,14})$/.test(data) ? numberOf(data, 'any') : null;
}

/** Eight digits are a PZN or a GTIN-8 by their check digit, where the kind of bar code does not decide. */
function numberOf(digits: string, kind: 'pzn' | 'gtin' | 'any'): Scan {
  const gtin = kind === 'pzn' ? null : gtinOf(digits);
  const pzn = kind === 'gtin' ? null : pznOf(digits);
  if (pzn !== null && gtin !== null) return { kind: 'pzn_or_gtin', pzn, gtin };
  if (pzn !== null) return { kind: 'pzn', pzn };
  if (gtin !== null) return withNumbers({ kind: 'gtin', gtin });
  return unreadable(/^(?:\d{7,8}|\d{12,14})$/.test(digits) ? 'check_digit' : 'form');
}

/** A GTIN that is made of a PZN names both. */
function withNumbers(pack: Pack & { gtin: string }): Scan {
  const digits = pznDigitsIn(pack.gtin);
  if (digits === null) return pack;
  const pzn = pznOf(digits);
  return pzn === null || (pack.pzn ?? pzn) !== pzn ? unreadable('check_digit') : { ...pack, pzn };
}

/** Without identifier and separator: element strings of GS1, two numbers without an end between them, or an id. */
function readUnmarked(data: string, year: number): Scan {
  const elements = readElements(data, { year, isSplit: false });
  if (isPack(elements) || (elements.kind === 'unreadable' && elements.because === 'separators'))
    return elements;
  if (/^01\d{14}/.test(data)) return elements;
  const half = data.length / 2;
  const halves = [data.slice(0, half), data.slice(half)];
  if (/^\d+$/.test(data) && halves.every((number) => number.length > 7 && gtinOf(number) !== null))
    return unreadable('two_codes');
  const isId = data.length <= MAX_PRODUCT_ID_LENGTH && !/\p{Cc}/u.test(data);
  return isId ? { kind: 'p1_id', p1_id: data } : unreadable('form');
}

// ---- element strings of GS1 ----

/** Digits of an application identifier, by its first two: GS1 General Specifications, section 7.8. */
const IDENTIFIER_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^(?:0[0-4]|1\d|2[0-2]|30|37|9\d)/, 2],
  [/^(?:23|24|25|40|41|42|71)/, 3],
  [/^(?:3[1-6]|39|43|70|72|8[0-2])/, 4],
];
/** Digits of a value with a predefined length, by the first two digits of its identifier: figure 7.8.5-2. */
const VALUE_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^00/, 18],
  [/^0[1-3]/, 14],
  [/^04/, 16],
  [/^1[1-9]/, 6],
  [/^20/, 2],
  [/^3[1-6]/, 6],
  [/^41/, 13],
];
/** Characters of a lot and of a serial number: figure 7.11-1. */
const VALUE_TEXT = /^[!"%-?A-Z_a-z]{1,20}$/;

type Fields = Readonly<Record<string, string>>;
type Rules = (field: string, value: string) => Unreadable | null;

/** `isSplit`: its separators arrived. */
interface Arrival {
  year: number;
  isSplit: boolean;
}

function readElements(data: string, { year, isSplit }: Arrival): Scan {
  const rules = elementRules(year);
  const fields = isSplit ? separated(data, rules) : onlySplit(data, elementAt, rules);
  if (typeof fields === 'string') return unreadable(fields);
  const { '01': gtin, '10': lot, '17': day, '21': serial, '710': pzn } = fields;
  if (gtin === undefined) return unreadable('no_product');
  const national = pzn === undefined ? {} : { pzn: pznOf(pzn) ?? '' };
  return withNumbers({ kind: 'gs1', gtin, ...national, ...packFields(year, { lot, day, serial }) });
}

function elementRules(year: number): Rules {
  return (field, value) => {
    if (field === '01') return gtinOf(value) === null ? 'check_digit' : null;
    if (field === '17') return dayOfCode(value, year) === null ? 'date' : null;
    if (field === '710') return pznOf(value) === null ? 'check_digit' : null;
    if (field === '10' || field === '21') return valueProblem(value);
    return value === '' ? 'cut' : null;
  };
}

function valueProblem(value: string): Unreadable | null {
  if (value === '') return 'cut';
  // The number of the next code, sent without an end between them.
  const next = /01(\d{14})/.exec(value)?.[1];
  if (next !== undefined && gtinOf(next) !== null) return 'two_codes';
  return VALUE_TEXT.test(value) ? null : 'form';
}

interface FieldStart {
  field: string;
  /** Where the value begins. */
  from: number;
  /** Characters of the value; null where a separator or the next field ends it. */
  length: number | null;
}

function elementAt(data: string, place: number): FieldStart | null {
  const rest = data.slice(place, place + 4);
  const digits = IDENTIFIER_LENGTHS.find(([form]) => form.test(rest))?.[1];
  if (digits === undefined || !/^\d+$/.test(rest.slice(0, digits))) return null;
  const length = VALUE_LENGTHS.find(([form]) => form.test(rest))?.[1] ?? null;
  return { field: rest.slice(0, digits), from: place + digits, length };
}

/** The fields of element strings whose separators arrived. */
function separated(data: string, rules: Rules): Fields | Unreadable {
  const fields: Record<string, string> = {};
  let place = 0;
  while (place < data.length) {
    if (data[place] === SEPARATOR) {
      place += 1;
      continue;
    }
    const start = elementAt(data, place);
    if (!start) return 'form';
    const { field, from, length } = start;
    const end = data.indexOf(SEPARATOR, from);
    const whole = end === -1 ? data.length : end;
    place = length === null ? whole : from + length;
    if (place > whole) return 'cut';
    const value = data.slice(from, place);
    if (fields[field] !== undefined) return 'two_codes';
    const problem = rules(field, value);
    if (problem !== null) return problem;
    fields[field] = value;
  }
  return fields;
}

/**
 * The fields of a code without separators, where one split alone is valid. A value may end before any
 * field that could follow it. The reason for a refusal is that of the way in which each value is as long as can be.
 */
function onlySplit(
  data: string,
  startAt: (data: string, place: number) => FieldStart | null,
  rules: Rules,
): Fields | Unreadable {
  const found: Fields[] = [];
  const reasons: Unreadable[] = [];
  const walk = (place: number, fields: Fields): unknown => {
    if (place === data.length)
      return PRODUCT_FIELDS.some((field) => fields[field] !== undefined)
        ? found.push(fields)
        : reasons.push('no_product');
    const start = startAt(data, place);
    if (!start || !SPLIT_FIELDS.has(start.field)) return reasons.push('form');
    const { field, from, length } = start;
    if (fields[field] !== undefined) return reasons.push('two_codes');
    const longest = Math.min(data.length, from + (length ?? MAX_VALUE_LENGTH));
    const shortest = length === null ? Math.min(from + 1, longest) : longest;
    if (longest < from + (length ?? 1)) return reasons.push('cut');
    for (let end = longest; end >= shortest; end -= 1) {
      const value = data.slice(from, end);
      const problem = rules(field, value);
      if (problem === null) walk(end, { ...fields, [field]: value });
      else reasons.push(problem);
    }
    return null;
  };
  walk(0, {});
  if (found.length > 1) return 'separators';
  return found[0] ?? reasons[0] ?? 'form';
}

/** Of a lot and of a serial number. */
const MAX_VALUE_LENGTH = 20;
const PRODUCT_FIELDS = ['01', '9N', '8P'];
/** Without separators no other fields are read: each may begin with the characters of the value before it. */
const SPLIT_FIELDS = new Set([...PRODUCT_FIELDS, '00', '10', '11', '17', '21', '1T', 'D', 'S']);

// ---- messages of ISO/IEC 15434 ----

const HEADER = /^\[\)>(\x1e?)(0[56])\x1d?/;
const TRAILER = /(\x1e?)\x04?$/;

function readMessage(data: string, year: number): Scan {
  const [header = '', begin = '', format = ''] = HEADER.exec(data) ?? [];
  if (header === '') return unreadable(/^\[\)>\x1e?0?$/.test(data) ? 'cut' : 'form');
  const [trailer = '', end = ''] = TRAILER.exec(data) ?? [];
  if (begin !== '' && end === '') return unreadable('cut');
  const body = data.slice(header.length, data.length - trailer.length);
  const arrival = { year, isSplit: data.includes(SEPARATOR) };
  return format === '05' ? readElements(body, arrival) : readIfa(body, arrival);
}

/** Data identifiers of ASC MH10 in the message of the IFA coding system. */
function readIfa(body: string, { year, isSplit }: Arrival): Scan {
  const rules = ifaRules(year);
  const fields = isSplit ? listed(body, rules) : onlySplit(body, ifaAt, rules);
  if (typeof fields === 'string') return unreadable(fields);
  const { '9N': ppn, '8P': number, '1T': lot, D: day, S: serial } = fields;
  const gtin = number === undefined ? null : gtinOf(number);
  const numbers = ppn === undefined ? {} : { pzn: pznInPpn(ppn) ?? '' };
  const pack: Pack = { kind: 'ifa', ...numbers, ...packFields(year, { lot, day, serial }) };
  if (gtin !== null) return withNumbers({ ...pack, gtin });
  return ppn === undefined ? unreadable('no_product') : pack;
}

function ifaRules(year: number): Rules {
  return (field, value) => {
    if (field === '9N') return ppnProblem(value);
    if (field === '8P') return gtinOf(value) === null ? 'check_digit' : null;
    if (field === 'D') return dayOfCode(value, year) === null ? 'date' : null;
    return field === '1T' || field === 'S' ? valueProblem(value) : null;
  };
}

function ppnProblem(value: string): Unreadable | null {
  if (/^\d{2}/.test(value) && !value.startsWith('11')) return 'foreign';
  if (pznInPpn(value) !== null) return null;
  return value.length < 12 ? 'cut' : 'check_digit';
}

const IFA_FIELD = /^(\d{0,3}[A-Z])/;
const IFA_LENGTHS: Readonly<Record<string, number>> = { '9N': 12, '8P': 14, D: 6 };

function ifaAt(data: string, place: number): FieldStart | null {
  const field = IFA_FIELD.exec(data.slice(place))?.[1];
  if (field === undefined) return null;
  return { field, from: place + field.length, length: IFA_LENGTHS[field] ?? null };
}

function listed(body: string, rules: Rules): Fields | Unreadable {
  const fields: Record<string, string> = {};
  for (const part of body.split(SEPARATOR)) {
    const start = ifaAt(part, 0);
    if (!start) return 'form';
    const value = part.slice(start.from);
    if (fields[start.field] !== undefined) return 'two_codes';
    const problem = rules(start.field, value);
    if (problem !== null) return problem;
    fields[start.field] = value;
  }
  return fields;
}

interface RawFields {
  lot?: string | undefined;
  day?: string | undefined;
  serial?: string | undefined;
}

function packFields(year: number, { lot, day, serial }: RawFields): Omit<Pack, 'kind'> {
  const expiresOn = day === undefined ? null : dayOfCode(day, year);
  return {
    ...(lot === undefined ? {} : { lot: lot.toUpperCase() }),
    ...(expiresOn === null ? {} : { expires_on: expiresOn }),
    ...(serial === undefined ? {} : { serial }),
  };
}
