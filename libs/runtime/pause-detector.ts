import { Unreachable } from '@offizin/contracts/errors';

/**
 * Whether this process stood still until a moment ago: it was stopped, or its host. What goes on then in the middle of
 * its work is too late: who called was told that it was not done, and may have sent something newer.
 *
 * A look at the clock, and no more: timers come first when a process goes on, and the beat is one. So this is true exactly
 * for what is continued before them; who waits for a database, a thread or another service has a timer of its own.
 */
const BEAT_MS = 250;
/** As long as a call has (deadline.ts): by then its caller was answered. */
const STOOD_STILL_MS = 4_500;

let beatAtMs = Date.now();
setInterval(() => (beatAtMs = Date.now()), BEAT_MS).unref();

/** By the wall clock: the other one stands still while a host is paused. */
export function wasPaused(): boolean {
  return Date.now() - beatAtMs > STOOD_STILL_MS;
}

/** What the caller is told, once the beat has come: what is done after it, such as to free a key, is in time again. */
export async function afterPause(): Promise<Unreachable> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  const message = 'The service stood still for a while: nothing more was done of this. Send it again.';
  return new Unreachable('service_unavailable', message);
}
