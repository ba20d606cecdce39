import { Unreachable } from '@offizin/contracts/calls/errors';
import { MAX_DOCUMENT_BODY_BYTES } from '@offizin/contracts/calls/operation';
import { freeNow } from './body-buffers';

/**
 * Bounds the memory of request bodies, with back-pressure. Large bodies use resizable buffers, whose
 * memory is freed directly; V8 collects others late. One reusable buffer collects a large body without a content-length
 * (`chunked`).
 */
export interface BodyBudgetLimits {
  maxBytes: number;
  /** So that one slow sender does not block the other owners. */
  ownerBytes: number;
  /** Small bodies (at most `SMALL_BYTES` each) held at the same time. */
  maxSmallBytes: number;
  ownerSmallBytes: number;
  chunkedBytes: number;
  /** Longest wait for space or the reusable buffer; then `Unreachable`. */
  waitMs: number;
  /** A body that holds the reusable buffer for longer is refused when another one waits for it. */
  chunkedHoldMs: number;
  /** Its memory is freed after this long without a body. */
  chunkedIdleMs: number;
}

/** For several owners, each with several of the largest bodies. */
const LIMITS: BodyBudgetLimits = {
  maxBytes: 192 * 1024 * 1024,
  ownerBytes: 64 * 1024 * 1024,
  maxSmallBytes: 32 * 1024 * 1024,
  ownerSmallBytes: 8 * 1024 * 1024,
  chunkedBytes: MAX_DOCUMENT_BODY_BYTES,
  waitMs: 2_000,
  chunkedHoldMs: 1_000,
  chunkedIdleMs: 30_000,
};

export class BodyBudget {
  readonly small: SharedBytes;
  readonly large: SharedBytes;
  readonly chunked: Semaphore;
  readonly limits: BodyBudgetLimits;
  private buffer: ArrayBuffer | null = null;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<BodyBudgetLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
    const { maxBytes, ownerBytes, maxSmallBytes, ownerSmallBytes, waitMs } = this.limits;
    this.small = new SharedBytes(maxSmallBytes, ownerSmallBytes, waitMs);
    this.large = new SharedBytes(maxBytes, ownerBytes, waitMs);
    this.chunked = new Semaphore(1, waitMs);
  }

  get isChunkedTaken(): boolean {
    return this.chunked.left === 0;
  }

  get chunkedBytes(): number {
    return this.buffer?.byteLength ?? 0;
  }

  /** Only for the holder of `chunked`. */
  chunkedBuffer(bytes: number): Uint8Array {
    clearTimeout(this.idleTimer);
    this.buffer ??= new ArrayBuffer(0, { maxByteLength: this.limits.chunkedBytes });
    if (bytes > this.buffer.byteLength) this.buffer.resize(bytes);
    return new Uint8Array(this.buffer);
  }

  releaseChunked(): void {
    this.idleTimer = setTimeout(() => freeNow(this.buffer), this.limits.chunkedIdleMs).unref();
    this.chunked.give(1);
  }
}

/** A limit per owner and a total limit. */
export class SharedBytes {
  private readonly total: Semaphore;
  private readonly owners = new Map<string, Semaphore>();

  constructor(
    totalBytes: number,
    private readonly ownerBytes: number,
    private readonly waitMs: number,
  ) {
    this.total = new Semaphore(totalBytes, waitMs);
  }

  get freeBytes(): number {
    return this.total.left;
  }

  /** Returns the function that releases the space, or null when the body has to wait. */
  placeNow(bytes: number, owner: string): (() => void) | null {
    const own = this.of(owner);
    if (!own.isFree(bytes) || !this.total.isFree(bytes)) return null;
    own.takeNow(bytes);
    this.total.takeNow(bytes);
    return this.placed(bytes, owner, own);
  }

  /** Resolves with the function that releases the space. Throws `Unreachable` after `waitMs`. */
  async placeFor(bytes: number, owner: string): Promise<() => void> {
    const endsAtMs = performance.now() + this.waitMs;
    const own = this.of(owner);
    // The owner's limit first: a body that waits for it takes no space from other owners.
    await own.take(bytes);
    await this.total.take(bytes, endsAtMs - performance.now()).catch((error: unknown) => {
      this.give(bytes, owner, own);
      throw error;
    });
    return this.placed(bytes, owner, own);
  }

  private of(owner: string): Semaphore {
    const own = this.owners.get(owner) ?? new Semaphore(this.ownerBytes, this.waitMs);
    this.owners.set(owner, own);
    return own;
  }

  private placed(bytes: number, owner: string, own: Semaphore): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.total.give(bytes);
      this.give(bytes, owner, own);
    };
  }

  private give(bytes: number, owner: string, own: Semaphore): void {
    own.give(bytes);
    if (own.isUnused && this.owners.get(owner) === own) this.owners.delete(owner);
  }
}

interface Waiting {
  units: number;
  timer: NodeJS.Timeout;
  begin: () => void;
}

/** First come, first served. */
export class Semaphore {
  left: number;
  private waiting: Waiting[] = [];

  constructor(
    private readonly total: number,
    private readonly waitMs: number,
  ) {
    this.left = total;
  }

  get isWanted(): boolean {
    return this.waiting.length > 0;
  }

  get isUnused(): boolean {
    return this.left === this.total && !this.isWanted;
  }

  isFree(units: number): boolean {
    return this.waiting.length === 0 && this.left >= this.possible(units);
  }

  takeNow(units: number): void {
    this.left -= this.possible(units);
  }

  async take(units: number, waitMs = this.waitMs): Promise<void> {
    if (this.isFree(units)) {
      this.takeNow(units);
      return;
    }
    const requested = this.possible(units);
    await new Promise<void>((begin, refuse) => {
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other.timer !== timer);
        refuse(tooMuch());
        this.next();
      }, waitMs);
      this.waiting.push({ units: requested, timer, begin });
    });
  }

  give(units: number): void {
    this.left += this.possible(units);
    this.next();
  }

  /** A request for more than the total would otherwise wait forever. */
  private possible(units: number): number {
    return Math.min(units, this.total);
  }

  private next(): void {
    for (let first = this.waiting[0]; first && first.units <= this.left; first = this.waiting[0]) {
      this.waiting.shift();
      clearTimeout(first.timer);
      this.left -= first.units;
      first.begin();
    }
  }
}

export function tooMuch(): Unreachable {
  return new Unreachable('service_unavailable', 'The service is overloaded. Try again in a moment.');
}
