import { Refused } from '@offizin/contracts/errors';
import type { OrderRequestStatus } from '@offizin/contracts/order-requests';

/** What may follow on each state of an order request. Final states have none. Source: decisions.md section 5. */
export const REQUEST_MOVES: Readonly<Record<OrderRequestStatus, readonly OrderRequestStatus[]>> = {
  pending: ['approved', 'rejected', 'needs_clarification', 'expired'],
  needs_clarification: ['pending', 'rejected', 'expired'],
  approved: [],
  rejected: [],
  expired: [],
};

/** A decision on a version that is not the present one any more. */
export function newerVersion(version: number): Refused {
  const message = `The partner has sent version ${version} of the request meanwhile. Read it, then decide.`;
  return new Refused('conflict', message);
}

/** A second, different decision. */
export function alreadyDecided(status: OrderRequestStatus): Refused {
  const allowed = REQUEST_MOVES[status];
  const message =
    allowed.length === 0
      ? `The request is already ${status}; that is final.`
      : `The request is ${status}: it can become ${allowed.join(', ')}.`;
  return new Refused('already_decided', message);
}
