import type { OrderRequestStatus } from '@offizin/contracts/order-requests';

const DAY_MS = 86_400_000;

/** When undecided order requests expire; clarification.store.ts carries it out. */
export class ExpiryRule {
  constructor(readonly days: number) {}

  /** ISO 8601; null once the request is decided. */
  expiresAt({ status, createdAt }: { status: OrderRequestStatus; createdAt: string }): string | null {
    if (status !== 'pending' && status !== 'needs_clarification') return null;
    return new Date(Date.parse(createdAt) + this.days * DAY_MS).toISOString();
  }
}
