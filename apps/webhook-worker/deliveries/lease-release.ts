import type { Sql } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { releaseDeliveries } from './results.store';

const PAUSE_MS = 5;

/** Releases unused leases, in batches: an endpoint that becomes slow returns them a few at a time. */
export class LeaseRelease {
  private claims: { id: string; leaseToken: string }[] = [];
  private releasing: Promise<void> | null = null;

  constructor(private readonly sql: Sql) {}

  add(works: readonly { delivery: { id: string }; leaseToken: string }[]): void {
    for (const { delivery, leaseToken } of works) this.claims.push({ id: delivery.id, leaseToken });
    if (this.claims.length > 0) this.releasing ??= this.release().finally(() => (this.releasing = null));
  }

  async drain(): Promise<void> {
    await this.releasing;
  }

  private async release(): Promise<void> {
    while (this.claims.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      await releaseDeliveries(this.sql, this.claims.splice(0)).catch((error: unknown) =>
        log.warn(errorFields(error), 'leases not released: they will run out'),
      );
    }
  }
}
