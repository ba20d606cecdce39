import type { Caller } from '@offizin/contracts/calls/caller';
import { CONFIRMED_MINUTES } from '@offizin/contracts/calls/confirmation';
import { scopesOfRole } from '@offizin/contracts/people/roles';
import type { SessionResponse, SignedInBy } from '@offizin/contracts/people/sessions';
import type { Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { cookieOf, hashToken, newToken } from './session-token';
import { type CurrentSession, insertSession, readSession, readShopNames } from './sessions.store';
import { noteSeen } from './staff.store';

/** How long sessions last, by configuration. */
export class SessionLimits {
  constructor(
    readonly hours: number,
    readonly idleMinutes: number,
  ) {}
}

/** How the person signed in, and whether that counts as a recent confirmation. */
export interface Made {
  by: SignedInBy;
  isConfirmed: boolean;
}
const BY_PASSWORD: Made = { by: 'password', isConfirmed: true };

export interface OpenedSession {
  session: SessionResponse;
  /** With the cookie. */
  headers: Record<string, string>;
}

/**
 * Opens a session in the transaction of the sign-in. The person must be active, and the
 * row locked.
 */
export async function openSession(
  tx: Sql,
  caller: Caller,
  person: { id: string; org_id: string },
  { limits: { hours, idleMinutes }, made = BY_PASSWORD }: { limits: SessionLimits; made?: Made },
): Promise<OpenedSession> {
  const token = newToken();
  const [id, staffId, orgId] = [newId(), person.id, person.org_id];
  await insertSession(tx, {
    id,
    staffId,
    orgId,
    hash: hashToken(token),
    hours,
    idleSeconds: idleMinutes * 60,
    madeBy: made.by,
    isConfirmed: made.isConfirmed,
  });
  await noteSeen(tx, staffId);
  const actor: Caller = { ...caller, kind: 'staff', actorId: staffId, orgId };
  const action = made.by === 'provider' ? 'session.sign-on' : 'session.sign-in';
  await appendAudit(tx, actor, action, `session:${id}`);
  const session = await readSession(tx, id, staffId);
  // The organization is switched off.
  if (!session) throw new Error('a new session is not live');
  return { session: await sessionJson(tx, session), headers: cookieOf(token) };
}

export async function sessionJson(sql: Sql, session: CurrentSession): Promise<SessionResponse> {
  const { staff_id, org_id, org_name, name, email, role } = session;
  const { language, time_zone, theme, undo_seconds, single_keys, order_columns, hides_first_steps } = session;
  return {
    staff: { id: staff_id, name, email, role },
    org: { id: org_id, name: org_name },
    shops: await readShopNames(sql, org_id),
    scopes: [...scopesOfRole(role)],
    has_prescriptions: session.has_prescriptions,
    settings: { language, time_zone, theme, undo_seconds, single_keys, order_columns, hides_first_steps },
    ends_at: session.ends_at.toISOString(),
    idle_seconds: session.idle_seconds,
    signed_in_by: session.made_by,
    confirmed_until: new Date(session.confirmed_at.getTime() + CONFIRMED_MINUTES * 60_000).toISOString(),
  };
}
