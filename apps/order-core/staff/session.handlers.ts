import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { notFound } from '@offizin/contracts/errors';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/operation';
import {
  changePassword,
  changePreferences,
  confirmSession,
  endSession,
  getSession,
  listSessions,
  type SessionListResponse,
  type SessionResponse,
  signOut,
} from '@offizin/contracts/sessions';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../audit/audit.store';
import { assertCallerIsLive, callerNotLive, sessionIdOf } from '../directory/live-caller.store';
import { DirectoryProjection } from '../directory/projection';
import { requireUncommon } from './common-passwords';
import { clearFailures } from './lockout.store';
import { sessionJson } from './open-sessions';
import { hashPassword } from './password';
import { personByPassword } from './password-check';
import { checkPreferences } from './preferences';
import { clearedCookie } from './session-token';
import * as sessions from './sessions.store';
import { lockPerson, type Person, setPassword, setPreferences } from './staff.store';

/** The session of a person, and the person's own settings. */
@Controller()
export class SessionHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
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
      const entry = { orgId: caller.orgId, action: 'session.sign-out', object: `session:${sessionId}` };
      await appendAudit(tx, caller, entry);
    });
    await this.projection.project();
    return { ...noContent(), headers: clearedCookie() };
  }

  @Handles(confirmSession)
  async confirm({ caller, body }: Call<typeof confirmSession>): Promise<Answer<never>> {
    const { email, person } = await this.prove(caller, body.password);
    await this.database.transaction(async (tx) => {
      await this.lockUnchanged(tx, caller, person);
      await clearFailures(tx, email);
      await sessions.confirmSession(tx, sessionIdOf(caller));
      const entry = {
        orgId: caller.orgId,
        action: 'session.confirm',
        object: `session:${sessionIdOf(caller)}`,
      };
      await appendAudit(tx, caller, entry);
    });
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
    await this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      if (!isId(sessionId) || !(await sessions.endSession(tx, caller.actorId, sessionId))) {
        throw notFound('session');
      }
      const entry = { orgId: caller.orgId, action: 'session.end', object: `session:${sessionId}` };
      await appendAudit(tx, caller, entry);
    });
    await this.projection.project();
    return noContent();
  }

  @Handles(changePreferences)
  async prefer({ caller, body }: Call<typeof changePreferences>): Promise<Answer<SessionResponse>> {
    checkPreferences(body);
    await this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      await setPreferences(tx, caller.actorId, body);
      const entry = { orgId: caller.orgId, action: 'staff.preferences', object: `staff:${caller.actorId}` };
      await appendAudit(tx, caller, entry);
    });
    return ok(await sessionJson(this.database, await this.current(caller)));
  }

  @Handles(changePassword)
  async changePassword({ caller, body }: Call<typeof changePassword>): Promise<Answer<never>> {
    requireUncommon('new', body.new);
    const { email, person } = await this.prove(caller, body.current);
    const passwordHash = await hashPassword(body.new);
    await this.database.transaction(async (tx) => {
      await this.lockUnchanged(tx, caller, person);
      await clearFailures(tx, email);
      await setPassword(tx, person.id, passwordHash);
      await sessions.endSessions(tx, person.id, sessionIdOf(caller));
      await sessions.confirmSession(tx, sessionIdOf(caller));
      const entry = { orgId: caller.orgId, action: 'staff.change-password', object: `staff:${person.id}` };
      await appendAudit(tx, caller, entry);
    });
    await this.projection.project();
    return noContent();
  }

  private async current(caller: Caller): Promise<sessions.CurrentSession> {
    const session = await sessions.readSession(this.database, sessionIdOf(caller), caller.actorId);
    if (session?.org_id !== caller.orgId) throw callerNotLive(caller);
    return session;
  }

  /** A wrong password counts towards the lock of the account, as at sign-in. */
  private async prove(caller: Caller, password: string): Promise<{ email: string; person: Person }> {
    const { email } = await this.current(caller);
    return { email, person: await personByPassword(this.database, caller, { email, password }) };
  }

  /** The password may have been changed, or the session ended, while it was being checked. */
  private async lockUnchanged(
    tx: Parameters<typeof lockPerson>[0],
    caller: Caller,
    proven: Person,
  ): Promise<void> {
    const person = await lockPerson(tx, caller.orgId, caller.actorId);
    await assertCallerIsLive(tx, caller);
    if (person?.password_hash !== proven.password_hash) throw callerNotLive(caller);
  }
}
