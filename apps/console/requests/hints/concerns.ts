import type { Mark } from '@offizin/contracts/requests/review-settings';
import type { Formats } from '../../text/formats';
import type { RequestTexts } from '../../text/requests.de';
import type { Alarm, Said } from '../paper/alarms';
import type { PaperTexts } from '../paper/paper.de';
import { type Hint, hintText } from './hints';
import type { HintTexts } from './hints.de';

/**
 * What speaks against an approval, which takes a reason then. The decision keeps codes with what their sentences are
 * made from, so that each person reads them in their own language. Pure.
 */

/** `more`: so many others, for which the decision has no place. */
type Code =
  | readonly ['hint', Hint['kind'], object]
  | readonly ['edits', made: number, present: number]
  | readonly ['mark', Mark]
  | readonly ['more', count: number];
type PaperCode = readonly ['paper', keyof Said, Said[keyof Said]];
export type ConcernCode = Code | PaperCode;

export interface Concern {
  code: ConcernCode;
  text: string;
}

export interface ConcernTexts {
  requests: Pick<RequestTexts, 'openMark' | 'mark'>;
  hints: HintTexts;
  edit: StaleTexts;
  formats: Formats;
}

interface StaleTexts {
  staleEdits: (made: number, present: number) => string;
  editsBeforeFirst: string;
}

interface Found {
  alarms: readonly (Pick<Alarm, 'tone' | 'kind' | 'said'> & { text: string })[];
  hints: readonly Hint[];
  /** Versions of changes that are not applied: the one they were made on, and the present one. */
  stale: readonly [made: number, present: number] | null;
  /** Marks that are asked for and not set. */
  open: readonly Mark[];
}

/** Red alarms and hints, changes that are not applied, and open marks. */
export function concernsOf({ alarms, hints, stale, open }: Found, texts: ConcernTexts): Concern[] {
  const ofPaper = alarms.filter(({ tone }) => tone === 'red');
  const ofHints = hints.filter(({ tone }) => tone === 'red');
  const others: Code[] = [
    ...ofHints.map(({ kind, tone: _, ...said }) => ['hint', kind, said] as const),
    ...(stale === null ? [] : [['edits', ...stale] as const]),
    ...open.map((mark) => ['mark', mark] as const),
  ];
  return [
    ...ofPaper.map(({ kind, said, text }): Concern => ({ code: ['paper', kind, said], text })),
    ...others.map((code) => ({ code, text: textOf(code, texts) })),
  ];
}

function textOf(code: Code, { requests, hints, edit, formats }: ConcernTexts): string {
  switch (code[0]) {
    case 'hint':
      return hintText({ ...code[2], kind: code[1], tone: 'red' } as Hint, hints, formats);
    case 'edits':
      return staleText(code[1], code[2], edit);
    case 'mark':
      return requests.openMark(requests.mark[code[1]]);
    case 'more':
      return hints.more(code[1]);
  }
}

/** Why changes that were made on this version are not applied. */
export function staleText(made: number, present: number, texts: StaleTexts): string {
  return made === present ? texts.editsBeforeFirst : texts.staleEdits(made, present);
}

/** As the contract has them. */
const MOST_CONCERNS = 20;
const MOST_LETTERS = 100;
/** A name keeps so many. */
const LEAST_LETTERS = 12;

/** As the decision keeps them. The last place has the number of those beyond it. */
export function acknowledgedOf(concerns: readonly Concern[]): string[] {
  const codes = concerns.map(({ code }) => code);
  if (codes.length <= MOST_CONCERNS) return codes.map(fitted);
  const own = codes.slice(0, MOST_CONCERNS - 1);
  return [...own, ['more', codes.length - own.length] as const].map(fitted);
}

/** Long names lose whole words of their middle: the strength of a product comes last. */
function fitted(code: ConcernCode): string {
  for (let letters = MOST_LETTERS; letters >= LEAST_LETTERS; letters -= 2) {
    const shorten = (_key: string, value: unknown): unknown =>
      typeof value === 'string' ? shortened(value, letters) : value;
    const text = JSON.stringify(code, shorten);
    if (text.length <= MOST_LETTERS) return text;
  }
  return JSON.stringify(code.slice(0, 2));
}

function shortened(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const half = Math.floor(letters / 2) - 2;
  const [begun, ended] = [text.slice(0, half), text.slice(-half)];
  return `${begun.replace(/(?<=\S) \S*$/, '')} … ${ended.replace(/^\S* (?=\S)/, '')}`;
}

/** What a decision has kept, as a sentence. A text that is not a code, such as an API caller's, stays as it is. */
export function acknowledgedText(kept: string, texts: ConcernTexts & { alarm: PaperTexts['alarm'] }): string {
  try {
    const code = JSON.parse(kept) as ConcernCode;
    const text = code[0] === 'paper' ? textOfAlarm(code[1], code[2], texts) : textOf(code, texts);
    return typeof text === 'string' ? text : kept;
  } catch {
    return kept;
  }
}

function textOfAlarm<Kind extends keyof Said>(
  kind: Kind,
  said: Said[Kind],
  { alarm, formats }: { alarm: PaperTexts['alarm']; formats: Formats },
): string {
  return alarm[kind](said, { date: formats.date, names: null });
}
