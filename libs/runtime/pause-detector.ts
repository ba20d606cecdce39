import { Unreachable } from '@offizin/contracts/calls/errors';

/**
 * Detects that this process was paused until just now (SIGSTOP, VM pause; decision 0022). After a pause the event loop
 * runs timers first, so only work that resumes before the beat sees `true`.
 */
const BEAT_MS = 250;
/** The deadline of a call (serve-operation.ts). */
const PAUSED_MS = 4_500;

let beatAtMs = Date.now();
setInterval(() => (beatAtMs = Date.now()), BEAT_MS).unref();

/** Uses the wall clock: the monotonic clock stops while the host is paused. */
export function wasPaused(): boolean {
  return Date.now() - beatAtMs > PAUSED_MS;
}

/** Resolves after the next beat, so that cleanup (such as freeing a key) is not seen as paused. */
export async function afterPause(): Promise<Unreachable> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  const message = 'The service was paused and stopped work on this request. Send it again.';
  return new Unreachable('service_unavailable', message);
}
