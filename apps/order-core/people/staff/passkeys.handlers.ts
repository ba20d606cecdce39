import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  createPasskey,
  listPasskeys,
  MAX_PASSKEYS,
  type PasskeyCreation,
  type PasskeyListResponse,
  type PasskeyRequest,
  type PasskeyRow,
  removePasskey,
  requestPasskey,
  requestPasskeyConfirmation,
} from '@offizin/contracts/people/passkeys';
import { Database, isUniqueViolation } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { assertCallerIsLive, callerNotLive, sessionIdOf } from '../../callers/live-caller.store';
import {
  dropPasskey,
  insertPasskey,
  newChallenge,
  passkeyRowOf,
  passkeysOf,
  takeChallenge,
} from './passkeys.store';
import { changeOwnFactors, requireFactorLeft } from './own-factors';
import { PasskeyAddress, verifiedCreation } from './passkeys';
import { findPerson, type Person } from './staff.store';

/** The own passkeys. A change needs a recent confirmation. */
@Controller()
export class PasskeysHandlers {
  constructor(
    private readonly database: Database,
    private readonly address: PasskeyAddress,
  ) {}

  @Handles(listPasskeys)
  async list({ caller }: Call<typeof listPasskeys>): Promise<Answer<PasskeyListResponse>> {
    const passkeys = await passkeysOf(this.database, await this.own(caller));
    return ok({ data: passkeys.map(passkeyRowOf), rp_id: this.address.rpId });
  }

  @Handles(requestPasskey)
  async request({ caller }: Call<typeof requestPasskey>): Promise<Answer<PasskeyCreation>> {
    const rpId = this.address.requireRpId();
    const creation = await changeOwnFactors(this.database, caller, null, async (tx, person) => ({
      challenge: await newChallenge(tx, sessionIdOf(caller), 'create'),
      rp_id: rpId,
      user_id: Buffer.from(person.id.replaceAll('-', ''), 'hex').toString('base64url'),
      user_name: person.email,
      display_name: person.name,
      exclude_credential_ids: (await passkeysOf(tx, person)).map((passkey) => passkey.credential_id),
    }));
    return ok(creation);
  }

  @Handles(createPasskey)
  async create({ caller, body }: Call<typeof createPasskey>): Promise<Answer<PasskeyRow>> {
    const { address } = this;
    address.requireRpId();
    const challenge = await takeChallenge(this.database, sessionIdOf(caller), 'create');
    const verified = challenge === null ? null : await verifiedCreation(body, { challenge, address });
    if (!verified) {
      throw invalid([{ field: 'attestation', message: 'must answer the last challenge, for this console' }]);
    }
    try {
      const made = await changeOwnFactors(this.database, caller, 'staff.add-passkey', async (tx, person) => {
        const { name, transports } = body;
        const inserted = await insertPasskey(tx, person, { id: newId(), name, transports, ...verified });
        if (inserted) return inserted;
        throw new Refused('conflict', `A person has at most ${MAX_PASSKEYS} passkeys: remove one first.`);
      });
      return created(passkeyRowOf(made));
    } catch (error) {
      if (!isUniqueViolation(error, 'staff_passkeys_credential')) throw error;
      throw new Refused('conflict', 'This passkey is known already.');
    }
  }

  @Handles(removePasskey)
  async remove({ caller, params }: Call<typeof removePasskey>): Promise<Answer<never>> {
    const { passkeyId } = params;
    await changeOwnFactors(this.database, caller, 'staff.remove-passkey', async (tx, person) => {
      if (!isId(passkeyId) || !(await dropPasskey(tx, person.id, passkeyId))) throw notFound('passkey');
      await requireFactorLeft(tx, person);
    });
    return noContent();
  }

  @Handles(requestPasskeyConfirmation)
  async requestConfirmation({
    caller,
  }: Call<typeof requestPasskeyConfirmation>): Promise<Answer<PasskeyRequest>> {
    const rpId = this.address.requireRpId();
    const passkeys = await passkeysOf(this.database, await this.own(caller));
    return ok({
      challenge: await newChallenge(this.database, sessionIdOf(caller), 'confirm'),
      rp_id: rpId,
      credential_ids: passkeys.map((passkey) => passkey.credential_id),
    });
  }

  private async own(caller: Caller): Promise<Person> {
    await assertCallerIsLive(this.database, caller);
    const person = await findPerson(this.database, caller.orgId, caller.actorId);
    if (!person) throw callerNotLive(caller);
    return person;
  }
}
