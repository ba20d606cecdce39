import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/errors';
import { pieceOfBody } from './body-garbage';

/** What is not larger is put together from its pieces, and not counted. */
export const SMALL_BYTES = 64 * 1024;

/** A body, and its place among those that the process holds: to be released when its call is answered. */
export interface ReceivedBody {
  bytes: Buffer;
  release: () => void;
}

export function smallBody(pieces: Buffer[]): ReceivedBody {
  const [first] = pieces;
  const bytes = pieces.length === 1 && first ? first : Buffer.concat(pieces);
  return { bytes, release: () => undefined };
}

export function bufferOver({ buffer, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, 0, byteLength);
}

/** Resolves at the end of the body; rejects when it ends early, or with what `add` throws, which is not called again. */
export function piecesOf(request: IncomingMessage, add: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const refuse = (error: unknown): void => {
      isOver = true;
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const endedEarly = (): void => {
      if (!request.readableEnded) refuse(new Refused('invalid_request', 'The body ended early.'));
    };
    request.on('data', (piece: Buffer) => {
      pieceOfBody(piece);
      if (isOver) return;
      try {
        add(piece);
      } catch (error) {
        refuse(error);
      }
    });
    request.once('end', resolve);
    // Its caller has left, which is no defect of ours.
    request.once('error', endedEarly);
    request.once('close', endedEarly);
    // Its caller was gone before anybody listened.
    if (request.destroyed) endedEarly();
  });
}

export function tooLarge(maxBytes: number): Refused {
  return new Refused('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}
