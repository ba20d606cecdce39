import type { IncomingMessage } from 'node:http';
import { Refused } from '@offizin/contracts/calls/errors';
import { freeableBytes, freeNow } from './body-buffers';
import { BodyBudget } from './body-budget';
import { bufferOver, joined, piecesOf, type ReceivedBody, SMALL_BYTES, tooLarge } from './body-pieces';
import { ChunkedBody } from './chunked-body';

/** 415 for a wrong media type or a compressed body, 413 by content-length. */
export function checkBodyHeaders(request: IncomingMessage, maxBytes: number): void {
  const { headers } = request;
  checkNotCompressed(request);
  if (hasBody(request) && mediaType(headers['content-type']) !== 'application/json') {
    throw new Refused('unsupported_media_type', 'The body must be application/json in UTF-8.');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function checkNotCompressed({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new Refused('unsupported_media_type', 'Send the body without compression.');
}

const memoryOfProcess = new BodyBudget();

/**
 * Throws `Refused` (payload_too_large) for a larger body, `Unreachable` when the budget is exhausted. The rest of a
 * refused body is discarded. A large body does not share its ArrayBuffer.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  owner: string,
  memory = memoryOfProcess,
): Promise<ReceivedBody> {
  const announced = Number(request.headers['content-length'] ?? NaN);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  try {
    if (announced <= SMALL_BYTES) return await readSmall(request, owner, memory);
    if (announced > SMALL_BYTES) return await readAnnounced(request, announced, owner, memory);
    return await new ChunkedBody(request, maxBytes, owner, memory).read();
  } catch (error) {
    request.resume();
    throw error;
  }
}

async function readSmall(request: IncomingMessage, owner: string, memory: BodyBudget): Promise<ReceivedBody> {
  const { pieces, release } = await readBeginning(request, owner, memory);
  return { bytes: joined(pieces), release };
}

/** A whole small body, or the beginning of a larger one, whose request is paused. */
export interface BodyBeginning {
  pieces: Buffer[];
  isWhole: boolean;
  waitedMs: number;
  /** Call it when the request is answered. */
  release: () => void;
}

/** Throws `Refused` for a body that is too slow or ends early, and `Unreachable` when the budget is exhausted. */
export async function readBeginning(
  request: IncomingMessage,
  owner: string,
  memory = memoryOfProcess,
): Promise<BodyBeginning> {
  if (!hasBody(request)) return { pieces: [], isWhole: true, waitedMs: 0, release: () => undefined };
  const bytes = Math.min(Number(request.headers['content-length'] ?? SMALL_BYTES), SMALL_BYTES);
  const startedAtMs = performance.now();
  const release = memory.small.placeNow(bytes, owner) ?? (await memory.small.placeFor(bytes, owner));
  const waitedMs = performance.now() - startedAtMs;
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    const isWhole = await piecesOf(request, (piece) => {
      pieces.push(piece);
      size += piece.length;
      return size > SMALL_BYTES ? 'enough' : undefined;
    });
    return { pieces, isWhole, waitedMs, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function readAnnounced(
  request: IncomingMessage,
  size: number,
  owner: string,
  memory: BodyBudget,
): Promise<ReceivedBody> {
  // Nothing is read before memory is available: back-pressure on the socket.
  const release = await memory.large.placeFor(size, owner);
  const whole = freeableBytes(size);
  let at = 0;
  try {
    // The pieces fill the buffer: Node's parser refuses a body shorter than its content-length.
    await piecesOf(request, (piece) => {
      whole.set(piece, at);
      at += piece.length;
      return undefined;
    });
  } catch (error) {
    freeNow(whole.buffer);
    release();
    throw error;
  }
  return { bytes: bufferOver(whole), release };
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/** Lower case, without parameters; null for a charset other than UTF-8. */
export function mediaType(contentType: string | undefined): string | null {
  if (contentType === 'application/json') return contentType;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return type.trim();
}
