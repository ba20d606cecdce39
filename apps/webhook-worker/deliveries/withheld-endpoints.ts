import type { Sql } from '@offizin/pg/database';
import { isRefusedData } from '@offizin/pg/database-failures';
import { errorFields, log } from '@offizin/runtime/log';
import { refusedRows } from './attempt-report';
import { leaseDeliveries, type LeasedDelivery, type LeaseRequest } from './leases.store';

/** Time until a withheld endpoint is tried again. */
const WITHHELD_MS = 30_000;

/**
 * Leases deliveries of many endpoints in one statement. If the database refuses a value in a row, such as a rate of 0,
 * each endpoint is leased alone. The refused endpoint is withheld for some time; the others are not affected.
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
    return ids.length === 0
      ? null
      : `deliveries of ${ids.length} subscriptions cannot be leased, such as of ${ids[0]}`;
  }

  async lease(request: LeaseRequest): Promise<Map<string, LeasedDelivery[]>> {
    try {
      return await leaseDeliveries(this.sql, request);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      return request.wanted.size === 1 ? this.withhold(request, error) : this.leaseApart(request);
    }
  }

  private async leaseApart(request: LeaseRequest): Promise<Map<string, LeasedDelivery[]>> {
    const leased = new Map<string, LeasedDelivery[]>();
    for (const endpoint of request.wanted) {
      const found = await this.lease({ ...request, wanted: new Map([endpoint]) });
      for (const [id, deliveries] of found) leased.set(id, deliveries);
    }
    return leased;
  }

  private withhold({ wanted }: LeaseRequest, error: Error): Map<string, LeasedDelivery[]> {
    for (const id of wanted.keys()) {
      this.untilMs.set(id, performance.now() + WITHHELD_MS);
      refusedRows.inc({ row: 'subscription' });
      log.error({ subscription_id: id, ...errorFields(error) }, 'deliveries of a subscription withheld');
    }
    return new Map();
  }
}
