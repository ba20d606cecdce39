/**
 * Collects an answer's body up to a limit, in one buffer that doubles.
 *
 * Not a list of chunks: a server that sends one byte per chunk would turn 10 MB into ten million objects.
 * Memory is at most three times the bytes kept, and only while the buffer grows.
 */
export class CappedBody {
  truncated = false;
  private buffer = EMPTY;
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  /** Keeps what still fits; `truncated` says that something did not, and that reading should stop. */
  add(chunk: Buffer): void {
    const end = Math.min(this.length + chunk.length, this.maxBytes);
    this.truncated = this.length + chunk.length > this.maxBytes;
    if (end > this.buffer.length) this.grow(end);
    chunk.copy(this.buffer, this.length, 0, end - this.length);
    this.length = end;
  }

  /** The bytes kept. Valid once; nothing may be added afterwards. */
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
