let turn: Promise<void> | null = null;

/**
 * Resolves at the end of the current tick, at once for all callers of this tick. Messages that they then send on
 * one connection share one write; otherwise each callback would cause a separate write. It never waits for further
 * callers.
 */
export function endOfTick(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
  return turn;
}
