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
 * Limits what one process holds in memory: claimed deliveries that wait for a slot, and results that wait to be
 * written. New claims wait here while either is above its limit.
 */

/** Bounds the bodies in memory when many busy endpoints claim ahead. */
const MAX_WAITING = 1_000;
/** Back-pressure: a slow database slows the sending. */
const MAX_UNWRITTEN_RESULTS = 2_000;

export class ClaimBudget {
  private waiting = 0;
  private waiters: (() => void)[] = [];
  private closing = false;

  constructor(private readonly unwrittenResults: () => number) {}

  /** Resolves when both are within their limits, or on close. The next claim may exceed the limit once. */
  async waitForSpace(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  claimed(count: number): void {
    this.waiting += count;
  }

  /** Deliveries that got a slot or were released. */
  release(count: number): void {
    this.waiting -= count;
    this.resumeWhenFree();
  }

  /** Resumes the waiting claims if the limits allow it; also called after results are written. */
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
