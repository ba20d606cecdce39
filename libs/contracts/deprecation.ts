import { isCalendarDate } from './timestamps';

/** The announced end of an operation or field. */
export interface Deprecation {
  /** YYYY-MM-DD: the day of the announcement. */
  since: string;
  /** YYYY-MM-DD: it works until this day begins in UTC; at least twelve months after `since`. */
  sunset: string;
  /** Page that says what to use instead. Absolute, because the answers of every shop domain name it. */
  link: string;
}

/** Throws an Error that begins with `what` when the announcement breaks the rules of the contract. */
export function checkDeprecation(what: string, { since, sunset, link }: Deprecation): void {
  for (const [name, day] of Object.entries({ since, sunset })) {
    if (!isCalendarDate(day))
      throw new Error(`${what}: deprecated.${name} must be a day, such as 2026-01-31, not ${day}.`);
  }
  const sameDay = `${Number(since.slice(0, 4)) + 1}${since.slice(4)}`;
  // After a 29 February.
  const earliest = isCalendarDate(sameDay) ? sameDay : sameDay.replace('-02-29', '-03-01');
  // Days of this form are in the order of their texts.
  if (sunset < earliest)
    throw new Error(`${what}: deprecated.sunset must be ${earliest} or later, 12 months after since.`);
  // Without what would end a header, a comment or a code span of Markdown.
  if (!/^https:\/\/[\w.~:/?#@!$&'(),;=%+-]+$/.test(link) || !URL.canParse(link))
    throw new Error(`${what}: deprecated.link must be an https address, not ${link}.`);
}

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of an answer; none for an empty list. Of several, the earliest
 * days count, and each page is linked.
 */
export function deprecationHeaders(all: Iterable<Deprecation>): Record<string, string> {
  const announced = [...all];
  const earliest = (days: string[]): Date => new Date(days.sort()[0] ?? '');
  if (announced.length === 0) return {};
  const links = new Set(announced.map(({ link }) => `<${link}>; rel="deprecation"`));
  return {
    deprecation: `@${earliest(announced.map(({ since }) => since)).getTime() / 1000}`,
    sunset: earliest(announced.map(({ sunset }) => sunset)).toUTCString(),
    link: [...links].join(', '),
  };
}

/** For the description. */
export function deprecationSentence({ since, sunset, link }: Deprecation): string {
  return `Deprecated since ${since}, may be removed from ${sunset} on: ${link}`;
}
