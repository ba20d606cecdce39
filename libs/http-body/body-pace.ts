import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/errors';

/**
 * Tolerates a mobile uplink that stalls for some seconds. A slower caller could hold memory or a connection to
 * order-core.
 */
const WINDOW_MS = 10_000;
const WINDOW_BYTES = 10 * 1024;

/**
 * Calls `onTooSlow` once; ignores windows in which this process did not read. Returns the function that ends the watch.
 */
export function watchPace(request: IncomingMessage, onTooSlow: () => void): () => void {
  const { socket } = request;
  let seenBytes = socket.bytesRead;
  const timer = setInterval(() => {
    const cameBytes = socket.bytesRead - seenBytes;
    seenBytes = socket.bytesRead;
    if (cameBytes >= WINDOW_BYTES || isHeldUp(request)) return;
    clearInterval(timer);
    onTooSlow();
  }, WINDOW_MS).unref();
  return () => clearInterval(timer);
}

/** The body waits for memory, or for a receiver with back-pressure. */
function isHeldUp({ readableFlowing, readableLength }: IncomingMessage): boolean {
  return readableFlowing !== true || readableLength > 0;
}

export function tooSlow(): Refused {
  const message = 'The body came too slowly: send at least 10 KiB in 10 seconds.';
  return new Refused('invalid_request', message, undefined, { connection: 'close' });
}
