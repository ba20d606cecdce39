import type { DocumentKind } from '@offizin/contracts/requests/review';
import { berlinDay, daysBetween } from '../../text/berlin-day';
import type { IssueRule } from './alarms';

/** The first that the text names; a printout is one only by its own head, since it asks for less. */
const KINDS: readonly (readonly [DocumentKind, RegExp])[] = [
  ['narcotic', /bet(?:ä|ae)ubungsmittel|(?<!\p{L})btm/iu],
  ['private', /privat-?\s?(?:rezept|verordnung)/i],
  ['electronic', /ausdruck zur einl(?:ö|oe)sung ihre[sr] e-?\s?(?:rezept|verordnung)/i],
];

export function kindIn(text: string): DocumentKind | null {
  return KINDS.find(([, words]) => words.test(text))?.[0] ?? null;
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
