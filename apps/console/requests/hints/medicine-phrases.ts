import { type Fact, folded, formOf, type Token } from './document-words';

/** Which words and measures of a document are about the medicine that it names. In doubt they are not. Pure. */

/** A name with what is said about it, up to the first word of something else. */
export interface Phrase {
  name: readonly Token[];
  rest: readonly Token[];
  /** Numbers and units before the name on its line; empty after a word. */
  before: readonly Token[];
  /** It is not clear that this medicine is prescribed, or that all of `rest` is about it. */
  isDoubtful: boolean;
}

/** Lines after the name; each counts only as a whole. */
const MAX_LINES = 3;

export function phraseAt(tokens: readonly Token[], start: number, words: readonly string[]): Phrase | null {
  const name: Token[] = [];
  let rest: Token[] = [];
  let line: Token[] = [];
  let lines = 0;
  let end: Ending = 'page';
  let at = start;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) break;
    const ends =
      token.type === 'word' && folded(token.text) === words[name.length] ? 'name' : endingOf(token, words);
    if (ends === 'name') {
      name.push(token);
      rest = rest.concat(line);
      [line, lines] = [[], 0];
    } else if (ends === null) line.push(token);
    else if (ends === 'line' && lines < MAX_LINES) {
      lines += 1;
      rest = rest.concat(line);
      line = [];
    } else {
      end = ends;
      break;
    }
  }
  if (name.length < words.length || isPartOfWord(tokens, start, name)) return null;
  const isOwnLine = lines === 0;
  const isSeparate = /^[,;(]$/.test(line.at(-1)?.text ?? '');
  if (isOwnLine) rest = rest.concat(withoutDosage(line, end));
  else if (end === 'page' || end === 'line') rest = rest.concat(line);
  const lead = lineBefore(tokens, start);
  const isOther = isOwnLine && end === 'word' && !isSeparate;
  const isDosed = end === 'dose' || end === 'before' || end === 'after';
  const isNamed = lead.some(({ type, text }) => type === 'word' && text !== 'rp');
  return {
    name,
    rest,
    before: isNamed ? [] : lead.filter((token) => !isDosed || isAmount(token, isOwnLine)),
    isDoubtful: isOther || isTakenBack(tokens, start, name, at) || ADDRESS.test(lineText(tokens, start)),
  };
}

/** In a text with a dosage, `3 x` belongs to that, and so may `2 Tabletten` on the same line. */
function isAmount(token: Token, isOwnLine: boolean): boolean {
  return token.type === 'packs' ? !token.isTimes : !isOwnLine;
}

type Ending = 'page' | 'line' | 'dose' | 'word' | 'before' | 'after';

/** How a token ends what is said about a medicine; null when it belongs to it. */
function endingOf({ type, text }: Token, words: readonly string[]): Ending | null {
  if (type === 'page' || type === 'line' || type === 'dose') return type;
  // Less or more than a number is not that number.
  if (type === 'mark' && /[<>≤≥~≈]/.test(text)) return 'word';
  if (type !== 'word') return text === ';' ? 'line' : null;
  const word = folded(text);
  if (formOf(word) !== undefined || isSize(word) || LABELS.has(word)) return null;
  if (AFTER.has(word)) return 'after';
  if (BEFORE.has(word)) return 'before';
  return word === words[0] ? 'page' : 'word';
}

/** Words that say nothing else about a medicine. */
const LABELS = new Set(
  'thc cbd unzerkleinert zerkleinert olige pzn packung packungen op mit zu je wirkstoff starke menge anzahl dose dosen inhalt stuck aut idem'.split(
    ' ',
  ),
);
/** A dosage whose number stands before the word ("1 Tablette morgens"), … */
const AFTER = new Set(
  'taglich tgl tag tage d die am morgens mittags abends nachts stundlich wochentlich woche wochen monat pro einzeldosis tagesdosis einnehmen'.split(
    ' ',
  ),
);
/** … and one whose number stands after it. */
const BEFORE = new Set(
  'alle max maximal bis bei nach vor zur zum auf dosierung dosis dos dj s sig gem gemass einnahme anwendung gebrauch fur gegen wie laut'.split(
    ' ',
  ),
);
/** Before a name: it is part of another one, or is not meant. */
const PREFIXES = new Set(
  'kein keine keinen keinesfalls ohne statt anstatt anstelle nicht s co dex des levo es methyl hydro nor iso pseudo'.split(
    ' ',
  ),
);
/** Beside a name or in a heading, folded (`daur` is Dauer): the medicine is named, but not prescribed. */
const AGAINST =
  /^(?:allergi|unvertrag|bisher|fruher|zuletzt|nebenwirk|wechselwirk|vorbehand|vormedik|daurmedik|begleitmedik|alternativ|kontraindi|cave$|abgesetzt|ersetzt|gestrichen|entf[ai]ll|pausier|gelosch|defekt$|anzeige$|werbung|abgelehnt|meiden$|reagier|ersatz$|bereits$|stop$|discontinue|dispense$)/;
/** After a name, also on the next line: it was not or will not be handed out, or its strength changes. */
const STRUCK =
  /^(?:ausgehand|verordnet$|abgeben$|abgegeben|vertragen$|neu$|jetzt$|nunmehr|zuvor$|vorher$|erhoht|gesteigert|reduziert|umstell|umgestell|dafur$|stattdessen)/;

export function isLabel(word: string): boolean {
  return LABELS.has(word);
}

/** Words beside the name, up to the line after it, refuse the medicine, or make the name part of another one. */
function isTakenBack(
  tokens: readonly Token[],
  start: number,
  name: readonly Token[],
  phraseEnd: number,
): boolean {
  const last = name.at(-1);
  const end = last ? tokens.indexOf(last, start) + 1 : start;
  const before = tokens.slice(start - lineLength(tokens, start), start);
  const after = lineFrom(tokens, end);
  const below = lineFrom(tokens, end + after.length + 1);
  const ends = [end + after.length + 1 + below.length, phraseEnd + lineFrom(tokens, phraseEnd).length];
  const all = tokens.slice(end, Math.max(...ends));
  const isFirst = !before.some(({ type }) => type === 'word');
  const above = isFirst ? headingOf(tokens, start - before.length, 3) : [];
  const longer = isFirst ? headingOf(tokens, start - before.length, 6) : [];
  const isJoined = JOINED.test(before.map(({ text }) => text).join(' '));
  const goesOn = /^[-‐‑–/+&]$/.test(after.at(-1)?.text ?? '') && below[0]?.type === 'word';
  return (
    isJoined ||
    goesOn ||
    [...above, ...before].some(({ text }) => PREFIXES.has(folded(text))) ||
    [...longer, ...before, ...all].some(({ text }) => AGAINST.test(folded(text))) ||
    longer.some(({ text }) => NEGATIONS.test(text)) ||
    all.some(({ text }) => STRUCK.test(folded(text))) ||
    (before.length === 0 && after.length === 0 && isOfTable(above))
  );
}

/** Before a name: a medicine that it goes with, or a line through it. */
const JOINED = /(?<!^rp(?: \.)? )[+&/]$|(?:^| )(?:und|oder|plus|comp|sowie)(?: \.)?$|([-–—=~_]) \1/;

const NEGATIONS = /^(?:keine?[nms]?|nicht|not|ohne)$/;

/** A short line above. */
function headingOf(tokens: readonly Token[], lineStart: number, most: number): Token[] {
  const line = lineStart > 0 ? lineBefore(tokens, lineStart - 1) : [];
  return line.length <= most ? line : [];
}

/** Under another name, a column of strengths may be about that one. */
function isOfTable(above: readonly Token[]): boolean {
  const isName = above.length > 0 && above.every(({ type }) => type === 'word');
  return isName && !above.some(({ text }) => TITLE.test(text));
}

const TITLE = /^(?:rp|\p{L}*rezept|\p{L}*verordnung|arzneimittel|medikament|wirkstoff|praparat)$/u;

/** Patients, prescribers and streets may be called like a medicine. */
const ADDRESS =
  /(?<![\p{L}\p{N}])(?:\d{5}|tel|telefon|fax|gmbh|apotheke|praxis|herrn?|frau|dr|prof|geb|\p{L}*(?:str|strasse|weg|platz|gasse|allee))(?![\p{L}\p{N}])|@/u;

function isPartOfWord(tokens: readonly Token[], start: number, name: readonly Token[]): boolean {
  const last = name.at(-1);
  const end = last ? tokens.indexOf(last, start) : start;
  return isHyphenated(tokens, start, -1) || isHyphenated(tokens, end, 1);
}

/** A hyphen makes one word of two, also across lines: Ibuprofen-Natrium, Co-Valsartan. */
export function isHyphenated(tokens: readonly Token[], at: number, step: -1 | 1): boolean {
  const near = [0, 1, 2, 3].map((count) => tokens[at + count * step]);
  const isSplit = near[step === 1 ? 2 : 1]?.type === 'line';
  const [one, hyphen, other] = isSplit ? near.filter((token) => token?.type !== 'line') : near;
  const [middle, last] = step === 1 ? [hyphen, other] : [one, hyphen];
  const isNear = (isSplit && step === -1) || middle?.isJoined === true;
  const isNext = (isSplit && step === 1) || last?.isJoined === true;
  return isNear && isNext && other?.type === 'word' && /^[-‐‑–/&+]$/.test(hyphen?.text ?? '');
}

/** Tokens before it on its line. */
export function lineBefore(tokens: readonly Token[], start: number): Token[] {
  return tokens.slice(start - lineLength(tokens, start), start).filter(({ type }) => type !== 'mark');
}

function lineLength(tokens: readonly Token[], start: number): number {
  let from = start;
  while (from > 0 && !isBreak(tokens[from - 1])) from -= 1;
  return start - from;
}

export function isBreak(token: Token | undefined): boolean {
  return token === undefined || token.type === 'line' || token.type === 'page';
}

/** Tokens of its line from there. */
export function lineFrom(tokens: readonly Token[], start: number): Token[] {
  let to = start;
  while (!isBreak(tokens[to])) to += 1;
  return tokens.slice(start, to);
}

function lineText(tokens: readonly Token[], start: number): string {
  return [...lineBefore(tokens, start), ...lineFrom(tokens, start)].map(({ text }) => text).join(' ');
}

/** The number before a word of dosage belongs to the dosage: 1 Tablette morgens, 400 mg/Tag. */
function withoutDosage(line: readonly Token[], end: Ending): Token[] {
  const kept = [...line];
  if (end !== 'dose' && end !== 'before' && end !== 'after') return kept;
  if (end === 'after') {
    if (kept.at(-1)?.text === '/') kept.pop();
    kept.pop();
  }
  const [last, earlier] = [kept.at(-1), partsOf(kept.slice(0, -1))];
  const isCounted = last !== undefined && factsOf(last).some(({ kind }) => kind === 'pieces');
  if (isCounted && earlier.some(({ kind }) => kind === 'pieces')) kept.pop();
  return kept;
}

/** All that a text says of one kind, such as its strength. */
export interface Part {
  kind: string;
  text: string;
  values: readonly Fact['value'][];
}

export function partsOf(tokens: readonly Token[]): Part[] {
  const parts = new Map<string, { texts: Set<string>; values: Fact['value'][] }>();
  for (const token of tokens) {
    for (const { kind, value } of factsOf(token)) {
      const part = parts.get(kind) ?? { texts: new Set(), values: [] };
      parts.set(kind, part);
      part.texts.add(token.written);
      if (part.values.at(-1) !== value) part.values.push(value);
    }
  }
  return [...parts].map(([kind, { texts, values }]) => ({ kind, values, text: [...texts].join(' ') }));
}

/** A bare number may be a strength, as in Ibu 400. */
export function factsOf(token: Token): readonly Fact[] {
  if (token.type === 'facts') return token.facts;
  if (token.type === 'number') return [{ kind: 'number', value: token.text }];
  if (token.type !== 'word') return [];
  const form = formOf(token.text);
  if (form) return [{ kind: 'form', value: form }];
  return isSize(token.text) ? [{ kind: 'size', value: token.text }] : [];
}

export function isSize(word: string): boolean {
  return /^n[123]$/.test(word);
}
