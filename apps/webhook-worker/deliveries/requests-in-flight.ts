import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { requestsInFlight } from './attempt-report';

/**
 * Limits the requests that one process has in flight, and resumes waiting endpoints in turn. Two limits:
 *
 * - `atMost` for all requests. Slow endpoints may use it fully while the process has CPU time left. In a saturated
 *   process every endpoint looks slow, and more requests add to the backlog: the limit then shrinks, down to AT_ONCE.
 * - AT_ONCE for requests to quick endpoints: there the process is the bottleneck, and more requests only open more
 *   connections. Only recent requests count, so a quick endpoint that begins to hang does not block the others.
 */
const AT_ONCE = 64;
/** A request counts among AT_ONCE for one to two of these. */
const GENERATION_MS = 50;
/** A process that is busy for more than this share of a generation is saturated. */
const SATURATED_SHARE = 0.95;
/** Change of the slow endpoints' limit per generation: shrinks while the process is saturated, grows otherwise. */
const SHRINK = 0.7;
const GROW = 1.5;

/** Requests that began at about the same time. */
export interface Generation {
  count: number;
}

export class RequestsInFlight {
  private total = 0;
  private recent: Generation = { count: 0 };
  private earlier: Generation = { count: 0 };
  private nextGenerationAtMs = performance.now() + GENERATION_MS;
  /** Endpoint ids, in the order in which they resume. */
  private readonly waiting = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private onceEmpty: (() => void)[] = [];
  /** Current limit for slow endpoints. */
  private forSlow: number;

  constructor(
    private readonly atMost: number,
    private readonly resume: (endpointId: string) => void,
    private readonly busyShare: () => number = eventLoopShare(),
  ) {
    this.forSlow = atMost;
  }

  /** `isSlow`: see EndpointLoad.isSlow. */
  hasRoom(isSlow: boolean): boolean {
    if (this.total >= this.atMost) return false;
    this.age();
    return this.recent.count + this.earlier.count < (isSlow ? this.forSlow : AT_ONCE);
  }

  /** Slow endpoints have a higher limit than the others, so they need not wait for their turn. */
  get hasRoomForSlow(): boolean {
    return this.forSlow > AT_ONCE;
  }

  begin(): Generation {
    this.age();
    this.recent.count += 1;
    requestsInFlight.set(++this.total);
    return this.recent;
  }

  end(generation: Generation): void {
    generation.count -= 1;
    requestsInFlight.set(--this.total);
    if (this.total === 0) for (const resolve of this.onceEmpty.splice(0)) resolve();
  }

  /** Queues an endpoint that has work and slots but is over the limit of the process. */
  enqueue(endpointId: string): void {
    this.waiting.add(endpointId);
    // Requests that age free capacity even without an answer.
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.resumeWaiting();
    }, GENERATION_MS);
  }

  /** Resumes waiting endpoints in turn, until one of them has to wait again. */
  resumeWaiting(): void {
    for (const id of this.waiting) {
      this.waiting.delete(id);
      this.resume(id);
      if (this.waiting.has(id)) return;
    }
  }

  /** Resolves when nothing is in flight. */
  async empty(): Promise<void> {
    if (this.total > 0) await new Promise<void>((resolve) => this.onceEmpty.push(resolve));
  }

  private age(): void {
    const nowMs = performance.now();
    if (nowMs < this.nextGenerationAtMs) return;
    const isLate = nowMs >= this.nextGenerationAtMs + GENERATION_MS;
    this.earlier = isLate ? { count: 0 } : this.recent;
    this.recent = { count: 0 };
    this.nextGenerationAtMs = nowMs + GENERATION_MS;
    this.forSlow =
      this.busyShare() > SATURATED_SHARE
        ? Math.max(AT_ONCE, this.forSlow * SHRINK)
        : Math.min(this.atMost, this.forSlow * GROW);
  }
}

/** Share of the time since the previous call in which the event loop was busy or waited for a core. */
function eventLoopShare(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/**
 * Limits what one process holds in memory: leased deliveries that wait for a slot, and results that wait to be
 * written. New leases wait here while either is above its limit.
 */

/** Bounds the bodies in memory when many busy endpoints lease ahead. */
const MAX_WAITING = 1_000;
/** Back-pressure: a slow database slows the sending. */
const MAX_UNWRITTEN_RESULTS = 2_000;

export class LeaseBudget {
  private waiting = 0;
  private waiters: (() => void)[] = [];
  private closing = false;

  constructor(private readonly unwrittenResults: () => number) {}

  /** Resolves when both are within their limits, or on close. The next lease may exceed the limit once. */
  async waitForSpace(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  leased(count: number): void {
    this.waiting += count;
  }

  /** Deliveries that got a slot or were released. */
  release(count: number): void {
    this.waiting -= count;
    this.resumeWhenFree();
  }

  /** Resumes the waiting leases if the limits allow it; also called after results are written. */
  resumeWhenFree(): void {
    if (this.waiters.length === 0 || this.isFull) return;
    for (const resume of this.waiters.splice(0)) resume();
  }

  close(): void {
    this.closing = true;
    this.resumeWhenFree();
  }

  private get isFull(): boolean {
    return !this.closing && (this.waiting > MAX_WAITING || this.unwrittenResults() > MAX_UNWRITTEN_RESULTS);
  }
}

/**
 * How much one endpoint gets at a time. Pure bookkeeping, one per subscription and process.
 *
 * - Slots: limit of requests in flight. A missing answer halves it, each answer adds one.
 * - Waiting: deliveries leased beyond the slots, only for an endpoint that answers quickly. They fill a free slot
 *   without a lease statement, which takes as long as a quick request.
 */

/** An endpoint with a longer average answer time is slow: it profits from more requests in flight. */
const SOON_ANSWERED_MS = 25;
/** Nothing is leased ahead for an endpoint with a longer average answer time. */
const QUICK_ANSWER_MS = 100;
/**
 * Leased ahead: what a quick endpoint takes in this time, and at most this many per slot. Kept small because a process
 * that dies, or an endpoint that starts to hang, blocks them for a lease.
 */
const CLAIMED_AHEAD_MS = 250;
const MAX_LEASED_PER_SLOT = 64;
/** Weight of the newest answer in the average. */
const AVERAGE_WEIGHT = 0.2;

const MAX_IDLE_ENDPOINTS = 5_000;

/** Loads by subscription. */
export class EndpointLoads<Work> {
  private readonly loads = new Map<string, EndpointLoad<Work>>();

  constructor(private readonly maxSlots: number) {}

  of(id: string): EndpointLoad<Work> {
    let load = this.loads.get(id);
    if (!load) this.loads.set(id, (load = new EndpointLoad(this.maxSlots)));
    return load;
  }

  takeAll(): Work[] {
    return [...this.loads.values()].flatMap((load) => load.takeAll());
  }

  forgetIdle(except: ReadonlySet<string>): void {
    if (this.loads.size <= MAX_IDLE_ENDPOINTS) return;
    for (const [id, load] of this.loads) if (load.idle && !except.has(id)) this.loads.delete(id);
  }
}

export class EndpointLoad<Work> {
  /** The last statement returned the full count, so more is probably due. */
  mayHaveMore = false;
  private slots: number;
  private inFlight = 0;
  private waiting: Work[] = [];
  /** null until the first answer. */
  private averageMs: number | null = null;

  constructor(private readonly maxSlots: number) {
    this.slots = maxSlots;
  }

  /**
   * How many more deliveries to lease now. 0 while all slots have work and more than half of the window is used: this
   * avoids many small statements.
   */
  get wanted(): number {
    const free = this.window - this.inFlight - this.waiting.length;
    const isSlotIdle = this.inFlight + this.waiting.length < this.slots;
    return isSlotIdle || free * 2 >= this.window ? Math.max(0, free) : 0;
  }

  /** Whether to lease again now. */
  get hungry(): boolean {
    return this.mayHaveMore && this.wanted > 0;
  }

  get idle(): boolean {
    return this.inFlight === 0 && this.waiting.length === 0;
  }

  /** False while the answer time is unknown. */
  get isSlow(): boolean {
    return this.averageMs !== null && this.averageMs > SOON_ANSWERED_MS;
  }

  add(leased: readonly Work[]): void {
    this.waiting.push(...leased);
  }

  /** Takes a slot and the next work; undefined without a free slot or work. */
  start(): Work | undefined {
    if (this.inFlight >= this.slots) return undefined;
    const work = this.waiting.shift();
    if (work !== undefined) this.inFlight += 1;
    return work;
  }

  /** Frees the slot. `answered`: with any status. */
  finish(answered: boolean, durationMs: number): void {
    this.inFlight -= 1;
    this.slots = answered ? Math.min(this.maxSlots, this.slots + 1) : Math.max(1, this.slots >> 1);
    this.averageMs =
      this.averageMs === null ? durationMs : this.averageMs + AVERAGE_WEIGHT * (durationMs - this.averageMs);
  }

  /** Frees the slot; no request was made. */
  skip(): void {
    this.inFlight -= 1;
  }

  /** Removes and returns the work that would wait too long; its leases are to be released. */
  takeExcess(): Work[] {
    return this.quick ? [] : this.waiting.splice(Math.max(0, this.slots - this.inFlight));
  }

  takeAll(): Work[] {
    return this.waiting.splice(0);
  }

  private get window(): number {
    if (!this.quick) return this.slots;
    const perSlot = CLAIMED_AHEAD_MS / Math.max(this.averageMs ?? 0, 1);
    return this.slots * Math.round(Math.min(MAX_LEASED_PER_SLOT, perSlot));
  }

  private get quick(): boolean {
    return this.slots === this.maxSlots && this.averageMs !== null && this.averageMs <= QUICK_ANSWER_MS;
  }
}
