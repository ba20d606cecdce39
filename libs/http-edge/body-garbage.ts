import { collectGarbage } from '@offizin/runtime/collect-garbage';

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
