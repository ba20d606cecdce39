import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  beginSetUp,
  finishSetUp,
  giveSecondFactor,
  type TotpResponse,
} from '@offizin/contracts/people/second-factor';
import type { SessionResponse } from '@offizin/contracts/people/sessions';
import { Database, type Sql } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { DirectoryProjection } from '../directory/projection';
import { assertNotLocked, countWrongPassword, liftLock } from './lockout.store';
import { type OpenedSession, openSession, SessionLimits } from './open-sessions';
import { beginTotpOf, confirmTotpOf, useSecondFactor } from './second-factor';
import { needsSecondFactor, signInIsOver } from './sign-in-step';
import { findSignIn, takeSignIn } from './sign-ins.store';
import { lockPerson, type Person } from './staff.store';

/** Between the right password and the session: the second factor, or its set-up where the role needs one. */
@Controller()
export class SignInStepsHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly limits: SessionLimits,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles(giveSecondFactor)
  async give({ caller, body }: Call<typeof giveSecondFactor>): Promise<Answer<SessionResponse>> {
    // Null after a wrong code: its count must be committed.
    const opened = await this.step(body.pending, async (tx, person, dataKey) => {
      await assertNotLocked(tx, person.email);
      const factor = await useSecondFactor(tx, person, dataKey, body.code);
      if (factor === null) {
        await countWrongCode(tx, caller, person);
        return null;
      }
      if (factor === 'recovery_code') await auditOf(tx, caller, person, 'staff.use-recovery-code');
      return this.open(tx, caller, person, body.pending);
    });
    if (opened === null) throw new Refused('unauthorized', 'The code is wrong, or has been used.');
    return this.answer(opened);
  }

  @Handles(beginSetUp)
  async begin({ body }: Call<typeof beginSetUp>): Promise<Answer<TotpResponse>> {
    return ok(
      await this.step(body.pending, async (tx, person, dataKey) => {
        await requireMissing(tx, person);
        return beginTotpOf(tx, person, dataKey);
      }),
    );
  }

  @Handles(finishSetUp)
  async finish({ caller, body }: Call<typeof finishSetUp>): Promise<Answer<SessionResponse>> {
    const opened = await this.step(body.pending, async (tx, person, dataKey) => {
      await requireMissing(tx, person);
      await confirmTotpOf(tx, person, dataKey, body.code);
      await auditOf(tx, caller, person, 'staff.set-up-totp');
      return this.open(tx, caller, person, body.pending);
    });
    return this.answer(opened);
  }

  /** Runs with the person locked, so that steps of one person run one after the other. Throws `Refused` (not_found). */
  private async step<T>(
    pending: string,
    work: (tx: Sql, person: Person, dataKey: Buffer) => Promise<T>,
  ): Promise<T> {
    const begun = await findSignIn(this.database, pending);
    if (!begun) throw signInIsOver();
    const dataKey = await this.dataKeys.keyOf(begun.org_id);
    return this.database.transaction(async (tx) => {
      const person = await lockPerson(tx, begun.org_id, begun.staff_id);
      // It may have ended while the row was locked by another call.
      if (!person?.is_active || !(await findSignIn(tx, pending))) throw signInIsOver();
      return work(tx, person, dataKey);
    });
  }

  private async open(tx: Sql, caller: Caller, person: Person, pending: string): Promise<OpenedSession> {
    if (!(await takeSignIn(tx, pending))) throw signInIsOver();
    await liftLock(tx, person.email);
    return openSession(tx, caller, person, { limits: this.limits });
  }

  private answer({ session, headers }: OpenedSession): Answer<SessionResponse> {
    // Not awaited: a gateway asks for a session that it does not know yet.
    void this.projection.project(`staff.${session.staff.id}`);
    return ok(session, headers);
  }
}

/** Otherwise the password alone would give a person another second factor. Throws `Refused` (not_found). */
async function requireMissing(tx: Sql, person: Person): Promise<void> {
  if (person.has_second_factor || !(await needsSecondFactor(tx, person))) throw signInIsOver();
}

/** Counts together with wrong passwords. */
async function countWrongCode(tx: Sql, caller: Caller, person: Person): Promise<void> {
  const locks = await countWrongPassword(tx, person.email);
  await auditOf(tx, caller, person, 'session.refuse');
  if (locks) await auditOf(tx, caller, person, 'session.lock');
}

async function auditOf(
  tx: Sql,
  caller: Caller,
  { id, org_id: orgId }: Person,
  action: string,
): Promise<void> {
  const there = { ...caller, orgId };
  const actor: Caller = action.startsWith('staff.') ? { ...there, kind: 'staff', actorId: id } : there;
  await appendAudit(tx, actor, action, `staff:${id}`);
}
