let turn: Promise<void> | null = null;

/** Resolves for all callers of this tick at once, so that their messages on one connection share one write. */
export function endOfTick(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
  return turn;
}
