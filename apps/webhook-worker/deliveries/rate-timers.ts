import type { ClaimedDelivery } from './claims.store';

/** Wakes rate-limited endpoints when their rate allows the next delivery. */
export class RateTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly wake: (subscriptionIds: string[]) => void) {}

  schedule(id: string, claimed: readonly ClaimedDelivery[]): void {
    const rate = claimed[0]?.rate_per_second;
    if (!rate || this.timers.has(id)) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(id);
        this.wake([id]);
      },
      Math.ceil((1_000 * claimed.length) / rate),
    );
    this.timers.set(id, timer);
  }

  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
