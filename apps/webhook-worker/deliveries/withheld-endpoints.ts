import type { Sql } from '@offizin/pg/database';
import { isRefusedData } from '@offizin/pg/database-failures';
import { errorFields, log } from '@offizin/runtime/log';
import { refusedRows } from './attempt-report';
import { type Claim, claimDeliveries, type ClaimedDelivery } from './claims.store';

/** Time until a withheld endpoint is tried again. */
const WITHHELD_MS = 30_000;

/**
 * Claims for many endpoints in one statement. If the database refuses a value in a row, such as a rate of 0, each
 * endpoint is claimed alone. The refused endpoint is withheld for some time; the others are not affected.
 */
export class WithheldEndpoints {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly sql: Sql) {}

  has(subscriptionId: string): boolean {
    const untilMs = this.untilMs.get(subscriptionId);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.untilMs.delete(subscriptionId);
    return false;
  }

  /** For readiness: withheld endpoints, or null. */
  notice(): string | null {
    const ids = [...this.untilMs.keys()].filter((id) => this.has(id));
    return ids.length === 0 ? null : `${ids.length} subscriptions cannot be claimed for, such as ${ids[0]}`;
  }

  async claim(claim: Claim): Promise<Map<string, ClaimedDelivery[]>> {
    try {
      return await claimDeliveries(this.sql, claim);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      return claim.wanted.size === 1 ? this.withhold(claim, error) : this.claimApart(claim);
    }
  }

  private async claimApart(claim: Claim): Promise<Map<string, ClaimedDelivery[]>> {
    const claimed = new Map<string, ClaimedDelivery[]>();
    for (const endpoint of claim.wanted) {
      const found = await this.claim({ ...claim, wanted: new Map([endpoint]) });
      for (const [id, deliveries] of found) claimed.set(id, deliveries);
    }
    return claimed;
  }

  private withhold({ wanted }: Claim, error: Error): Map<string, ClaimedDelivery[]> {
    for (const id of wanted.keys()) {
      this.untilMs.set(id, performance.now() + WITHHELD_MS);
      refusedRows.inc({ row: 'subscription' });
      log.error({ subscription_id: id, ...errorFields(error) }, 'deliveries of a subscription withheld');
    }
    return new Map();
  }
}
