import type { DocumentKind } from '@offizin/contracts/requests/review';
import { berlinDay, daysBetween } from '../../text/berlin-day';
import type { IssueRule } from './alarms';

/** Of one line, the first of this list; a printout is one only by its own head, since it asks for less. */
const KINDS: readonly (readonly [DocumentKind, RegExp])[] = [
  ['narcotic', /bet(?:ä|ae)ubungsmittel|(?<!\p{L})btm/giu],
  ['private', /privat-?\s?(?:rezept|verordnung)/giu],
  ['electronic', /ausdruck zur einl(?:ö|oe)sung ihre[sr] e-?\s?(?:rezept|verordnung)/giu],
];

/** "Kein BtM", "nicht als Privatrezept". */
const DENIED = /(?<!\p{L})(?:kein(?:e[mnrs]?)?|nicht (?:als|für|fuer)|ohne|statt) (?:\p{L}+ )?$/iu;
/** Words of a title; a sentence has more. */
const MOST_TITLE = 6;

/** As the first title says that names a kind, else the first sentence. `text` is line by line, from the top. */
export function kindIn(text: string): DocumentKind | null {
  const named = KINDS.flatMap(([kind, words]) =>
    [...text.matchAll(words)].flatMap(({ index }) => {
      const start = Math.max(text.lastIndexOf('\n', index), text.lastIndexOf('\f', index)) + 1;
      const [line = ''] = text.slice(start).split(/[\n\f]/, 1);
      const isTitle = line.split(' ').length <= MOST_TITLE;
      return DENIED.test(text.slice(start, index)) ? [] : [{ kind, start, isTitle }];
    }),
  );
  const [first] = [...named.filter(({ isTitle }) => isTitle).sort(byStart), ...named.sort(byStart)];
  return first?.kind ?? null;
}

function byStart(one: { start: number }, other: { start: number }): number {
  return one.start - other.start;
}

/** A narcotic prescription counts for seven days after its issue. */
export const NARCOTIC_DAYS = 7;

/** Days of the pharmacy's calendar. */
export function issueRule(kind: DocumentKind | null, nowMs: number, amberDays: number): IssueRule {
  return {
    ageOf: (day) => daysBetween(day, berlinDay(nowMs)),
    amberDays: kind === 'narcotic' ? Math.min(amberDays, NARCOTIC_DAYS) : amberDays,
  };
}
