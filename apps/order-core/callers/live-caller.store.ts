import type { Caller } from '@offizin/contracts/calls/caller';
import { CONFIRMED_MINUTES, notConfirmed } from '@offizin/contracts/calls/confirmation';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Database, type Sql, statement } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import type { ApiKeyEntity } from '../db/entities';
import type { StaffSessionEntity } from '../db/people-entities';

const liveKey = statement<Pick<ApiKeyEntity, 'id'>, [string]>(
  'api_key_live',
  `SELECT id FROM core.api_keys WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);
const liveSession = statement<Pick<StaffSessionEntity, 'id'>, [string, string, string]>(
  'session_live',
  `SELECT id FROM core.staff_sessions
   WHERE id = $1 AND staff_id = $2 AND org_id = $3 AND core.session_is_live(id)`,
);

const confirmedSession = statement<Pick<StaffSessionEntity, 'id'>, [string]>(
  'session_confirmed',
  `SELECT id FROM core.staff_sessions WHERE id = $1 AND confirmed_at > now() - make_interval(mins => ${CONFIRMED_MINUTES})`,
);

/** What must be live when a change is written: an API key, a person's session, or neither. */
export interface Credential {
  keyId: string | null;
  sessionId: string | null;
}

/** With the time at which the call began. */
export type CallCredential = Credential & Pick<Caller, 'begunAtMs'>;

/**
 * SQL: whether the credential in the columns `key_id` and `session_id` of `row` is live. A scalar subquery, not EXISTS:
 * for that the planner may read all keys.
 */
export function isLiveSql(row: string): string {
  return `(${row}.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
              FROM core.api_keys k WHERE k.id = ${row}.key_id) IS TRUE)
            AND (${row}.session_id IS NULL OR core.session_is_live(${row}.session_id))`;
}

/** For changes that have been checked before, or are not made for a caller. */
export const NO_CREDENTIAL: Credential = { keyId: null, sessionId: null };

export function credentialOf(caller: Caller): CallCredential {
  const { kind, actorId, begunAtMs } = caller;
  const keyId = kind === 'key' || kind === 'integration' ? actorId : null;
  return { keyId, sessionId: kind === 'staff' ? sessionIdOf(caller) : null, begunAtMs };
}

/** Throws `Refused` (unauthorized) when the caller is not a person with a session. */
export function sessionIdOf(caller: Caller): string {
  const { kind, sessionId } = caller;
  if (kind !== 'staff' || sessionId === undefined || !isId(sessionId)) throw callerNotLive({ kind: 'staff' });
  return sessionId;
}

/**
 * Checks the caller's key or session in the transaction of the write: the replica of an edge may lag and have accepted
 * an ended one. Our own processes and the operator have neither. Throws `Refused` (unauthorized).
 */
export async function assertCallerIsLive(tx: Sql, caller: Caller): Promise<void> {
  const { keyId, sessionId } = credentialOf(caller);
  if (keyId !== null && (await tx.rows(liveKey, keyId)).length === 0) throw callerNotLive(caller);
  if (sessionId === null) return;
  const live = await tx.rows(liveSession, sessionId, caller.actorId, caller.orgId);
  if (live.length === 0) throw callerNotLive(caller);
}

/** A transaction for a caller that `assertCallerIsLive` has checked. */
export function liveTransaction<T>(
  database: Database,
  caller: Caller,
  work: (tx: Sql) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    await assertCallerIsLive(tx, caller);
    return work(tx);
  });
}

/**
 * Before a person changes people, keys or secrets: the password was confirmed in the last minutes. Others pass. Throws
 * `Refused` (forbidden).
 */
export async function assertConfirmed(tx: Sql, caller: Caller): Promise<void> {
  if (caller.kind !== 'staff') return;
  if ((await tx.rows(confirmedSession, sessionIdOf(caller))).length === 1) return;
  throw notConfirmed();
}

export function callerNotLive({ kind }: Pick<Caller, 'kind'>): Refused {
  const what =
    kind === 'staff' ? 'The session has ended: sign in again.' : 'The API key is revoked or has expired.';
  return new Refused('unauthorized', what);
}

/**
 * For files: no page after the first is read for a caller that was revoked meanwhile. The edge has checked the first.
 */
export function whileLive<Read>(
  sql: Sql,
  caller: Caller,
  read: (cursor: string | null) => Promise<Read>,
): (cursor: string | null) => Promise<Read> {
  return async (cursor) => {
    if (cursor !== null) await assertCallerIsLive(sql, caller);
    return read(cursor);
  };
}
