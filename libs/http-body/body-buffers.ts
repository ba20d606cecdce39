import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes whose memory `freeNow` returns to the system at once. Ordinary buffers wait for a garbage collection, and
 * V8 does not count them as heap, so several large documents could pile up.
 */
export function freeableBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
}

/** Frees memory from `freeableBytes`; views on it become empty. Other buffers are left unchanged. */
export function freeNow(buffer: ArrayBufferLike | null): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

/**
 * Each piece of a body is a separate allocation outside the heap (at most 64 KiB), garbage once it was forwarded or
 * copied. V8 collects such memory late, so this module triggers a minor collection after every 8 MiB.
 */
const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

let passedBytes = 0;

/** Must be called with every piece of every body, including discarded ones. */
export function pieceOfBody({ length }: Uint8Array): void {
  deadBytes(length);
}

/** Counts bytes outside the heap that will be garbage at the end of this tick. */
export function deadBytes(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < COLLECT_AFTER_BYTES) return;
  passedBytes = 0;
  // The current piece is in use until the end of this tick.
  setImmediate(() => collectGarbage('minor'));
}

type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | null = null;

/** Runs V8's garbage collector now; `minor` collects only the young generation. Used to free buffers early. */
export function collectGarbage(how: 'minor' | 'all'): void {
  collect ??= collector();
  if (how === 'minor') collect({ type: 'minor' });
  else collect();
}

/** V8 exposes `gc` only in contexts that are created while the flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
