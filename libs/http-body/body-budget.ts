import { Unreachable } from '@offizin/contracts/errors';
import { MAX_DOCUMENT_BODY_BYTES } from '@offizin/contracts/operation';
import { freeNow } from './body-buffers';

/**
 * The memory in which a process receives bodies. Cast: `small` and `large` limit the bytes of bodies held at once, by
 * owner and in total; a body waits for room for a moment, with back-pressure on its socket. The lane is one buffer in
 * which a large body without a length is collected: one body at a time, and the next uses the buffer again.
 *
 * Large bodies are in resizable buffers, whose memory goes back to the system at once when they shrink. Other buffers
 * stay until the garbage collector runs, and it does not count them as its memory.
 */
export interface BodyBudgetLimits {
  /** Of large bodies that are held at once. */
  maxBytes: number;
  /** Of those of one owner, so that nobody who sends slowly, or not at all, shuts the others out. */
  ownerBytes: number;
  /** Of small bodies (`SMALL_BYTES` each at most) that are held at once; large ones cannot use up their room. */
  maxSmallBytes: number;
  /** Of the small bodies of one owner. */
  ownerSmallBytes: number;
  /** Of one body without a length. */
  laneBytes: number;
  /** For room or the lane; then the caller is told to come again. */
  waitMs: number;
  /** Whoever is in the lane for longer leaves it when somebody else waits for it. */
  laneHoldMs: number;
  /** After so long without a body the lane's memory is given back. */
  laneIdleMs: number;
}

/** Each owner: four of the largest bodies, or eight with 5 MB PDFs, more than two cores take apart at once; three such owners. */
const LIMITS: BodyBudgetLimits = {
  maxBytes: 192 * 1024 * 1024,
  ownerBytes: 64 * 1024 * 1024,
  // 128 bodies of the largest small size for each owner; four such owners.
  maxSmallBytes: 32 * 1024 * 1024,
  ownerSmallBytes: 8 * 1024 * 1024,
  laneBytes: MAX_DOCUMENT_BODY_BYTES,
  waitMs: 2_000,
  laneHoldMs: 1_000,
  laneIdleMs: 30_000,
};

export class BodyBudget {
  readonly small: SharedBytes;
  readonly large: SharedBytes;
  readonly lane: Semaphore;
  readonly limits: BodyBudgetLimits;
  private laneBuffer: ArrayBuffer | null = null;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<BodyBudgetLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
    const { maxBytes, ownerBytes, maxSmallBytes, ownerSmallBytes, waitMs } = this.limits;
    this.small = new SharedBytes(maxSmallBytes, ownerSmallBytes, waitMs);
    this.large = new SharedBytes(maxBytes, ownerBytes, waitMs);
    this.lane = new Semaphore(1, waitMs);
  }

  get isLaneTaken(): boolean {
    return this.lane.left === 0;
  }

  /** Of the lane, taken from the system at present. */
  get laneBytes(): number {
    return this.laneBuffer?.byteLength ?? 0;
  }

  /** The lane's memory, of which only `bytes` are taken from the system. For whoever has the lane. */
  laneFor(bytes: number): Uint8Array {
    clearTimeout(this.idleTimer);
    this.laneBuffer ??= new ArrayBuffer(0, { maxByteLength: this.limits.laneBytes });
    if (bytes > this.laneBuffer.byteLength) this.laneBuffer.resize(bytes);
    return new Uint8Array(this.laneBuffer);
  }

  /** Gives the lane to the next. */
  leaveLane(): void {
    this.idleTimer = setTimeout(() => freeNow(this.laneBuffer), this.limits.laneIdleMs).unref();
    this.lane.give(1);
  }
}

/** Bytes of memory that owners share: each has a limit, and all together have one. */
export class SharedBytes {
  private readonly room: Semaphore;
  private readonly owners = new Map<string, Semaphore>();

  constructor(
    totalBytes: number,
    private readonly ownerBytes: number,
    private readonly waitMs: number,
  ) {
    this.room = new Semaphore(totalBytes, waitMs);
  }

  get freeBytes(): number {
    return this.room.left;
  }

  /** Room for a body without waiting: the function that gives it back, or null when the body has to wait. */
  placeNow(bytes: number, owner: string): (() => void) | null {
    const own = this.of(owner);
    if (!own.isFree(bytes) || !this.room.isFree(bytes)) return null;
    own.takeNow(bytes);
    this.room.takeNow(bytes);
    return this.placed(bytes, owner, own);
  }

  /** Room for a body. Resolves with the function that gives it back; throws `Unreachable` after `waitMs` for both limits. */
  async placeFor(bytes: number, owner: string): Promise<() => void> {
    const endsAtMs = performance.now() + this.waitMs;
    const own = this.of(owner);
    // The owner's limit first: a body that waits for it takes no room from others.
    await own.take(bytes);
    await this.room.take(bytes, endsAtMs - performance.now()).catch((error: unknown) => {
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
      this.room.give(bytes);
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

/** So many units, handed out in the order in which they were asked for. */
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

  /** Only when `isFree`. */
  takeNow(units: number): void {
    this.left -= this.possible(units);
  }

  /** Throws `Unreachable` when there are none for too long. */
  async take(units: number, waitMs = this.waitMs): Promise<void> {
    if (this.isFree(units)) {
      this.takeNow(units);
      return;
    }
    const asked = this.possible(units);
    await new Promise<void>((begin, refuse) => {
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other.timer !== timer);
        refuse(tooMuch());
        this.next();
      }, waitMs);
      this.waiting.push({ units: asked, timer, begin });
    });
  }

  give(units: number): void {
    this.left += this.possible(units);
    this.next();
  }

  /** A request for more than the total gets the total; else it would wait for ever. */
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
  return new Unreachable('service_unavailable', 'The service has too much to do. Try again in a moment.');
}
