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
