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
  private outside: (() => void)[] = [];
  private closing = false;

  constructor(private readonly unwrittenResults: () => number) {}

  /** Resolves when both are within their limits, or on close. The next claim may exceed the limit once. */
  async enter(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.outside.push(resolve));
  }

  claimed(count: number): void {
    this.waiting += count;
  }

  /** Deliveries that got a slot or were released. */
  left(count: number): void {
    this.waiting -= count;
    this.look();
  }

  /** Resumes the waiting claims if the limits allow it; also called after results are written. */
  look(): void {
    if (this.outside.length === 0 || this.isFull) return;
    for (const letIn of this.outside.splice(0)) letIn();
  }

  close(): void {
    this.closing = true;
    this.look();
  }

  private get isFull(): boolean {
    return !this.closing && (this.waiting > MAX_WAITING || this.unwrittenResults() > MAX_UNWRITTEN_RESULTS);
  }
}
