/** Strengths and amounts, as medicines and prescriptions write them. Pure. */

export interface Quantity {
  /** The same quantity in several readings: 250 mg/5 ml is also 250 mg. */
  readings: readonly (readonly [kind: string, value: number])[];
  /** The numbers as they are written; 20.000 is both. */
  numbers: readonly number[];
  /** A strength of two values without a unit, such as 22/1: it is compared in this order. */
  pair?: readonly [readonly number[], readonly number[]];
  /** A number without a unit: it may be anything. */
  isBare: boolean;
}

const UNITS: Readonly<Record<string, readonly [kind: string, factor: number]>> = {
  kg: ['mass', 1e6],
  g: ['mass', 1e3],
  gr: ['mass', 1e3],
  gramm: ['mass', 1e3],
  mg: ['mass', 1],
  milligramm: ['mass', 1],
  µg: ['mass', 1e-3],
  ug: ['mass', 1e-3],
  mcg: ['mass', 1e-3],
  mikrogramm: ['mass', 1e-3],
  ng: ['mass', 1e-6],
  l: ['volume', 1e3],
  ml: ['volume', 1],
  ie: ['units', 1],
  iu: ['units', 1],
  e: ['units', 1],
  einheiten: ['units', 1],
  '%': ['per cent', 1],
  prozent: ['per cent', 1],
  h: ['time', 1],
  std: ['time', 1],
  stunde: ['time', 1],
};

const NUMBER = String.raw`[1-9]\d{0,2}(?:[. ]\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?`;
const UNIT = String.raw`(?:(?:kg|gramm|gr|g|milligramm|mg|mikrogramm|µg|ug|mcg|ng|ml|l|i\.? ?[eu]|einheiten|e|prozent)(?![\p{L}\d])|%)`;
const PER = String.raw`(?:ml|l|h|std|stunde)(?![\p{L}\d])`;
const QUANTITY = new RegExp(
  String.raw`(?<![\p{L}\d.,/-])(${NUMBER})(?: ?/ ?(${NUMBER})(?! ?${PER}))? ?(mio\.? ?)?(${UNIT})?\.?(?: ?(?:/|pro|je) ?(\d+)? ?(${PER})|/(g)(?!\p{L}))?`,
  'giu',
);

/** Dates, numbers of packs and telephones say no strength. */
const NO_QUANTITY =
  /\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}|pzn[^\p{L}\d]*\d+|(?:tel|fax)[^\p{L}]*\d+|\d+(?:-\d+){2,}/giu;

/** After a stroke comes another strength, or what the first one is in. */
const NEXT_QUANTITY = new RegExp(String.raw`([\p{L}%]) ?/ ?(?=\d)(?!\d+ ?${PER})`, 'gu');

export function quantitiesIn(text: string): Quantity[] {
  const plain = text
    .replaceAll('μ', 'µ')
    .replace(NO_QUANTITY, ' ')
    .replaceAll(/(\d) ?[x×] ?(?=\d)/gi, '$1 x ')
    .replaceAll(NEXT_QUANTITY, '$1 + ');
  return [...plain.matchAll(QUANTITY)].flatMap(quantitiesOf);
}

function quantitiesOf([
  ,
  first = '',
  second,
  million,
  unit,
  count,
  ofTime,
  ofMass,
]: RegExpMatchArray): Quantity[] {
  const per = ofTime ?? ofMass;
  if (unit === undefined && second !== undefined) {
    const pair = [numbersOf(first), numbersOf(second)] as const;
    return [{ readings: [], numbers: pair.flat(), pair, isBare: false }];
  }
  return [first, ...(second === undefined ? [] : [second])].map((written) => {
    const numbers = numbersOf(written).map((number) => (million === undefined ? number : number * 1e6));
    const readings =
      unit === undefined ? [] : numbers.flatMap((number) => readingsOf(number, unit, per && { count, per }));
    return { readings, numbers, isBare: unit === undefined };
  });
}

/** A point before three digits parts thousands, but not after a zero; a comma may, and so may a space. */
function numbersOf(written: string): number[] {
  if (written.startsWith('0')) return [Number(written.replace(',', '.'))];
  const decimal = Number(written.replaceAll(/[. ](?=\d{3})/g, '').replace(',', '.'));
  if (/^\d+,\d{3}$/.test(written)) return [decimal, decimal * 1e3];
  const last = written.split(' ').at(-1);
  return last === written || last === undefined ? [decimal] : [decimal, Number(last.replace(',', '.'))];
}

type Reading = readonly [kind: string, value: number];

function readingsOf(
  number: number,
  unit: string,
  per: { count: string | undefined; per: string } | '' | undefined,
): Reading[] {
  const [kind, factor] = unitOf(unit);
  const own: Reading = [kind, number * factor];
  // One per cent is 10 mg in each ml of a solution, or in each gram of a cream.
  if (kind === 'per cent') return [own, ['mass/volume', number * 10], ['mass/mass', number / 100]];
  if (!per) return [own];
  const [perKind, perFactor] = unitOf(per.per);
  return [own, [`${kind}/${perKind}`, own[1] / (Number(per.count ?? 1) * perFactor)]];
}

function unitOf(unit: string): Reading {
  return UNITS[unit.toLowerCase().replaceAll(/[. ]/g, '')] ?? [unit, 1];
}

/** Masses from this on, in mg, and volumes are amounts of a pack. */
const PACK_FROM_MG = 5_000;

export function strengthsIn(text: string): Quantity[] {
  return quantitiesIn(text).filter(
    ({ readings }) =>
      !readings.every(([kind, value]) => kind === 'volume' || (kind === 'mass' && value >= PACK_FROM_MG)) ||
      readings.length === 0,
  );
}

/** Whether a text says other strengths than `wanted`, and not those. Numbers without unit say nothing else. */
export function differs(wanted: readonly Quantity[], text: string): boolean {
  const said = strengthsIn(text);
  const clear = said.filter(({ isBare }) => !isBare);
  const isOther = clear.some((one) => !has(wanted, one));
  return wanted.length > 0 && isOther && !wanted.every((one) => has(said, one));
}

/** A strength is a bare number only where the name has no other: Ibu 400. */
export function strengthOfName(name: string): Quantity[] {
  const all = strengthsIn(withoutPieces(name));
  const clear = all.filter(({ isBare }) => !isBare);
  return clear.length > 0 ? clear : all;
}

function has(list: readonly Quantity[], one: Quantity): boolean {
  const { pair } = one;
  if (pair === undefined) return list.some((other) => isEqual(one, other));
  const isPairEqual = ({ pair: other }: Quantity): boolean =>
    other !== undefined && pair.every((numbers, at) => overlaps(numbers, other[at] ?? []));
  const pairs = list.filter((other) => other.pair !== undefined);
  if (pairs.length > 0) return pairs.some(isPairEqual);
  return pair.every((numbers) => list.some((other) => overlaps(numbers, other.numbers)));
}

function isEqual(one: Quantity, other: Quantity): boolean {
  if (one.isBare || other.isBare || other.pair) return overlaps(one.numbers, other.numbers);
  return one.readings.some(([kind, value]) =>
    other.readings.some(([otherKind, otherValue]) => kind === otherKind && isClose(value, otherValue)),
  );
}

function overlaps(some: readonly number[], others: readonly number[]): boolean {
  return some.some((one) => others.some((other) => isClose(one, other)));
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(one, other);
}

const FORMS =
  'st|stk|stück|stueck|tabletten|tabl|tbl|kapseln|kps|hkp|fta|filmtabletten|retardtabletten|ampullen|beutel|pflaster|pieces|tablets|capsules';
/** Neither the end of another number nor of a pack's size, as in N3. */
const BEGINNING = String.raw`(?<![\p{L}\d.,/-])`;
const PIECES = new RegExp(String.raw`${BEGINNING}(\d{1,4}) ?(?:${FORMS})(?!\p{L})\.?`, 'giu');
const TIMES = String.raw`${BEGINNING}(\d{1,3}) ?[x×] ?`;
/** Packs, and the pieces of each: 3 x 100 St. */
const PACKS_OF = new RegExp(String.raw`${TIMES}(\d{2,4}) ?(?:${FORMS})(?!\p{L})\.?`, 'giu');
const GRAMS_OF = new RegExp(String.raw`${TIMES}(\d{1,3}) ?g(?:ramm)?(?!\p{L})`, 'giu');
const PACKS = new RegExp(
  [
    String.raw`${BEGINNING}(\d{1,3}) ?(?:[x×] ?)?(?:op|originalpackung(?:en)?|packung(?:en)?|pckg|pkg|packs?|flaschen?|tuben?)(?!\p{L})`,
    String.raw`${TIMES}(?=n ?[123](?!\d))`,
    String.raw`^\W*(\d{1,3}) ?(?:[x×]|stück|stk\.?|st\.?)(?= ?\p{L})(?! ?(?:t(?:ä|ae)gl|tgl|daily|am |pro |morgens|w(?:ö|oe)ch))`,
  ].join('|'),
  'giu',
);
/** Fewer pieces may be a dosage. */
const PACK_FROM = 10;

function withoutPieces(text: string): string {
  return text.replace(PACKS_OF, ' ').replace(PIECES, ' ').replace(PACKS, ' ');
}

/** Whether a line says another amount than was ordered of this medicine. A line without an amount says nothing. */
export function saysOtherAmount(text: string, name: string, quantity: number): boolean {
  const named = piecesOf(name);
  const isSame = (count: number): boolean =>
    count === quantity || named.some((one) => count === one || count === one * quantity);
  // Packs of a size count by all their pieces together, or by the number of packs.
  const sized = countsIn(text, PACKS_OF);
  if (sized.length > 0)
    return !sized.some(([packs = 0, pieces = 0]) =>
      named.length > 0
        ? named.some((one) => packs * pieces === one * quantity)
        : isSame(packs) || isSame(packs * pieces),
    );
  const packs = countsIn(text, PACKS).flat();
  if (packs.length > 0 && !packs.some(isSame)) return true;
  const pieces = countsIn(text, PIECES)
    .flat()
    .filter((count) => count >= PACK_FROM);
  if (named.length > 0) return pieces.length > 0 && !pieces.some(isSame);
  return saysOtherGrams(text, name, quantity);
}

/** Of one ordered pack. */
function piecesOf(name: string): number[] {
  const sized = countsIn(name, PACKS_OF).map(([packs = 0, pieces = 0]) => packs * pieces);
  return sized.length > 0 ? sized : countsIn(name, PIECES).flat();
}

/** Flowers are ordered by the gram. */
function saysOtherGrams(text: string, name: string, quantity: number): boolean {
  if (!/bl(?:ü|ue)te|flos|flower/i.test(name)) return false;
  const whole = text.replace(
    GRAMS_OF,
    (_, packs: string, each: string) => `${Number(packs) * Number(each)} g`,
  );
  const grams = quantitiesIn(whole).flatMap(({ readings }) =>
    readings.flatMap(([kind, value]) => (kind === 'mass' && value >= PACK_FROM_MG ? [value / 1e3] : [])),
  );
  const [packed] = quantitiesIn(name).flatMap(({ readings }) =>
    readings.flatMap(([kind, value]) => (kind === 'mass' && value >= PACK_FROM_MG ? [value / 1e3] : [])),
  );
  return grams.length > 0 && !grams.some((gram) => gram === quantity || gram === (packed ?? 1) * quantity);
}

/** The numbers of each match. */
function countsIn(text: string, pattern: RegExp): number[][] {
  return [...text.matchAll(pattern)].map(([, ...numbers]) => numbers.filter(Boolean).map(Number));
}
