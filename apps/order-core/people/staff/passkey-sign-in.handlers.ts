import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  givePasskey,
  type PasskeySignInRequest,
  requestPasskeySignIn,
} from '@offizin/contracts/people/passkeys';
import type { SessionResponse } from '@offizin/contracts/people/sessions';
import { Database, type Sql } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { DirectoryProjection } from '../directory/projection';
import { newChallenge, passkeysOf, usePasskey } from './passkeys.store';
import { openSession, SessionLimits } from './open-sessions';
import { PasskeyAddress, provenPasskey, refusedPasskey } from './passkeys';
import { hashToken, newToken } from './session-token';
import { signInIsOver } from './sign-in-step';
import { findSignIn, takeSignIn } from './sign-ins.store';
import { lockPerson } from './staff.store';

/** Another call of the same sign-in was faster. */
class SignInTaken extends Error {}

function nullIfTaken(error: unknown): null {
  if (error instanceof SignInTaken) return null;
  throw error;
}

/**
 * Signing in by passkey: after the password, or alone, because the authenticator has verified the person. A lock by wrong
 * passwords does not stop it: a passkey cannot be guessed, and a stranger must not lock its owner out.
 */
@Controller()
export class PasskeySignInHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly limits: SessionLimits,
    private readonly address: PasskeyAddress,
  ) {}

  @Handles(requestPasskeySignIn)
  async request({ body }: Call<typeof requestPasskeySignIn>): Promise<Answer<PasskeySignInRequest>> {
    const rpId = this.address.requireRpId();
    const begun = body.pending === undefined ? null : await findSignIn(this.database, body.pending);
    if (body.pending !== undefined && !begun) throw signInIsOver();
    const pending = body.pending ?? newToken();
    const passkeys = begun
      ? await passkeysOf(this.database, { id: begun.staff_id, org_id: begun.org_id })
      : [];
    return ok({
      pending,
      challenge: await newChallenge(this.database, hashToken(pending), 'sign-in'),
      rp_id: rpId,
      credential_ids: passkeys.map((passkey) => passkey.credential_id),
    });
  }

  @Handles(givePasskey)
  async give({ caller, body }: Call<typeof givePasskey>): Promise<Answer<SessionResponse>> {
    const { database, address } = this;
    const begun = await findSignIn(database, body.pending);
    const proof = await provenPasskey(database, body, {
      owner: hashToken(body.pending),
      purpose: 'sign-in',
      address,
      staffId: begun?.staff_id ?? null,
    });
    if (proof.isRefused) {
      // After a password the person is known, whatever the passkey.
      const known = proof.passkey ?? begun;
      if (known) await this.audit(database, caller, known);
      throw refusedPasskey();
    }
    const { passkey, signCount } = proof;
    const opened = await database
      .transaction(async (tx) => {
        const person = await lockPerson(tx, passkey.org_id, passkey.staff_id);
        if (!person?.is_active || !(await usePasskey(tx, passkey.id, signCount))) return null;
        // Undoes the use.
        if (begun && !(await takeSignIn(tx, body.pending))) throw new SignInTaken();
        const by = begun ? 'password' : 'passkey';
        return openSession(tx, caller, person, { limits: this.limits, made: { by, isConfirmed: true } });
      })
      .catch(nullIfTaken);
    if (!opened) {
      await this.audit(database, caller, passkey);
      throw refusedPasskey();
    }
    const { session, headers } = opened;
    // Not awaited: a gateway asks for a session that it does not know yet.
    void this.projection.project(`staff.${passkey.staff_id}`);
    return ok(session, headers);
  }

  private async audit(
    sql: Sql,
    caller: Caller,
    { org_id: orgId, staff_id }: { org_id: string; staff_id: string },
  ): Promise<void> {
    await appendAudit(sql, { ...caller, orgId }, 'session.refuse', `staff:${staff_id}`);
  }
}
