/**
 * Source: RFC 9110 section 12.5.1. The greatest weight wins, then the order of `offered`. Null when all are excluded.
 */
export function acceptedType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
  const ranges = accept.split(',').flatMap(mediaRange);
  let best: { type: Type; weight: number } | null = null;
  for (const type of offered) {
    const weight = weightOf(ranges, type);
    if (weight > (best?.weight ?? 0)) best = { type, weight };
  }
  return best?.type ?? null;
}

interface MediaRange {
  range: string;
  weight: number;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";
const RANGE = new RegExp(`^${TOKEN}/${TOKEN}$`);
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Empty for text that is not a media range. Offered types have no parameters, so only `q` counts. */
function mediaRange(text: string): MediaRange[] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!RANGE.test(range)) return [];
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  if (weight === undefined) return [{ range, weight: 1 }];
  const [, value] = WEIGHT.exec(weight) ?? [];
  return value === undefined ? [] : [{ range, weight: Number(value) }];
}

function weightOf(ranges: readonly MediaRange[], type: string): number {
  const weightAt = (wanted: string): number | undefined =>
    ranges.find(({ range }) => range === wanted)?.weight;
  const [main = ''] = type.split('/');
  return weightAt(type) ?? weightAt(`${main}/*`) ?? weightAt('*/*') ?? 0;
}
