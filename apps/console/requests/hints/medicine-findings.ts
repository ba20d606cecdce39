import { type Fact, folded, formOf, type Token, tokensOf } from './document-words';
import {
  factsOf,
  isLabel,
  isSize,
  lineBefore,
  type Part,
  partsOf,
  type Phrase,
  phraseAt,
} from './medicine-phrases';

/**
 * What a document says about the medicines of a request. A medicine counts as found only where its name, its strength
 * and its form or pack size, as far as the line names them, stand together. In doubt it does not. Pure.
 */

export interface WantedLine {
  /** The product's name and the partner's name for it. */
  names: readonly string[];
  quantity: number;
}

export interface MedicineFinding {
  /** As the line has it. */
  name: string;
  /** `same`: all that the line names stands together. `other`: the document has another strength or pack beside the name. */
  state: 'same' | 'missing' | 'unnamed' | 'other';
  /** Compared parts, as the line writes them; for `missing` those not found, for `other` those that differ. */
  parts: readonly string[];
  /** As the document writes it instead; of `other`. */
  instead: readonly string[];
  /** The quantity was found beside the medicine. */
  hasAmount: boolean;
}

/** A part of the document's text; `isOther`: it differs from what the request says. */
export interface FoundPlace {
  from: number;
  to: number;
  isOther: boolean;
}

interface MedicinesFound {
  /** One for each medicine and each of its names. */
  medicines: readonly MedicineFinding[];
  places: readonly FoundPlace[];
}

/** Lines of the same medicine are one: a document names it once, with the whole amount. */
export function medicinesIn(tokens: readonly Token[], lines: readonly WantedLine[]): MedicinesFound {
  const wanted = wantedOf(lines);
  const isVoid = isTakenBackWhole(tokens);
  const looks = wanted.map((each) =>
    looksAt(tokens, each).map((look) => (isVoid && look.state === 'same' ? asDoubtful(look, each) : look)),
  );
  const placed = (list: readonly Token[], isOther: boolean): FoundPlace[] =>
    list.map(({ from, to }) => ({ from, to, isOther }));
  const own = looks.map((each, index) =>
    each.flatMap((look) => ownLook(look, otherLooks(wanted, looks, index))),
  );
  return {
    medicines: wanted.map((each, index) => findingOf(each, own[index] ?? [])),
    places: own.flat().flatMap(({ found, others }) => [...placed(found, false), ...placed(others, true)]),
  };
}

/** "Entwurf", "storniert": nothing of it is prescribed. "Ohne Stempel ungültig" says nothing. */
function isTakenBackWhole(tokens: readonly Token[]): boolean {
  return tokens.some(({ text }, at) => {
    if (!VOID.test(folded(text))) return false;
    return !lineBefore(tokens, at).some((before) => /^(?:ohne|bei|falls|wenn|nach)$/.test(before.text));
  });
}

const VOID = /^(?:ungultig|entwurf|storn|annulliert|widerrufen|beliefert|eingelost|einlosen|void|cancelled)/;

function asDoubtful(look: Look, { parts }: Wanted): Look {
  return { ...look, state: 'missing', missing: parts, found: [] };
}

/** What the lines other than that of the medicine `index` have found. */
function otherLooks(wanted: readonly Wanted[], looks: readonly Look[][], index: number): Look[] {
  const isOther = ({ lines }: Wanted): boolean => !lines.some((line) => wanted[index]?.lines.includes(line));
  return wanted.flatMap((each, at) => (isOther(each) ? (looks[at] ?? []) : []));
}

/** A place that is another line's medicine says nothing about this one; one that could be both is neither. */
function ownLook(look: Look, others: readonly Look[]): Look[] {
  if (!others.some(({ start, state }) => state === 'same' && start === look.start)) return [look];
  return look.state === 'same' ? [{ ...look, state: 'missing' }] : [];
}

interface Wanted {
  name: string;
  /** Indexes of the lines that ask for it. */
  lines: readonly number[];
  /** Folded, in their order, without forms. */
  words: readonly string[];
  parts: readonly Part[];
  quantity: number;
}

function wantedOf(lines: readonly WantedLine[]): Wanted[] {
  const all = new Map<string, Wanted>();
  for (const [line, { names, quantity }] of lines.entries()) {
    const ofLine = new Map(
      names.map((name) => {
        const { words, parts } = medicineOf(name);
        return [
          JSON.stringify([words, parts.map(({ kind, values }) => [kind, values])]),
          { name, words, parts },
        ];
      }),
    );
    for (const [key, medicine] of ofLine) {
      const before = all.get(key);
      const sum = quantity + (before?.quantity ?? 0);
      all.set(key, { ...medicine, lines: [...(before?.lines ?? []), line], quantity: sum });
    }
  }
  return [...all.values()];
}

function medicineOf(name: string): Pick<Wanted, 'words' | 'parts'> {
  const tokens = tokensOf(name);
  const texts = tokens.flatMap(({ type, text }) => (type === 'word' ? [folded(text)] : []));
  const words = texts.filter((word) => formOf(word) === undefined && !isSize(word) && !isLabel(word));
  // A tea may be called tea: then the form is its name.
  const isForm = words.length === 0;
  return {
    words: isForm ? texts : words,
    parts: partsOf(tokens).filter(({ kind }) => kind !== 'form' || !isForm),
  };
}

/** One place at which the name stands. */
interface Look {
  /** Index of its first token. */
  start: number;
  state: 'same' | 'missing' | 'other';
  missing: readonly Part[];
  differing: readonly Part[];
  hasAmount: boolean;
  found: readonly Token[];
  others: readonly Token[];
}

/** A document that names a medicine more often is not read on: it then counts as not found. */
const MAX_LOOKS = 200;

function looksAt(tokens: readonly Token[], wanted: Wanted): Look[] {
  const starts = tokens.flatMap((token, index) =>
    token.type === 'word' && folded(token.text) === wanted.words[0] ? [index] : [],
  );
  if (starts.length > MAX_LOOKS) return [];
  return starts.flatMap((start) => {
    const phrase = phraseAt(tokens, start, wanted.words);
    return phrase ? [lookOf(phrase, start, wanted)] : [];
  });
}

/** Forms that make another medicine, also where the line names none. */
const OTHER_MEDICINE = /^(?:retard|extrakt)/;

function lookOf({ name, rest, before, ...phrase }: Phrase, start: number, wanted: Wanted): Look {
  const said = partsOf(rest);
  // A number that the line does not name may be another strength.
  const isBare = rest.find(({ type }) => type !== 'mark')?.type === 'number';
  const names = (wantedKind: string): boolean => wanted.parts.some(({ kind }) => kind === wantedKind);
  const isOtherForm =
    !names('form') && valuesOf(rest, 'form').some((form) => OTHER_MEDICINE.test(String(form)));
  const isDoubtful = phrase.isDoubtful || (isBare && !names('number')) || isOtherForm;
  const compared = wanted.parts.map((part) => ({ part, result: comparePart(part, said) }));
  const partsWith = (result: Compared): Part[] =>
    compared.flatMap((each) => (each.result === result ? [each.part] : []));
  const [missing, differing] = [partsWith('missing'), partsWith('other')];
  const isSaid = (parts: readonly Part[]) => (token: Token) =>
    factsOf(token).some(({ kind }) => parts.some((part) => part.kind === kind));
  const isWhole = missing.length === 0 && !isDoubtful;
  return {
    start,
    state: differing.length > 0 ? 'other' : isWhole ? 'same' : 'missing',
    missing: isDoubtful ? wanted.parts : missing,
    differing,
    hasAmount: hasAmount(rest, before, wanted),
    found: isDoubtful
      ? []
      : [...name, ...rest.filter((token) => isSaid(partsWith('same'))(token) && !isSaid(differing)(token))],
    others: rest.filter(isSaid(differing)),
  };
}

type Compared = 'same' | 'missing' | 'other';

/** The values stand there in their order, and no further one that could be meant instead. */
function comparePart({ kind, values }: Part, said: readonly Part[]): Compared {
  const there = said.find((part) => part.kind === kind)?.values ?? [];
  if (kind === 'number') return compareBare(values, there, said);
  const from = there.findIndex((_, index) => isSame(values, there.slice(index, index + values.length)));
  const further = there.filter(
    (value) => !values.some((one) => isEqual(one, value)) && isAlike(kind, value, values),
  );
  if (from >= 0 && further.length === 0) return 'same';
  // What can be read in two ways is no other strength; a form has many names.
  const isClear = [...values, ...there].every((value) => typeof value === 'number') || kind === 'size';
  return there.length > 0 && isClear ? 'other' : 'missing';
}

/** Ibu 400 is found as Ibu 400 and as Ibu 400 mg. */
function compareBare(
  values: readonly Fact['value'][],
  there: readonly Fact['value'][],
  said: readonly Part[],
): Compared {
  if (there.length > 0) return isSame(values, there.slice(0, values.length)) ? 'same' : 'missing';
  const masses = said.find(({ kind }) => kind === 'mass')?.values ?? [];
  if (masses.length === 0) return 'missing';
  return isSame(values.map(Number), masses.slice(0, values.length)) ? 'same' : 'other';
}

/** A tube of 50 g is no strength of 10 mg. */
const PACK_FROM_MG = 5_000;

function isAlike(kind: string, value: Fact['value'], values: readonly Fact['value'][]): boolean {
  const isPack = (each: Fact['value']): boolean => typeof each === 'number' && each >= PACK_FROM_MG;
  return kind !== 'mass' || values.some((each) => isPack(each) === isPack(value));
}

function isSame(one: readonly Fact['value'][], other: readonly Fact['value'][]): boolean {
  return one.length === other.length && one.every((value, index) => isEqual(value, other[index]));
}

function isEqual(one: Fact['value'], other: Fact['value'] | undefined): boolean {
  if (typeof one === 'string' || typeof other !== 'number') return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(one, other);
}

/** Packs beside the name, pieces and times before it, grams of flowers; and no other amount beside them. */
function hasAmount(
  rest: readonly Token[],
  before: readonly Token[],
  { quantity, words, parts }: Wanted,
): boolean {
  const has = (...kinds: string[]): boolean => parts.some(({ kind }) => kinds.includes(kind));
  const isByGram =
    !has('mass', 'volume', 'pieces', 'form') && (has('thc') || words.some((word) => FLOWER.test(word)));
  const isByPiece = !has('mass', 'volume', 'pieces');
  const inGrams =
    isByGram && !words.some((word) => LIQUID.test(word)) ? valuesOf([...before, ...rest], 'mass') : [];
  const amounts = [
    ...rest.flatMap((token) => (token.type === 'packs' && !token.isTimes ? [token.count] : [])),
    ...before.flatMap((token) => (token.type === 'packs' ? [token.count] : [])),
    ...labelledAmounts(rest),
    ...(isByPiece ? valuesOf(before, 'pieces') : []),
    ...inGrams.map((value) => (typeof value === 'number' ? value / 1_000 : value)),
  ];
  return amounts.length > 0 && amounts.every((amount) => amount === quantity);
}

/** "Menge: 2" */
function labelledAmounts(tokens: readonly Token[]): number[] {
  const said = tokens.filter(({ type }) => type !== 'mark');
  return said.flatMap(({ type, text }, index) =>
    type === 'number' && /^(?:menge|anzahl)$/.test(said[index - 1]?.text ?? '') ? [Number(text)] : [],
  );
}

const FLOWER = /blute|flos|flower/;
const LIQUID = /extra[ck]t|ol$|tropfen|losung/;

function valuesOf(tokens: readonly Token[], wanted: string): Fact['value'][] {
  return tokens.flatMap((token) =>
    factsOf(token).flatMap(({ kind, value }) => (kind === wanted ? [value] : [])),
  );
}

function findingOf({ name, parts }: Wanted, looks: readonly Look[]): MedicineFinding {
  const texts = (list: readonly Part[]): string[] => [...new Set(list.map(({ text }) => text))];
  const whole = looks.filter(({ state }) => state === 'same');
  const hasAmount = whole.length > 0 && whole.some((look) => look.hasAmount);
  const other = looks.find(({ state }) => state === 'other');
  if (other) {
    const instead = [...new Set(other.others.map(({ written }) => written))];
    return { name, state: 'other', parts: texts(other.differing), instead, hasAmount };
  }
  if (whole.length > 0) return { name, state: 'same', parts: texts(parts), instead: [], hasAmount };
  const [first] = looks;
  return {
    name,
    state: first ? 'missing' : 'unnamed',
    parts: texts(first?.missing ?? []),
    instead: [],
    hasAmount,
  };
}
