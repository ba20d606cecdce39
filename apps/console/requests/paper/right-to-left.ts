/** Where the letters of Hebrew and Arabic text are drawn. Pure. */

const RIGHT_TO_LEFT = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

type Direction = 'L' | 'R';

/**
 * Of each letter, how many are drawn to its left. `isRightToLeft`: so is the text as a whole. The rules of Unicode (UAX 9)
 * as far as names and medicines need them: words and numbers in the other direction keep their own order.
 */
export function drawnPlaces(text: string, isRightToLeft: boolean): number[] {
  const order = Array.from({ length: text.length }, (_, at) => at);
  if (!RIGHT_TO_LEFT.test(text)) return order;
  const base = isRightToLeft ? 'R' : 'L';
  const levels = Array.from(directionsOf(text, base), (one) => LEVELS[base][one] ?? 0);
  for (const level of [2, 1])
    for (let at = 0; at < levels.length; at += 1) {
      const end = levels.findIndex((one, later) => later >= at && one < level);
      const run = order.slice(at, end < 0 ? levels.length : end);
      order.splice(at, run.length, ...run.reverse());
      at += run.length;
    }
  const places = [...order];
  for (const [place, at] of order.entries()) places[at] = place;
  return places;
}

/** Runs of a level are drawn turned around, and those of a higher level in them once more. */
const LEVELS: Readonly<Record<Direction, Readonly<Record<string, number>>>> = {
  L: { L: 0, R: 1, N: 2 },
  R: { L: 2, R: 1, N: 2 },
};

/** L, R or N, a number, for each letter. */
function directionsOf(text: string, base: Direction): string {
  let last: string = base;
  const strong = text
    .split('')
    .map(kindOf)
    .join('')
    .replaceAll(/(?<=N)S(?=N)/g, 'N')
    .replaceAll('S', ' ')
    .replaceAll(/[LRN]/g, (kind) => {
      if (kind !== 'N') last = kind;
      // A number after words from left to right belongs to them.
      return kind === 'N' && last === 'L' ? 'L' : kind;
    });
  return strong.replaceAll(/ +/g, (gap, at: number) => {
    const [before, after] = [strong[at - 1] ?? base, strong[at + gap.length] ?? base];
    const isSame = (before === 'L') === (after === 'L');
    return (isSame ? (before === 'L' ? 'L' : 'R') : base).repeat(gap.length);
  });
}

/** S: it parts numbers, as in a date. */
function kindOf(letter: string): string {
  if (RIGHT_TO_LEFT.test(letter)) return 'R';
  if (/\p{N}/u.test(letter)) return 'N';
  if (/[.,:/+-]/.test(letter)) return 'S';
  return /\p{L}/u.test(letter) ? 'L' : ' ';
}
