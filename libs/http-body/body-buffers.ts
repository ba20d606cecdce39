import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes whose memory is given back to the system at once, by `freeNow`, wherever it was handed over to meanwhile. That of
 * any other buffer goes when the garbage collector comes, and it does not count such memory as its own: some large
 * documents are dead by then.
 */
export function freeableBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
}

/** Views on it are empty from then on. Memory that is not from `freeableBytes` stays as it is. */
export function freeNow(buffer: ArrayBufferLike | null): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

/**
 * Each piece of a body is memory of its own outside the heap (64 KiB at most), dead as soon as it was passed on or copied.
 * Left to V8, a few large bodies cost a process up to 64 MB of dead pieces; here they are collected after every 8 MiB.
 */
const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

let passedBytes = 0;

/** To be called with every piece of every body, also of those that are thrown away. */
export function pieceOfBody({ length }: Uint8Array): void {
  deadBytes(length);
}

/** So many bytes outside the heap will be dead at the end of this turn. */
export function deadBytes(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < COLLECT_AFTER_BYTES) return;
  passedBytes = 0;
  // The piece at hand is still in use in this turn.
  setImmediate(() => collectGarbage('minor'));
}

type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | null = null;

/**
 * Has V8 collect now; `minor` only what is young, in a millisecond or two. For buffers: their memory lies outside the
 * heap, and V8 looks for dead ones only after some 64 MB of them.
 */
export function collectGarbage(how: 'minor' | 'all'): void {
  collect ??= collector();
  if (how === 'minor') collect({ type: 'minor' });
  else collect();
}

/** V8's own function, which only contexts get that are made while the flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
