import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, type Problem } from '@offizin/contracts/calls/errors';
import type { PasskeyAssertion } from '@offizin/contracts/people/passkey-assertion';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  changePassword,
  changePreferences,
  confirmSession,
  endSession,
  getSession,
  listSessions,
  type PreferencesBody,
  type SessionListResponse,
  type SessionResponse,
  signOut,
} from '@offizin/contracts/people/sessions';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import {
  assertCallerIsLive,
  callerNotLive,
  liveTransaction,
  sessionIdOf,
} from '../../callers/live-caller.store';
import { DirectoryProjection } from '../directory/projection';
import { hashPassword, requireUncommon } from './password';
import { clearFailures } from './lockout.store';
import { sessionJson } from './open-sessions';
import { personByPassword } from './password-check';
import { PasskeyAddress, provenPasskey, refusedPasskey } from './passkeys';
import { usePasskey } from './passkeys.store';
import { clearedCookie } from './session-token';
import * as sessions from './sessions.store';
import { lockPerson, type Person, setPassword, setPreferences } from './staff.store';
import {
  findSession,
  type FindSessionResponse,
  sessionsUsed,
  type SessionsUsedResponse,
} from '@offizin/contracts/people/session-records';
import { findLiveSession, saveSessionUses } from './sessions.store';

/** The session of a person, and the person's own settings. */
@Controller()
export class SessionHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly passkeys: PasskeyAddress,
  ) {}

  @Handles(getSession)
  async get({ caller }: Call<typeof getSession>): Promise<Answer<SessionResponse>> {
    return ok(await sessionJson(this.database, await this.current(caller)));
  }

  /** Also answers when the session has ended before. */
  @Handles(signOut)
  async signOut({ caller }: Call<typeof signOut>): Promise<Answer<never>> {
    const sessionId = sessionIdOf(caller);
    await this.database.transaction(async (tx) => {
      if (!(await sessions.endSession(tx, caller.actorId, sessionId))) return;
      await appendAudit(tx, caller, 'session.sign-out', `session:${sessionId}`);
    });
    await this.projection.project(`session.${sessionId}`);
    return { ...noContent(), headers: clearedCookie() };
  }

  @Handles(confirmSession)
  async confirm({ caller, body }: Call<typeof confirmSession>): Promise<Answer<never>> {
    const { password, passkey } = body;
    if (passkey !== undefined && password === undefined) return this.confirmByPasskey(caller, passkey);
    if (password === undefined || passkey !== undefined) {
      throw invalid([{ field: 'body', message: 'must hold either password or passkey' }]);
    }
    const person = await this.prove(caller, password);
    return this.confirmWith(caller, async (tx) => {
      await this.lockUnchanged(tx, caller, person);
      await clearFailures(tx, sessionSubject(caller));
    });
  }

  private async confirmByPasskey(caller: Caller, assertion: PasskeyAssertion): Promise<Answer<never>> {
    const [owner, staffId] = [sessionIdOf(caller), caller.actorId];
    const asked = { owner, purpose: 'confirm', address: this.passkeys, staffId } as const;
    const proof = await provenPasskey(this.database, assertion, asked);
    if (proof.isRefused) throw refusedPasskey();
    return this.confirmWith(caller, async (tx) => {
      await lockPerson(tx, caller.orgId, staffId);
      await assertCallerIsLive(tx, caller);
      if (!(await usePasskey(tx, proof.passkey.id, proof.signCount))) throw refusedPasskey();
    });
  }

  /** `check` proves the person in the transaction. */
  private async confirmWith(caller: Caller, check: (tx: Sql) => Promise<void>): Promise<Answer<never>> {
    await this.database.transaction(async (tx) => {
      await check(tx);
      await sessions.confirmSession(tx, sessionIdOf(caller));
      await appendAudit(tx, caller, 'session.confirm', `session:${sessionIdOf(caller)}`);
    });
    // Other services learn of it from the directory.
    await this.projection.project(`session.${sessionIdOf(caller)}`);
    return noContent();
  }

  @Handles(listSessions)
  async list({ caller }: Call<typeof listSessions>): Promise<Answer<SessionListResponse>> {
    await assertCallerIsLive(this.database, caller);
    return ok({ data: await sessions.listSessions(this.database, caller.actorId, sessionIdOf(caller)) });
  }

  @Handles(endSession)
  async end({ caller, params }: Call<typeof endSession>): Promise<Answer<never>> {
    const { sessionId } = params;
    await liveTransaction(this.database, caller, async (tx) => {
      if (!isId(sessionId) || !(await sessions.endSession(tx, caller.actorId, sessionId))) {
        throw notFound('session');
      }
      await appendAudit(tx, caller, 'session.end', `session:${sessionId}`);
    });
    await this.projection.project(`session.${sessionId}`);
    return noContent();
  }

  @Handles(changePreferences)
  async prefer({ caller, body }: Call<typeof changePreferences>): Promise<Answer<SessionResponse>> {
    checkPreferences(body);
    await liveTransaction(this.database, caller, async (tx) => {
      await setPreferences(tx, caller.actorId, body);
      await appendAudit(tx, caller, 'staff.preferences', `staff:${caller.actorId}`);
    });
    return ok(await sessionJson(this.database, await this.current(caller)));
  }

  @Handles(changePassword)
  async changePassword({ caller, body }: Call<typeof changePassword>): Promise<Answer<never>> {
    requireUncommon('new', body.new);
    const person = await this.prove(caller, body.current);
    const passwordHash = await hashPassword(body.new);
    await this.database.transaction(async (tx) => {
      await this.lockUnchanged(tx, caller, person);
      await clearFailures(tx, sessionSubject(caller));
      await setPassword(tx, person.id, passwordHash);
      await sessions.endSessions(tx, person.id, sessionIdOf(caller));
      await sessions.confirmSession(tx, sessionIdOf(caller));
      await appendAudit(tx, caller, 'staff.change-password', `staff:${person.id}`);
    });
    await this.projection.project(`staff.${person.id}`);
    return noContent();
  }

  private async current(caller: Caller): Promise<sessions.CurrentSession> {
    const session = await sessions.readSession(this.database, sessionIdOf(caller), caller.actorId);
    if (session?.org_id !== caller.orgId) throw callerNotLive(caller);
    return session;
  }

  /**
   * A wrong password counts for this session: strangers who lock the e-mail must not stop a person who is signed in.
   */
  private async prove(caller: Caller, password: string): Promise<Person> {
    const { email } = await this.current(caller);
    const countedFor = sessionSubject(caller);
    return personByPassword(this.database, caller, { email, password, countedFor, orgId: caller.orgId });
  }

  /** The password may have been changed, or the session ended, while it was being checked. */
  private async lockUnchanged(tx: Sql, caller: Caller, proven: Person): Promise<void> {
    const person = await lockPerson(tx, caller.orgId, caller.actorId);
    await assertCallerIsLive(tx, caller);
    if (person?.password_hash !== proven.password_hash) throw callerNotLive(caller);
  }
}

/** In place of the e-mail in `staff_lockouts`. Upper case, which no normalized e-mail has. */
function sessionSubject(caller: Caller): string {
  return `SESSION ${sessionIdOf(caller)}`;
}

/** What the gateways ask and report. Not audited: it stores what they observed, not an action of a person. */
@Controller()
export class SessionRecordsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(findSession)
  async find({ body }: Call<typeof findSession>): Promise<Answer<FindSessionResponse>> {
    return ok({ session: await findLiveSession(this.database, body.hash) });
  }

  @Handles(sessionsUsed)
  async noteUses({ body }: Call<typeof sessionsUsed>): Promise<Answer<SessionsUsedResponse>> {
    const uses = body.uses.filter(({ session_id }) => isId(session_id));
    return ok({ updated: await saveSessionUses(this.database, uses) });
  }
}

const UNDO_SECONDS = [0, 5, 10];

/** What the field decorators cannot say. Throws `Refused` (invalid_request). */
function checkPreferences(body: PreferencesBody): void {
  const { time_zone: zone, undo_seconds: undo, order_columns: columns = [] } = body;
  const problems: Problem[] = [];
  if (zone !== undefined && !isTimeZone(zone)) {
    problems.push({ field: 'time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' });
  }
  if (undo !== undefined && !UNDO_SECONDS.includes(undo)) {
    problems.push({ field: 'undo_seconds', message: `must be one of ${UNDO_SECONDS.join(', ')}` });
  }
  if (columns.length > 0 && !columns.includes('number')) {
    problems.push({ field: 'order_columns', message: 'must have number' });
  }
  if (problems.length > 0) throw invalid(problems);
}

/** Intl also takes offsets such as +01:00, which have no summer time. */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
