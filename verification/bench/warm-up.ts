/**
 * Services run for days, a row for seconds. So a row begins after V8 has compiled the hot code. PostgreSQL, the raw
 * limit, needs no warm-up.
 */
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
