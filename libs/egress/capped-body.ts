/**
 * One buffer that doubles, up to a limit. Not a list of chunks: a server that sends single bytes would create one
 * object per byte.
 */
export class CappedBody {
  truncated = false;
  private buffer = EMPTY;
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  /** Sets `truncated` when bytes were dropped; the caller should then stop reading. */
  add(chunk: Buffer): void {
    const end = Math.min(this.length + chunk.length, this.maxBytes);
    this.truncated = this.length + chunk.length > this.maxBytes;
    if (end > this.buffer.length) this.grow(end);
    chunk.copy(this.buffer, this.length, 0, end - this.length);
    this.length = end;
  }

  /** A view; call it last, because a later `add` may not reach it. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(neededBytes: number): void {
    const grown = Buffer.allocUnsafe(Math.min(Math.max(neededBytes, this.buffer.length * 2), this.maxBytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

const EMPTY = Buffer.alloc(0);
