import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { invalid, notFound } from '@offizin/contracts/errors';
import type { PasskeyAssertion } from '@offizin/contracts/passkey-assertion';
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
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../audit/audit.store';
import { assertCallerIsLive, callerNotLive, sessionIdOf } from '../directory/live-caller.store';
import { DirectoryProjection } from '../directory/projection';
import { requireUncommon } from './common-passwords';
import { clearFailures } from './lockout.store';
import { sessionJson } from './open-sessions';
import { hashPassword } from './password';
import { personByPassword } from './password-check';
import { PasskeyAddress } from './passkey-address';
import { provenPasskey, refusedPasskey } from './passkey-proof';
import { usePasskey } from './passkeys.store';
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
      const entry = { orgId: caller.orgId, action: 'session.sign-out', object: `session:${sessionId}` };
      await appendAudit(tx, caller, entry);
    });
    await this.projection.project();
    return { ...noContent(), headers: clearedCookie() };
  }

  @Handles(confirmSession)
  async confirm({ caller, body }: Call<typeof confirmSession>): Promise<Answer<never>> {
    const { password, passkey } = body;
    if (passkey !== undefined && password === undefined) return this.confirmByPasskey(caller, passkey);
    if (password === undefined || passkey !== undefined) {
      throw invalid([{ field: 'body', message: 'must hold either password or passkey' }]);
    }
    const { email, person } = await this.prove(caller, password);
    return this.confirmWith(caller, async (tx) => {
      await this.lockUnchanged(tx, caller, person);
      await clearFailures(tx, email);
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
      const entry = {
        orgId: caller.orgId,
        action: 'session.confirm',
        object: `session:${sessionIdOf(caller)}`,
      };
      await appendAudit(tx, caller, entry);
    });
    // Other services learn of it from the directory.
    await this.projection.project();
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
  private async lockUnchanged(tx: Sql, caller: Caller, proven: Person): Promise<void> {
    const person = await lockPerson(tx, caller.orgId, caller.actorId);
    await assertCallerIsLive(tx, caller);
    if (person?.password_hash !== proven.password_hash) throw callerNotLive(caller);
  }
}
