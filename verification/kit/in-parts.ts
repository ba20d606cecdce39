/** Rows of one statement: a busy machine makes them within its limit (STATEMENT_TIMEOUT_MS). */
const PART = 1_000;

/** Fills numbers 1 to `count`, a part at a time; `from` and `to` belong to the part. */
export async function inParts(
  count: number,
  fill: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 1; from <= count; from += PART) await fill(from, Math.min(from + PART - 1, count));
}
