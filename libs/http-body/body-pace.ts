import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/errors';

/**
 * The minimum pace of a body: 10 KiB in each 10 s. It tolerates a mobile uplink that stalls for some seconds.
 * Without it an idle caller could hold memory or a connection to order-core until the request timeout of two
 * minutes.
 */
const WINDOW_MS = 10_000;
const WINDOW_BYTES = 10 * 1024;

/**
 * Calls `onTooSlow` once when the body falls below the minimum pace; windows in which this process did not read are
 * ignored. Returns the function that ends the watch; call it when the body has ended.
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

/** The body waits for this process: for memory, or for a receiver with back-pressure. */
function isHeldUp({ readableFlowing, readableLength }: IncomingMessage): boolean {
  return readableFlowing !== true || readableLength > 0;
}

export function tooSlow(): Refused {
  const message = 'The body came too slowly: send at least 10 KiB in 10 seconds.';
  return new Refused('invalid_request', message, undefined, { connection: 'close' });
}
