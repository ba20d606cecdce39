/**
 * Services run for days, a row for seconds: it begins where V8 has compiled what is called often. One caller of a fresh
 * stack upserts 150 orders a second at first and 350 after twenty seconds; PostgreSQL, which the product is held against,
 * is as quick at once.
 */
export interface WarmUp {
  /** Length of a piece. */
  warmUpMs: number;
  /** No further piece begins after this time. */
  warmUpLimitMs: number;
}

/** What counts as faster: less is the noise of a shared machine. */
const GAIN = 1.03;
/** One slow piece may be the machine's. */
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
