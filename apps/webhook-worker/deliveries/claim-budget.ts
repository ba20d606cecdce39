/**
 * How much one process holds in memory: what is claimed and waits for a slot, and results that wait to be written. Who
 * wants to claim while that is too much waits here.
 */

/** A thousand busy endpoints, each with what it is given ahead, would otherwise hold tens of thousands of bodies. */
const MAX_WAITING = 1_000;
/** A slow database slows the sending. */
const MAX_UNWRITTEN_RESULTS = 2_000;

export class ClaimBudget {
  private waiting = 0;
  private outside: (() => void)[] = [];
  private closing = false;

  constructor(private readonly unwrittenResults: () => number) {}

  /** Resolves when there is room, or at the close. A claim may then exceed the limit, once. */
  async enter(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.outside.push(resolve));
  }

  claimed(count: number): void {
    this.waiting += count;
  }

  /** They got a slot, or were given back. */
  left(count: number): void {
    this.waiting -= count;
    this.look();
  }

  /** Results were written. */
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
