let presentTick: Promise<void> | null = null;

/** Resolves for all callers of this tick at once, so that their messages on one connection share one write. */
export function endOfTick(): Promise<void> {
  presentTick ??= new Promise((resolve) => {
    setImmediate(() => {
      presentTick = null;
      resolve();
    });
  });
  return presentTick;
}
