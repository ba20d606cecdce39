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

/** An approval of what is not pending. An open question is not a decision: it can be ended, and then it is approved. */
export function cannotApprove(status: OrderRequestStatus): Refused {
  if (status !== 'needs_clarification') return alreadyDecided(status);
  const message =
    'The request waits for the partner to answer a question. Take the question back (withdraw-clarification) or wait for the answer, then approve.';
  return new Refused('invalid_transition', message);
}
