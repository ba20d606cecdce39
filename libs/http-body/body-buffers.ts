import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory that `freeNow` frees. V8 collects ordinary buffers late, because it does not count them as heap. */
export function freeableBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
}

/** Views on the buffer become empty. Buffers not from `freeableBytes` are left unchanged. */
export function freeNow(buffer: ArrayBufferLike | null): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

/**
 * Pieces of bodies and answers lie outside the heap, and V8 collects them late. This many bytes trigger a minor
 * collection (decision 0026).
 */
const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

let passedBytes = 0;

/** Must be called with every piece of every body and of every streamed answer, including discarded ones. */
export function pieceOfBody({ length }: Uint8Array): void {
  deadBytes(length);
}

/** Counts bytes outside the heap that are garbage at the end of this tick. */
export function deadBytes(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < COLLECT_AFTER_BYTES) return;
  passedBytes = 0;
  // The current piece is in use until the end of this tick.
  setImmediate(() => collectGarbage('minor'));
}

type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | null = null;

/** `minor` collects only the young generation. */
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
