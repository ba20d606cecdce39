import { type Problem, Refused } from '@offizin/contracts/calls/errors';
import type { OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import type { AuditEntity } from '../../db/entities';

/** Allowed transitions of an order request; final states have none. See docs/contract.md#order-requests */
export const REQUEST_MOVES: Readonly<Record<OrderRequestStatus, readonly OrderRequestStatus[]>> = {
  pending: ['approved', 'rejected', 'needs_clarification', 'expired', 'cancelled'],
  needs_clarification: ['pending', 'rejected', 'expired', 'cancelled'],
  approved: [],
  rejected: [],
  expired: [],
  cancelled: [],
};

export function isUndecided(status: OrderRequestStatus): boolean {
  return REQUEST_MOVES[status].length > 0;
}

/** Actions that only read: a regular expression of PostgreSQL and of JavaScript. */
export const LOOK = '\\.(read|fetch|view)$';

/** Actions of the audit log that end a request, each request by one of them. */
export const DECIDING_ACTIONS: readonly string[] = [
  'order-request.approve',
  'order-request.reject',
  'order-request.cancel',
  'order-request.expire',
];

/** A decision that names a version is about that one alone. */
export function requireVersion(reviewed: number | undefined, { version }: { version: number }): void {
  if (reviewed !== undefined && reviewed !== version) throw newerVersion(version);
}

/** The details tell a program which version there is. */
export function newerVersion(version: number): Refused {
  const message = `The partner has sent version ${version} of the request meanwhile. Read it, then decide.`;
  return new Refused('conflict', message, [{ field: 'version', message: String(version) }]);
}

/** Who decided, and when. */
export type Decider = Pick<AuditEntity, 'actor' | 'at'> & { name: string };

/** `by` is null where it is unknown, or not for the caller. */
export function alreadyDecided(status: OrderRequestStatus, by: Decider | null, advice = ''): Refused {
  const allowed = REQUEST_MOVES[status];
  const whoAndWhen = by ? ` by ${by.name} at ${minuteOf(by.at)} UTC` : '';
  const message =
    allowed.length === 0
      ? `The request is already ${status}${whoAndWhen}; that is final.${advice}`
      : `The request is ${status}: it can become ${allowed.join(', ')}.`;
  return new Refused('already_decided', message, by ? decisionDetails(status, by) : undefined);
}

/** For a sender that replaces or withdraws its request too late. */
export function tooLate(status: OrderRequestStatus, by: Decider | null): Refused {
  return alreadyDecided(status, by, status === 'approved' ? ' Ask the pharmacy to change or cancel it.' : '');
}

/** The same for a program, which shows the time as its reader has it. */
function decisionDetails(status: OrderRequestStatus, { name, at }: Decider): Problem[] {
  return [
    { field: 'status', message: status },
    { field: 'decided_by', message: name },
    { field: 'decided_at', message: at.toISOString() },
  ];
}

/**
 * For an approval of a request that is not pending. An open question is not a decision: staff can withdraw it first.
 */
export function cannotApprove(status: OrderRequestStatus, by: Decider | null): Refused {
  if (status !== 'needs_clarification') return alreadyDecided(status, by);
  const message =
    'The request waits for the partner to answer a question. Take the question back (withdraw-clarification) or wait for the answer, then approve.';
  return new Refused('invalid_transition', message);
}

function minuteOf(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ');
}

const DAY_MS = 86_400_000;

/** When undecided order requests expire; clarification.store.ts carries it out. */
export class ExpiryRule {
  constructor(readonly days: number) {}

  /** ISO 8601; null once the request is decided. */
  expiresAt({ status, createdAt }: { status: OrderRequestStatus; createdAt: string }): string | null {
    if (!isUndecided(status)) return null;
    return new Date(Date.parse(createdAt) + this.days * DAY_MS).toISOString();
  }
}
