import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/calls/errors';
import { pieceOfBody } from './body-buffers';

/** A body of at most this size is collected before it is processed. */
export const SMALL_BYTES = 64 * 1024;

/** `release` frees the reserved memory; call it when the call is answered. */
export interface ReceivedBody {
  bytes: Buffer;
  release: () => void;
}

export function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first ? first : Buffer.concat(pieces);
}

export function bufferOver({ buffer, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, 0, byteLength);
}

/**
 * True at the end of the body; false once `add` returns 'enough', with the request paused. Rejects when the body ends
 * early, is too slow, or `add` throws.
 */
export function piecesOf(
  request: IncomingMessage,
  add: (piece: Buffer) => 'enough' | undefined,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (): void => {
      isOver = true;
      stopWatching();
    };
    const refuse = (error: unknown): void => {
      end();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const take = (piece: Buffer): void => {
      pieceOfBody(piece);
      if (isOver) return;
      try {
        if (add(piece) === 'enough') leave();
      } catch (error) {
        refuse(error);
      }
    };
    const leave = (): void => {
      end();
      request.pause();
      request.off('data', take).off('end', ended).off('error', endedEarly).off('close', endedEarly);
      resolve(false);
    };
    const ended = (): void => {
      end();
      resolve(true);
    };
    // The caller disconnected; not an error of this process.
    const endedEarly = (): void => {
      if (!request.readableEnded) refuse(new Refused('invalid_request', 'The body ended early.'));
    };
    const stopWatching = watchPace(request, () => refuse(tooSlow()));
    request.on('data', take).once('end', ended);
    request.once('error', endedEarly).once('close', endedEarly);
    // The caller may have disconnected before the listeners were added.
    if (request.destroyed) endedEarly();
  });
}

export function tooLarge(maxBytes: number): Refused {
  return new Refused('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}

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
