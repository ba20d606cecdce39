import type { IncomingMessage } from 'node:http';
import { freeableBytes } from './body-buffers';
import { type BodyBudget, tooMuch } from './body-budget';
import { bufferOver, joined, piecesOf, type ReceivedBody, SMALL_BYTES, tooLarge } from './body-pieces';

const HOLD_CHECK_MS = 250;

/**
 * A large body without a content-length is collected in the reusable buffer and copied at the end, so an oversized one never
 * allocates beyond that buffer.
 */
export class ChunkedBody {
  private pieces: Buffer[] = [];
  private size = 0;
  private place: 'outside' | 'waiting' | 'collecting' | 'left' = 'outside';
  private holdCheck: NodeJS.Timeout | undefined;
  private refuse: (error: unknown) => void = () => undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly maxBytes: number,
    private readonly owner: string,
    private readonly memory: BodyBudget,
  ) {}

  /** Throws as `readBody` does. */
  async read(): Promise<ReceivedBody> {
    const refused = new Promise<never>((_, reject) => (this.refuse = reject));
    const { small, large } = this.memory;
    const releaseSmall =
      small.placeNow(SMALL_BYTES, this.owner) ?? (await small.placeFor(SMALL_BYTES, this.owner));
    let isSmall = false;
    try {
      await Promise.race([piecesOf(this.request, (piece) => this.add(piece)), refused]);
      if (this.place !== 'collecting') {
        isSmall = true;
        return { bytes: joined(this.pieces), release: releaseSmall };
      }
      const release = await large.placeFor(this.size, this.owner);
      const whole = freeableBytes(this.size);
      whole.set(this.memory.chunkedBuffer(this.size).subarray(0, this.size));
      return { bytes: bufferOver(whole), release };
    } finally {
      if (!isSmall) releaseSmall();
      this.leave();
    }
  }

  private add(piece: Buffer): undefined {
    if (this.place === 'left') return;
    this.size += piece.length;
    if (this.size > this.maxBytes) throw tooLarge(this.maxBytes);
    if (this.place === 'collecting') {
      this.memory.chunkedBuffer(this.size).set(piece, this.size - piece.length);
      return;
    }
    this.pieces.push(piece);
    if (this.size > SMALL_BYTES && this.place === 'outside') this.wait();
  }

  private wait(): void {
    this.place = 'waiting';
    this.request.pause();
    this.memory.chunked.take(1).then(
      () => this.enter(),
      (error: unknown) => this.refuse(error),
    );
  }

  private enter(): void {
    if (this.place === 'left') {
      this.memory.releaseChunked();
      return;
    }
    this.place = 'collecting';
    const bytes = this.memory.chunkedBuffer(this.size);
    let at = 0;
    for (const piece of this.pieces.splice(0)) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const enteredAt = performance.now();
    const { chunkedHoldMs } = this.memory.limits;
    this.holdCheck = setInterval(() => {
      if (this.memory.chunked.isWanted && performance.now() - enteredAt > chunkedHoldMs)
        this.refuse(tooMuch());
    }, HOLD_CHECK_MS);
    this.request.resume();
  }

  private leave(): void {
    clearInterval(this.holdCheck);
    this.pieces = [];
    if (this.place === 'collecting') this.memory.releaseChunked();
    this.place = 'left';
  }
}
