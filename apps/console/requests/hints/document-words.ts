/** The words and measures of a text, as prescriptions and requests write them. Pure. */

/** Not drawn, or drawn as nothing: they part no word. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]/u;

/** Lower case, ASCII digits, no accents; `at` leads from each character, and from the end, back into the text. */
function plainOf(text: string): { plain: string; at: readonly number[] } {
  let plain = '';
  const at: number[] = [];
  let place = 0;
  for (const char of text) {
    const form = plainChar(char);
    for (let unit = 0; unit < form.length; unit += 1) at.push(place);
    plain += form;
    place += char.length;
  }
  return { plain, at: [...at, text.length] };
}

function plainChar(char: string): string {
  if (INVISIBLE.test(char)) return '';
  // Superscripts and fractions: such a number is not the digits that it is made of. Nor is a struck letter one.
  if (/[\p{No}\u0335-\u0338]/u.test(char)) return '^';
  const form = char.normalize('NFKD').replace(/\p{M}+/gu, '');
  return form.toLowerCase().replaceAll('ß', 'ss');
}

/** Both ways of writing an umlaut become one. */
export function folded(word: string): string {
  return word.replaceAll(/ae|oe|ue/g, (pair) => pair[0] ?? '');
}

/** Units of comparison: mass in mg, volume in ml, units, per cent, the two values of a pair, pieces of a pack. */
export interface Fact {
  kind: string;
  /** In the unit of its kind; a text when the number can be read in two ways, so that it equals only itself. */
  value: number | string;
}

/** `from` and `to` lead into the text, which has `written` there; `text` is its plain form. */
export type Token = { from: number; to: number; text: string; written: string; isJoined: boolean } & (
  | { type: 'word' }
  | { type: 'facts'; facts: readonly Fact[] }
  /** Two packs, or `2 x`: how much is wanted. `isTimes`: it may as well be a dosage. */
  | { type: 'packs'; count: number; isTimes: boolean }
  | { type: 'number' | 'line' | 'page' | 'dose' | 'mark' }
);

const FORMS: Readonly<Record<string, readonly string[]>> = {
  tablette: ['tabletten', 'tablette', 'tabl', 'tbl', 'tab', 'tablets', 'tablet'],
  filmtablette: ['filmtabletten', 'filmtablette', 'filmtabl', 'fta', 'ftbl'],
  brausetablette: ['brausetabletten', 'brausetablette', 'btr'],
  schmelztablette: ['schmelztabletten', 'schmelztablette', 'smt'],
  retardtablette: ['retardtabletten', 'retardtablette', 'ret', 'rta'],
  retard: ['retard'],
  kapsel: [
    'kapseln',
    'kapsel',
    'kaps',
    'kps',
    'capsules',
    'capsule',
    'hartkapseln',
    'hkp',
    'weichkapseln',
    'wka',
  ],
  retardkapsel: ['retardkapseln', 'retardkapsel', 'rek'],
  dragee: ['dragees', 'dragee', 'drg'],
  pastille: ['pastillen', 'pastille'],
  beutel: ['beutel', 'btl', 'sachets'],
  ampulle: ['ampullen', 'ampulle', 'amp'],
  zapfchen: ['zapfchen', 'suppositorien', 'supp', 'sup'],
  pflaster: ['pflaster', 'pft', 'tts'],
  losung: ['losung', 'lsg', 'solution'],
  injektion: ['injektionslosung', 'inj'],
  infusion: ['infusionslosung', 'inf'],
  tropfen: ['tropfen', 'tro', 'tr', 'drops'],
  augentropfen: ['augentropfen', 'atr'],
  spray: ['spray'],
  nasenspray: ['nasenspray'],
  mundspray: ['mundspray'],
  saft: ['saft', 'sirup', 'sir'],
  suspension: ['suspension', 'sus'],
  salbe: ['salbe', 'sal', 'ointment'],
  creme: ['creme', 'cre', 'cream'],
  gel: ['gel'],
  pulver: ['pulver', 'plv', 'pul'],
  granulat: ['granulat', 'gra'],
  tee: ['tee'],
  blute: ['bluten', 'flos', 'flores'],
  extrakt: ['extrakt'],
  ol: ['ol', 'oil'],
};
const FORM_OF = new Map(Object.entries(FORMS).flatMap(([form, words]) => words.map((word) => [word, form])));

/** The form that a word names, one word for all its abbreviations. */
export function formOf(word: string): string | undefined {
  return FORM_OF.get(folded(word));
}

/** Factors into mg, ml, units, per cent and hours. */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    kg: 1e6,
    g: 1e3,
    gr: 1e3,
    gramm: 1e3,
    mg: 1,
    milligramm: 1,
    μg: 1e-3,
    ug: 1e-3,
    mcg: 1e-3,
    ng: 1e-6,
    mikrogramm: 1e-3,
  },
  volume: { l: 1e3, dl: 100, cl: 10, ml: 1, milliliter: 1 },
  units: { ie: 1, iu: 1 },
  'per cent': { '%': 1, prozent: 1 },
  hours: { h: 1, std: 1, stunde: 1, stunden: 1 },
};
const UNITS = new Map(
  Object.entries(FACTORS).flatMap(([kind, units]) =>
    Object.entries(units).map(([unit, factor]) => [unit, { kind, factor }] as const),
  ),
);

const S = String.raw`[ \t]*`;
const DIGITS = String.raw`\d+(?:[.,]\d+)*(?![\p{N}^]|[.,]\d)`;
const NUMBER = String.raw`(?<![\p{L}\p{N}^.,/|])${DIGITS}`;
/** 100 mg/25 mg: the second number follows the stroke. */
const MEASURED = String.raw`(?<![\p{L}\p{N}^.,|])${DIGITS}`;
const END = String.raw`(?![\p{L}\p{N}^])`;
const UNIT = String.raw`(?:(?:mikrogramm|milligramm|milliliter|gramm|mcg|kg|mg|μg|ug|ng|gr|g|ml|dl|cl|l|i\.?${S}[eu]|prozent)${END}|%)`;
const PER = String.raw`(?:(?:\d+${S})?(?:ml|l|h|std|stunden?)|mg|g)${END}`;
const PIECES = String.raw`(?:stuck|stueck|stk|st|${[...FORM_OF.keys()].join('|')})`;
const PACKS = String.raw`(?:originalpackung(?:en)?|op|packung(?:en)?|pckg|pkg|pack|flaschen?|tuben?|schachteln?)`;

/** In this order at each place of a text. */
const TOKEN = new RegExp(
  [
    String.raw`(?<page>\f)`,
    String.raw`(?<line>[\n\r\u2028\u2029]+)`,
    // Dates, and dosages such as 1-0-1, 2x1, 3-4 Tabletten.
    String.raw`(?<![\p{N}^.,/-])\d{1,4}(?:\.${S}\d{1,2}\.${S}|[/-]\d{1,2}[/-])\d{2,4}(?![\p{N}^])`,
    String.raw`${NUMBER}(?:${S}[-–—]${S}[\d.,/]+)+`,
    String.raw`${NUMBER}${S}[x×*]${S}\d[\d.,/-]*`,
    String.raw`(?<times>${NUMBER})${S}(?:x|×|mal)${END}`,
    String.raw`(?<label>thc|cbd)${S}[:=]?${S}(?<labelled>${DIGITS})(?:${S}%|(?!${S}[\p{L}/]))`,
    String.raw`(?<share>${NUMBER})${S}%${S}(?<sharer>thc|cbd)${END}`,
    String.raw`(?<first>${NUMBER})${S}%?${S}/${S}(?<second>${DIGITS})(?:${S}(?<unitOfBoth>${UNIT})|(?!\p{L}))(?!${S}/${S}\d)`,
    String.raw`(?<measure>${MEASURED})${S}(?<unit>${UNIT})\.?(?:${S}(?:/|pro|je)${S}(?<per>${PER}))?`,
    String.raw`(?<packs>${NUMBER})${S}${PACKS}${END}`,
    String.raw`(?<pieces>${NUMBER})${S}(?<piece>${PIECES})${END}`,
    String.raw`(?<number>${NUMBER})${END}`,
    String.raw`(?<word>[\p{L}\p{N}^]+)`,
    String.raw`(?<mark>\S)`,
  ].join('|'),
  'gu',
);

/** A number after another one ("1 000 mg") can be read in two ways. */
export function tokensOf(text: string): Token[] {
  const { plain, at } = plainOf(text);
  const tokens: Token[] = [];
  let end = 0;
  for (const match of plain.matchAll(TOKEN)) {
    const { 0: form, index, groups = {} } = match;
    const [from = 0, to = text.length] = [at[index], at[index + form.length]];
    const before = tokens.at(-1);
    const run = before?.type === 'number' ? `${before.text} ` : '';
    const place = { from, to, text: form, written: text.slice(from, to).trim(), isJoined: index === end };
    tokens.push({ ...place, ...meaningOf(groups, run) });
    end = index + form.length;
  }
  return tokens;
}

type Meaning = Token extends infer Each
  ? Each extends Token
    ? Omit<Each, 'from' | 'to' | 'text' | 'written' | 'isJoined'>
    : never
  : never;
type Groups = Readonly<Record<string, string | undefined>>;

function meaningOf(groups: Groups, run: string): Meaning {
  const {
    label,
    labelled,
    share,
    sharer,
    first,
    measure,
    unit,
    per,
    pieces,
    piece = '',
    times,
    packs,
  } = groups;
  const facts = (...list: Fact[]): Meaning => ({ type: 'facts', facts: list });
  if (label && labelled) return facts({ kind: label, value: numberOf(labelled) });
  if (share && sharer) return facts({ kind: sharer, value: numberOf(share) });
  if (first) return pairOf(groups, run, first);
  if (measure && unit) return facts(measureOf(run + measure, unit, per));
  if (pieces) {
    const form = formOf(piece);
    const count = { kind: 'pieces', value: numberOf(run + pieces) };
    return form ? facts(count, { kind: 'form', value: form }) : facts(count);
  }
  const count = times ?? packs;
  if (count) return { type: 'packs', count: run === '' ? Number(count) : NaN, isTimes: times !== undefined };
  const plainType = (['page', 'line', 'number', 'word', 'mark'] as const).find((type) => groups[type]);
  return { type: plainType ?? 'dose' };
}

/** 18/1 is THC and CBD; 100/25 mg are two masses. 12/2026 is no pair. */
function pairOf({ second = '', unitOfBoth }: Groups, run: string, first: string): Meaning {
  if (unitOfBoth && unitOfBoth !== '%')
    return { type: 'facts', facts: [measureOf(run + first, unitOfBoth), measureOf(second, unitOfBoth)] };
  const values = [numberOf(run + first), numberOf(second)] as const;
  if (values.some((value) => typeof value === 'number' && value > 100)) return { type: 'dose' };
  return {
    type: 'facts',
    facts: [
      { kind: 'thc', value: values[0] },
      { kind: 'cbd', value: values[1] },
    ],
  };
}

function measureOf(number: string, unit: string, per?: string): Fact {
  const { kind, factor } = unitOf(unit);
  const read = numberOf(number, kind === 'units');
  const value = typeof read === 'number' ? read * factor : `${read} ${unit}`;
  if (per === undefined) return { kind, value };
  const [, amount = '', name = ''] = /^(\d*)\s*(.+)$/.exec(per) ?? [];
  const other = unitOf(name);
  const divisor = Number(amount || 1) * other.factor;
  return {
    kind: `${kind}/${other.kind}`,
    value: typeof value === 'number' ? value / divisor : `${value}/${per}`,
  };
}

function unitOf(unit: string): { kind: string; factor: number } {
  return UNITS.get(unit.replaceAll(/[.\s]/g, '')) ?? { kind: unit, factor: 1 };
}

/** "1.000" is a thousand or one: then it is only equal to the same text. */
function numberOf(text: string, hasThousands = false): number | string {
  if (/^\d+$/.test(text)) return Number(text);
  if (/^\d{1,3}(?:[.,]\d{3})+$/.test(text) && !text.startsWith('0'))
    return hasThousands ? Number(text.replaceAll(/[.,]/g, '')) : text;
  return /^\d+[.,]\d+$/.test(text) ? Number(text.replace(',', '.')) : text;
}
