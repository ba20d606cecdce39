import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  beginTotp,
  confirmTotp,
  getSecondFactor,
  getSignInRules,
  removeTotp,
  type SecondFactorResponse,
  setSignInRules,
  type SignInRules,
  type TotpResponse,
} from '@offizin/contracts/people/second-factor';
import { ROLES } from '@offizin/contracts/people/roles';
import { Database } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { DataKeys } from '../../crypto/data-keys.store';
import {
  assertCallerIsLive,
  assertConfirmed,
  callerNotLive,
  liveTransaction,
} from '../../callers/live-caller.store';
import { beginTotpOf, confirmTotpOf } from './second-factor';
import * as store from './second-factors.store';
import { changeOwnFactors, requireFactorLeft } from './own-factors';
import { needsSecondFactor } from './sign-in-step';
import { findPerson } from './staff.store';

/** The own second factor, and which roles need one. Every change needs a recent confirmation of the password. */
@Controller()
export class SecondFactorHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles(getSecondFactor)
  async get({ caller }: Call<typeof getSecondFactor>): Promise<Answer<SecondFactorResponse>> {
    await assertCallerIsLive(this.database, caller);
    const person = await findPerson(this.database, caller.orgId, caller.actorId);
    if (!person) throw callerNotLive(caller);
    const totp = await store.readTotp(this.database, person);
    return ok({
      totp_since: totp?.confirmed_at.toISOString() ?? null,
      recovery_codes_left: totp ? await store.recoveryCodesLeft(this.database, person.id) : 0,
      is_required: await needsSecondFactor(this.database, person),
    });
  }

  @Handles(beginTotp)
  async begin({ caller }: Call<typeof beginTotp>): Promise<Answer<TotpResponse>> {
    const dataKey = await this.dataKeys.keyOf(caller.orgId);
    return ok(
      await changeOwnFactors(this.database, caller, null, (tx, person) => beginTotpOf(tx, person, dataKey)),
    );
  }

  @Handles(confirmTotp)
  async confirm({ caller, body }: Call<typeof confirmTotp>): Promise<Answer<never>> {
    const dataKey = await this.dataKeys.keyOf(caller.orgId);
    await changeOwnFactors(this.database, caller, 'staff.set-up-totp', (tx, person) =>
      confirmTotpOf(tx, person, dataKey, body.code),
    );
    return noContent();
  }

  @Handles(removeTotp)
  async remove({ caller }: Call<typeof removeTotp>): Promise<Answer<never>> {
    await changeOwnFactors(this.database, caller, 'staff.remove-totp', async (tx, person) => {
      if (!(await store.removeStoredTotp(tx, person.id))) throw noTotp();
      await requireFactorLeft(tx, person);
    });
    return noContent();
  }

  @Handles(getSignInRules)
  async rules({ caller }: Call<typeof getSignInRules>): Promise<Answer<SignInRules>> {
    return ok({ second_factor_roles: await store.readSecondFactorRoles(this.database, caller.orgId) });
  }

  @Handles(setSignInRules)
  async setRules({ caller, body }: Call<typeof setSignInRules>): Promise<Answer<SignInRules>> {
    const { orgId } = caller;
    const roles = ROLES.filter((role) => body.second_factor_roles.includes(role));
    await liveTransaction(this.database, caller, async (tx) => {
      await assertConfirmed(tx, caller);
      await store.saveSecondFactorRoles(tx, orgId, roles);
      await appendAudit(tx, caller, 'sign-in-rules.set', `organization:${orgId}`);
    });
    return ok({ second_factor_roles: roles });
  }
}

function noTotp(): Refused {
  return new Refused('conflict', 'Codes of an app are not set up.');
}
