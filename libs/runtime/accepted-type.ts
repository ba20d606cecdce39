/**
 * Chooses a media type by the header Accept (RFC 9110 section 12.5.1). An offered type has the weight of its most
 * specific matching range; 0 excludes it. The greatest weight wins, then the order of `offered`. Returns null when
 * all offered types are excluded.
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

/** Empty for text that is not a media range. Parameters other than `q` are ignored: offered types have none. */
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
