let turn: Promise<void> | null = null;

/**
 * Resolves when the event loop has taken in all that had arrived, for everybody who asked in this turn at once. What
 * they then send on one connection leaves in one write; without it each message is a write of its own, because each
 * comes out of a callback of its own. Nobody waits for others to come: an idle process goes on at once. In a profile at
 * 64 callers those writes were 12 to 20 % of the gateway's time. Measured on a busy machine, together with two small
 * levers of the edges and of the operation server: 630 -> 510 µs of a core for a small call, 2,930 -> 2,455 for an upsert.
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
