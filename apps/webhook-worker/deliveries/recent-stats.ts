import type { WebhookStats } from '@offizin/contracts/webhook-health';

/** Each open page asks for the statistics of every endpoint again and again, and one count reads thousands of rows. */
const FRESH_MS = 5_000;
/** Subscriptions whose count is kept. */
const MAX_KEPT = 1_000;

interface Kept {
  countedAtMs: number;
  stats: Promise<WebhookStats>;
}

/** One count of a subscription at a time and every few seconds, however many ask. A count that failed is not kept. */
export class RecentStats {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly count: (orgId: string, subscriptionId: string) => Promise<WebhookStats>,
    private readonly nowMs = () => performance.now(),
  ) {}

  of(orgId: string, subscriptionId: string): Promise<WebhookStats> {
    const key = `${orgId} ${subscriptionId}`;
    const known = this.kept.get(key);
    if (known && this.nowMs() - known.countedAtMs < FRESH_MS) return known.stats;
    const stats = this.count(orgId, subscriptionId);
    const counted = { countedAtMs: this.nowMs(), stats };
    // Inserted again: the map is then in the order of the counts, the oldest first.
    this.kept.delete(key);
    this.kept.set(key, counted);
    stats.catch(() => {
      if (this.kept.get(key) === counted) this.kept.delete(key);
    });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return stats;
  }
}
