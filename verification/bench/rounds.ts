/** Statistics of alternating blocks: when a block is warm, and which of its figures counts. */

/** Services run for days, a row for seconds. So a row begins after V8 has compiled the hot code. */
export interface WarmUp {
  /** Length of a piece. */
  warmUpMs: number;
  /** No further piece begins after this time. */
  warmUpLimitMs: number;
}

/** What counts as faster: less is the noise of a shared machine. */
const GAIN = 1.03;
/** One slow piece may be noise of the machine. */
const PIECES_WITHOUT_GAIN = 2;

/** Repeats the piece, which answers its rate, until it becomes no faster. */
export async function untilSteady(
  piece: () => Promise<number>,
  { warmUpLimitMs }: Pick<WarmUp, 'warmUpLimitMs'>,
): Promise<void> {
  const endsAtMs = performance.now() + warmUpLimitMs;
  let best = await piece();
  let withoutGain = 0;
  while (withoutGain < PIECES_WITHOUT_GAIN && performance.now() < endsAtMs) {
    const rate = await piece();
    if (rate > best * GAIN) {
      best = rate;
      withoutGain = 0;
    } else {
      withoutGain += 1;
    }
  }
}

/** Throws for an empty list: a row without a figure must not look measured. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error('no figures to take the median of');
  return (upper + lower) / 2;
}

/** Median of the ratios per round: a disturbance of seconds affects both halves of a round. */
export function medianRatio(pairs: readonly { product: number; raw: number }[]): number {
  return median(pairs.map(({ product, raw }) => product / raw));
}

/** Several rows show figures of one measurement: it runs with the first of them. */
export function once<Key extends object, T>(measure: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const known = new WeakMap<Key, Promise<T>>();
  return (key) => {
    const measured = known.get(key) ?? measure(key);
    known.set(key, measured);
    return measured;
  };
}
