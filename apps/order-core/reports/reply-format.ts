import { Refused } from '@offizin/contracts/errors';

/** The forms that a report is answered in; where a caller likes both the same, the first. */
const FORMATS = [
  { format: 'json', type: 'application', subtype: 'json' },
  { format: 'csv', type: 'text', subtype: 'csv' },
] as const;
export type ReplyFormat = (typeof FORMATS)[number]['format'];

/**
 * Chooses by the header Accept as RFC 9110 section 12.5.1 says: the most specific range that fits a form gives its
 * weight, the greatest weight wins, 0 excludes. No header accepts everything. Throws `Refused` (not_acceptable).
 */
export function replyFormat(accept: string | undefined): ReplyFormat {
  if (accept === undefined || accept.trim() === '') return 'json';
  const ranges = accept.split(',').flatMap(mediaRange);
  let best: { format: ReplyFormat; weight: number } | null = null;
  for (const { format, type, subtype } of FORMATS) {
    const weight = weightOf(ranges, type, subtype);
    if (weight > (best?.weight ?? 0)) best = { format, weight };
  }
  if (best) return best.format;
  throw new Refused('not_acceptable', 'A report is application/json or text/csv: accept one of them.');
}

interface MediaRange {
  type: string;
  subtype: string;
  weight: number;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";
const RANGE = new RegExp(`^(${TOKEN})/(${TOKEN})$`);
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** None for what is no media range; parameters other than the weight do not tell our two forms apart. */
function mediaRange(text: string): MediaRange[] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, type, subtype] = RANGE.exec(range) ?? [];
  if (type === undefined || subtype === undefined) return [];
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  if (weight === undefined) return [{ type, subtype, weight: 1 }];
  const [, value] = WEIGHT.exec(weight) ?? [];
  return value === undefined ? [] : [{ type, subtype, weight: Number(value) }];
}

function weightOf(ranges: MediaRange[], type: string, subtype: string): number {
  const weightAt = (wantedType: string, wantedSubtype: string): number | undefined =>
    ranges.find((range) => range.type === wantedType && range.subtype === wantedSubtype)?.weight;
  return weightAt(type, subtype) ?? weightAt(type, '*') ?? weightAt('*', '*') ?? 0;
}
