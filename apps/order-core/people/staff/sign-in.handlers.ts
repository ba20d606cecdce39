import { setTimeout } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  acceptLink,
  type LinkResponse,
  readLink,
  signIn,
  type SignInResponse,
} from '@offizin/contracts/people/sessions';
import { ANSWER_WITHIN_MS } from '@offizin/operations/serve-operation';
import { Database } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { DirectoryProjection } from '../directory/projection';
import { hashPassword, requireUncommon } from './password';
import { findLink, takeLink } from './links.store';
import { assertStillNotLocked, liftLock } from './lockout.store';
import { SessionLimits } from './open-sessions';
import { personByPassword } from './password-check';
import { endSessions } from './sessions.store';
import { sessionOrNextStep } from './sign-in-step';
import { lockPerson, normalizedEmail, setPassword } from './staff.store';

/** Before there is a session: the gateway calls for a person who is not identified yet. */
@Controller()
export class SignInHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly limits: SessionLimits,
  ) {}

  @Handles(signIn)
  async signIn({ caller, body }: Call<typeof signIn>): Promise<Answer<SignInResponse>> {
    const email = normalizedEmail(body.email);
    const known = await personByPassword(this.database, caller, { email, password: body.password });
    const answer = await this.database.transaction(async (tx) => {
      const person = await lockPerson(tx, known.org_id, known.id);
      await assertStillNotLocked(tx, email);
      // The password was changed, or the person switched off, while it was being checked.
      if (!person?.is_active || person.password_hash !== known.password_hash) {
        throw new Refused('unauthorized', 'The password has just been changed: sign in again.');
      }
      const next = await sessionOrNextStep(tx, caller, person, this.limits);
      // Otherwise the password alone would allow guessing codes without end.
      if (next.isSignedIn) await liftLock(tx, email);
      return next.answer;
    });
    // Not awaited: a gateway asks for a session that it does not know yet.
    void this.projection.project(`staff.${known.id}`);
    return answer;
  }

  @Handles(readLink)
  async readLink({ body }: Call<typeof readLink>): Promise<Answer<LinkResponse>> {
    const link = await findLink(this.database, body.token);
    if (!link) throw noSuchLink();
    const { kind, email, name, org_name } = link;
    return ok({ kind, email, name, org_name });
  }

  @Handles(acceptLink)
  async acceptLink({ caller, body }: Call<typeof acceptLink>): Promise<Answer<SignInResponse>> {
    const endsAtMs = performance.now() + ACCEPT_WITHIN_MS;
    requireUncommon('password', body.password);
    const link = await findLink(this.database, body.token);
    if (!link) throw noSuchLink();
    const passwordHash = await hashPassword(body.password);
    const answer = await this.database.transaction(async (tx) => {
      const person = await lockPerson(tx, link.org_id, link.staff_id);
      await liftLock(tx, link.email);
      if (!person?.is_active || !(await takeLink(tx, body.token))) throw noSuchLink();
      await setPassword(tx, person.id, passwordHash, body.name);
      await endSessions(tx, person.id);
      await appendAudit(
        tx,
        { ...caller, kind: 'staff', actorId: person.id, orgId: person.org_id },
        link.kind === 'invitation' ? 'staff.join' : 'staff.reset-password',
        `staff:${person.id}`,
      );
      const { answer: made } = await sessionOrNextStep(tx, caller, person, this.limits);
      if (performance.now() > endsAtMs) throw tooLate();
      return made;
    });
    // Not for longer: a slow broker must not make a refusal of a link that was used.
    const projected = this.projection.project(`staff.${link.staff_id}`);
    await Promise.race([projected, setTimeout(PROJECTED_WITHIN_MS, undefined, { ref: false })]);
    return answer;
  }
}

const PROJECTED_WITHIN_MS = 250;
/**
 * Before the caller is answered 503 (serve-operation.ts). Nothing commits later, so that the link can be used again.
 */
const ACCEPT_WITHIN_MS = ANSWER_WITHIN_MS - 300;

function tooLate(): Unreachable {
  return new Unreachable('service_unavailable', 'The service is overloaded: use the link again in a moment.');
}

function noSuchLink(): Refused {
  return new Refused('not_found', 'The link has been used or is over: ask for a new one.');
}
