import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/errors';

/**
 * The lowest pace of a body: 10 KiB in each 10 s, or its end. The edge allows two minutes for a request, so the largest
 * body needs 128 KiB/s anyway; 1 KiB/s leaves room for a mobile uplink that stalls for some seconds. A caller that holds
 * memory or a connection to order-core for longer has to pay for it with traffic.
 */
const WINDOW_MS = 10_000;
const WINDOW_BYTES = 10 * 1024;

/**
 * Calls `onTooSlow` once when the body falls below the lowest pace. Time in which this process did not read counts for
 * the caller. Returns the function that ends the watch; to be called when the body has ended.
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

/** The body waits for this process: for memory, or for a receiver that takes no more. */
function isHeldUp({ readableFlowing, readableLength }: IncomingMessage): boolean {
  return readableFlowing !== true || readableLength > 0;
}

export function tooSlow(): Refused {
  const message = 'The body came too slowly: send at least 10 KiB in 10 seconds.';
  return new Refused('invalid_request', message, undefined, { connection: 'close' });
}
