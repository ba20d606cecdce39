import { CONFIRMED_MINUTES } from '@offizin/contracts/calls/confirmation';
import type { LiveSession, SessionUse } from '@offizin/contracts/people/session-records';
import {
  MAX_SESSIONS,
  type Preferences,
  type SessionRow,
  type SignedInBy,
} from '@offizin/contracts/people/sessions';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, isHitOf, rowOf, rowsOf, type Timed, withIsoTimes } from '@offizin/pg/queries';
import type { Organization, ShopRow } from '../../db/entities';
import type { StaffEntity, StaffSessionEntity } from '../../db/people-entities';
import { dropSignIns } from './sign-ins.store';

/** Alias `s`; the second condition uses columns only, so that the function runs for few rows. */
const LIVE = `s.ended_at IS NULL AND s.ends_at > now() AND core.session_is_live(s.id)`;

const insert = statement<never, NewSession>(
  'session_insert',
  `INSERT INTO core.staff_sessions (id, staff_id, org_id, hash, ends_at, idle_seconds, made_by, confirmed_at)
   VALUES ($id, $staffId, $orgId, $hash, now() + make_interval(hours => $hours), $idleSeconds, $madeBy,
           CASE WHEN $isConfirmed THEN now() ELSE 'epoch' END)`,
);
const endOldest = statement<never, [string]>(
  'session_end_oldest',
  `UPDATE core.staff_sessions SET ended_at = now() WHERE id IN (
     SELECT s.id FROM core.staff_sessions s WHERE s.staff_id = $1 AND ${LIVE}
     ORDER BY s.id DESC OFFSET ${MAX_SESSIONS - 1})`,
);
/** False when the person has no such live session. */
export const endSession = isHitOf<[staffId: string, sessionId: string]>(
  'session_end',
  `UPDATE core.staff_sessions s SET ended_at = now() WHERE s.staff_id = $1 AND s.id = $2 AND ${LIVE} RETURNING s.id`,
);
const endAll = statement<Pick<StaffSessionEntity, 'id'>, [string, string | null]>(
  'session_end_all',
  `UPDATE core.staff_sessions s SET ended_at = now()
   WHERE s.staff_id = $1 AND s.ended_at IS NULL AND s.ends_at > now() AND s.id IS DISTINCT FROM $2::uuid
   RETURNING s.id`,
);
const listLive = statement<Timed<SessionRow, 'created_at' | 'last_used_at' | 'ends_at'>, [string, string]>(
  'session_list',
  `SELECT s.id, s.id = $2 AS current, s.created_at, s.last_used_at, s.ends_at FROM core.staff_sessions s
   WHERE s.staff_id = $1 AND ${LIVE} ORDER BY s.id DESC LIMIT ${MAX_SESSIONS}`,
);
const findByHash = statement<FoundSession, [string]>(
  'session_find',
  `SELECT s.id AS session_id, s.staff_id, s.org_id, s.hash, p.role, s.ends_at,
          s.confirmed_at + make_interval(mins => ${CONFIRMED_MINUTES}) AS confirmed_until
   FROM core.staff_sessions s JOIN core.staff p ON p.id = s.staff_id WHERE s.hash = $1 AND ${LIVE}`,
);
/** Null when it is not live. */
export const readSession = rowOf<CurrentSession, [sessionId: string, staffId: string]>(
  'session_read',
  `SELECT s.staff_id, s.org_id, p.name, p.email, p.role, g.name AS org_name, p.language, p.time_zone, p.theme,
          p.undo_seconds, p.single_keys, p.order_columns, p.hides_first_steps, s.ends_at, s.idle_seconds, s.confirmed_at,
          s.made_by,
          EXISTS (SELECT FROM core.prescriptions r WHERE r.org_id = s.org_id) AS has_prescriptions
   FROM core.staff_sessions s JOIN core.staff p ON p.id = s.staff_id JOIN core.organizations g ON g.id = s.org_id
   WHERE s.id = $1 AND s.staff_id = $2 AND ${LIVE}`,
);
export const readShopNames = rowsOf<{ shop_id: ShopRow['id'] } & Pick<ShopRow, 'name'>, [orgId: string]>(
  'session_shops',
  `SELECT id AS shop_id, name FROM core.shops WHERE org_id = $1 AND is_active ORDER BY name, id`,
);
export const confirmSession = changeOf<[sessionId: string]>(
  'session_confirm',
  `UPDATE core.staff_sessions SET confirmed_at = now() WHERE id = $1`,
);
const use = statement<Pick<StaffSessionEntity, 'id'>, [string[], string[]]>(
  'session_used',
  // Locked in sorted order to avoid deadlocks: two gateways may report the same sessions in different orders.
  `WITH uses AS (
     SELECT id, least(max(at), now()) AS at FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, at) GROUP BY id
   ), locked AS MATERIALIZED (
     SELECT s.id, u.at FROM core.staff_sessions s JOIN uses u USING (id)
     WHERE s.last_used_at < u.at ORDER BY s.id FOR UPDATE OF s
   )
   UPDATE core.staff_sessions s SET last_used_at = l.at FROM locked l WHERE s.id = l.id RETURNING s.id`,
);

type FoundSession = Timed<Omit<LiveSession, 'type'>, 'ends_at' | 'confirmed_until'>;

export interface NewSession {
  id: string;
  staffId: string;
  orgId: string;
  hash: string;
  hours: number;
  idleSeconds: number;
  madeBy: SignedInBy;
  isConfirmed: boolean;
}

export type CurrentSession = Pick<StaffEntity, keyof Preferences | 'name' | 'email' | 'role'> &
  Pick<
    StaffSessionEntity,
    'staff_id' | 'org_id' | 'ends_at' | 'idle_seconds' | 'confirmed_at' | 'made_by'
  > & {
    org_name: Organization['name'];
    has_prescriptions: boolean;
  };

/** Ends the oldest session beyond MAX_SESSIONS; the locked row of the person makes the count exact. */
export async function insertSession(tx: Sql, session: NewSession): Promise<void> {
  await tx.rows(endOldest, session.staffId);
  await tx.rows(insert, session);
}

/** Sign-ins that have begun end, too. Returns the number of sessions that ended. `butId` stays. */
export async function endSessions(tx: Sql, staffId: string, butId: string | null = null): Promise<number> {
  await dropSignIns(tx, staffId);
  return (await tx.rows(endAll, staffId, butId)).length;
}

/** Newest first. */
export async function listSessions(sql: Sql, staffId: string, currentId: string): Promise<SessionRow[]> {
  return (await sql.rows(listLive, staffId, currentId)).map((row) => withIsoTimes(row));
}

export async function findLiveSession(sql: Sql, hash: string): Promise<LiveSession | null> {
  const [row] = await sql.rows(findByHash, hash);
  return row ? { type: 'session', ...withIsoTimes(row) } : null;
}

/** Moves the last use forward, in any organization; returns the number of changed sessions. Ids must be UUIDs. */
export async function saveSessionUses(sql: Sql, uses: readonly SessionUse[]): Promise<number> {
  const ids = uses.map(({ session_id }) => session_id);
  const times = uses.map(({ at }) => at);
  return (await sql.rows(use, ids, times)).length;
}
