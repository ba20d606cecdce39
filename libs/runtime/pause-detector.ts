import { Unreachable } from '@offizin/contracts/errors';

/**
 * Detects that this process was paused until just now (SIGSTOP, VM pause). Work resumed after a pause must stop:
 * its caller has received a timeout and may have sent a newer request.
 *
 * Only compares clocks. After a pause the event loop runs timers first, and the beat is a timer, so only work that
 * resumes before it sees `true`. Waits for a database, a thread or another service have their own timeouts.
 */
const BEAT_MS = 250;
/** The deadline of a call (deadline.ts): after it the caller was answered. */
const PAUSED_MS = 4_500;

let beatAtMs = Date.now();
setInterval(() => (beatAtMs = Date.now()), BEAT_MS).unref();

/** Uses the wall clock: the monotonic clock stops while the host is paused. */
export function wasPaused(): boolean {
  return Date.now() - beatAtMs > PAUSED_MS;
}

/**
 * The error for the caller; resolves after the next beat, so that cleanup (such as freeing a key) is not seen as
 * paused.
 */
export async function afterPause(): Promise<Unreachable> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  const message = 'The service was paused and stopped work on this request. Send it again.';
  return new Unreachable('service_unavailable', message);
}
