import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { requestsInFlight } from './attempt-report';

/**
 * How many requests one process has in flight, and which endpoints wait for one of them to end. Two limits:
 *
 * - all together (`atMost`), for endpoints that take their time: there more requests are more deliveries, while the
 *   process has time left. Where it has none, its own queue is what makes endpoints look slow, and more requests make it
 *   longer: then these are limited, too, down to AT_ONCE;
 * - AT_ONCE of those that are answered soon. There the process itself is what limits, and more requests only wait in
 *   line, on more connections. A request that is not answered soon after all stops counting here, so that quick
 *   endpoints which begin to hang do not hold up the others.
 *
 * Buys: sent to 50 quick origins with 64 in flight 27 µs of a core each and 22,000/s, with 128 34 µs and 14,000/s, with
 * 512 55 µs and 4,700/s.
 *
 * The limit for slow ones buys: 1,000 quick endpoints after the process stood still for 3 × 100 ms, on a busy machine, in
 * turn without and with it: 3,200 -> 3,950/s, 147 -> 126 µs, 1,290 -> 640 connections opened for 10,000 deliveries. Without
 * it they looked slow from then on: 512 in flight take longer than SOON_ANSWERED_MS by themselves.
 */
const AT_ONCE = 64;
/** A request counts among AT_ONCE for one to two of these. */
const GENERATION_MS = 50;
/** The process has no time left when it is busy for so much of a generation. */
const SATURATED_SHARE = 0.95;
/** What slow endpoints may have, from one generation to the next: less while the process is saturated, more while not. */
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
  /** In the order in which they go on. */
  private readonly starved = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private onceEmpty: (() => void)[] = [];
  /** As AT_ONCE, for slow endpoints. */
  private forSlow: number;

  constructor(
    private readonly atMost: number,
    private readonly goOn: (endpointId: string) => void,
    private readonly busyShare: () => number = eventLoopShare(),
  ) {
    this.forSlow = atMost;
  }

  /** `isSlow`: the endpoint is known to take its time. */
  hasRoom(isSlow: boolean): boolean {
    if (this.total >= this.atMost) return false;
    this.age();
    return this.recent.count + this.earlier.count < (isSlow ? this.forSlow : AT_ONCE);
  }

  /** Slow endpoints have more room than the others, and need not wait for their turn. */
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
    if (this.total === 0) for (const tell of this.onceEmpty.splice(0)) tell();
  }

  /** The endpoint has work and slots of its own, but there is no room: it goes on in its turn. */
  starve(endpointId: string): void {
    this.starved.add(endpointId);
    // Room also comes without an answer, as requests age.
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.letIn();
    }, GENERATION_MS);
  }

  /** There may be room: who waits goes on, until one of them is back in line. */
  letIn(): void {
    for (const id of this.starved) {
      this.starved.delete(id);
      this.goOn(id);
      if (this.starved.has(id)) return;
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

/** The share of the time since the call before in which the event loop had something to do, or waited for a core. */
function eventLoopShare(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
