/** Long work is done in turns, so that keys and drawing come between them. */

/** Waits once the turn is over, and resolves with whether it waited. Rejects once the signal is aborted. */
export type Rest = () => Promise<boolean>;

/** For short work. */
export const NO_REST: Rest = () => Promise.resolve(false);

/** A longer turn holds up keys and drawing. */
const TURN_MS = 12;

/** The first turn begins with the call. */
export function turns(signal?: AbortSignal): Rest {
  let begunAt = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - begunAt <= TURN_MS) return false;
    await new Promise((go) => setTimeout(go));
    signal?.throwIfAborted();
    begunAt = performance.now();
    return true;
  };
}
