import type { Role } from '@offizin/contracts/roles';
import type { SessionRecord } from '@offizin/directory/records';

/** A fresh session reaches the directory within a second or so; after this time the guard must decide again. */
const UNKNOWN_FOR_MS = 2_000;

export interface WatchedSession {
  role: Role;
  openedAtMs: number;
  /** The directory has had its record since the stream was opened. */
  wasKnown: boolean;
}

/**
 * `ended`: the record is gone. `changed`: the role is another. `unknown`: the record has never arrived, so that
 * nothing is known about the session.
 */
export type SessionState = 'live' | 'ended' | 'changed' | 'unknown';

export function stateOfSession(
  { role, openedAtMs, wasKnown }: WatchedSession,
  record: Pick<SessionRecord, 'role'> | null,
  nowMs: number,
): SessionState {
  if (record) return record.role === role ? 'live' : 'changed';
  if (wasKnown) return 'ended';
  return nowMs - openedAtMs < UNKNOWN_FOR_MS ? 'live' : 'unknown';
}
