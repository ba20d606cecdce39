import { Unreachable } from '@offizin/contracts/errors';
import { MAX_DOCUMENT_BODY_BYTES } from '@offizin/contracts/operation';
import { freeNow } from '@offizin/runtime/freeable-bytes';

/**
 * The memory in which a process receives bodies. Cast: `room` (how many bytes of bodies are held at once; whoever finds
 * none waits for a moment, his bytes stay in the socket) and the lane (one buffer, in which a body is collected that did
 * not tell its length: one at a time, and used again by the next).
 *
 * All of it is in resizable buffers: what they are shrunk by goes back to the system at once. Other buffers go when the
 * garbage collector comes, and it does not count them as its own.
 */
export interface BodyMemoryLimits {
  /** Of bodies that are held at once. */
  maxBytes: number;
  /** Of those of one owner, so that nobody who sends slowly, or not at all, shuts the others out. */
  ownerBytes: number;
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
const LIMITS: BodyMemoryLimits = {
  maxBytes: 192 * 1024 * 1024,
  ownerBytes: 64 * 1024 * 1024,
  laneBytes: MAX_DOCUMENT_BODY_BYTES,
  waitMs: 2_000,
  laneHoldMs: 1_000,
  laneIdleMs: 30_000,
};

export class BodyMemory {
  private readonly room: Turns;
  private readonly owners = new Map<string, Turns>();
  readonly lane: Turns;
  readonly limits: BodyMemoryLimits;
  private laneBuffer: ArrayBuffer | null = null;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<BodyMemoryLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
    this.room = new Turns(this.limits.maxBytes, this.limits.waitMs);
    this.lane = new Turns(1, this.limits.waitMs);
  }

  get freeBytes(): number {
    return this.room.left;
  }

  get isLaneTaken(): boolean {
    return this.lane.left === 0;
  }

  /** Of the lane, taken from the system at present. */
  get laneBytes(): number {
    return this.laneBuffer?.byteLength ?? 0;
  }

  /** Room for a body. Resolves with what gives it back; throws `Unreachable` when there is none for too long. */
  async placeFor(bytes: number, owner: string): Promise<() => void> {
    const own = this.owners.get(owner) ?? new Turns(this.limits.ownerBytes, this.limits.waitMs);
    this.owners.set(owner, own);
    const giveOwn = (): void => {
      own.give(bytes);
      if (own.isUnused && this.owners.get(owner) === own) this.owners.delete(owner);
    };
    // The own share first: whoever waits for that takes no room from others.
    await own.take(bytes);
    await this.room.take(bytes).catch((error: unknown) => {
      giveOwn();
      throw error;
    });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.room.give(bytes);
      giveOwn();
    };
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

interface Waiting {
  units: number;
  timer: NodeJS.Timeout;
  begin: () => void;
}

/** So many units, handed out in the order in which they were asked for. */
export class Turns {
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

  /** Throws `Unreachable` when there are none for too long. */
  async take(units: number): Promise<void> {
    // Else the largest would wait for ever.
    const asked = Math.min(units, this.total);
    if (this.waiting.length === 0 && this.left >= asked) {
      this.left -= asked;
      return;
    }
    await new Promise<void>((begin, refuse) => {
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other.timer !== timer);
        refuse(tooMuch());
        this.next();
      }, this.waitMs);
      this.waiting.push({ units: asked, timer, begin });
    });
  }

  give(units: number): void {
    this.left += Math.min(units, this.total);
    this.next();
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
