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
