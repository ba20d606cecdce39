import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, Refused } from '@offizin/contracts/calls/errors';
import { RECOVERY_CODE_COUNT, type TotpResponse } from '@offizin/contracts/people/second-factor';
import type { SecondFactor } from '@offizin/contracts/people/sessions';
import type { Sql } from '@offizin/pg/database';
import { databaseNowMs } from '@offizin/pg/database-clock';
import { appendAudit } from '../../audit/audit.store';
import { decrypt, encrypt } from '../../crypto/encryption';
import { passkeysOf } from './passkeys.store';
import {
  isTotpCode,
  newRecoveryCodes,
  newTotpSecret,
  recoveryCodeHash,
  shownTotp,
  stepOfCode,
} from './second-factor-codes';
import * as store from './second-factors.store';
import { endSessions } from './sessions.store';
import type { Person } from './staff.store';

/** The name under which apps show the account. */
const ISSUER = 'Offizin';

/** What the person can give as second factor; empty without one. */
export async function secondFactorsOf(sql: Sql, person: Person): Promise<SecondFactor[]> {
  if (!person.has_second_factor) return [];
  const methods: SecondFactor[] = [];
  const totp = await store.readTotp(sql, person);
  if (totp) {
    methods.push('totp');
    if ((await store.recoveryCodesLeft(sql, person.id)) > 0) methods.push('recovery_code');
  }
  if ((await passkeysOf(sql, person)).length > 0) methods.push('passkey');
  return methods;
}

/** A new secret with recovery codes. An app that is there goes on counting until the first code of the new one. */
export async function beginTotpOf(tx: Sql, person: Person, dataKey: Buffer): Promise<TotpResponse> {
  const secret = newTotpSecret();
  const codes = newRecoveryCodes(RECOVERY_CODE_COUNT);
  await store.saveTotpSetUp(tx, person, {
    secret: encrypt(dataKey, secret, person.id),
    recovery_hashes: codes.map((code) => recoveryCodeHash(dataKey, person.id, code)),
  });
  return { ...shownTotp(secret, { issuer: ISSUER, email: person.email }), recovery_codes: codes };
}

/** The first code of the new app. Throws `Refused` (invalid_request, conflict). */
export async function confirmTotpOf(tx: Sql, person: Person, dataKey: Buffer, code: string): Promise<void> {
  const setUp = await store.readTotpSetUp(tx, person);
  if (!setUp) throw new Refused('conflict', 'Make a new secret for the app first.');
  const step = stepNow(decrypt(dataKey, setUp.secret, person.id), code);
  if (step === null) throw invalid([{ field: 'code', message: 'must be the code that the app shows now' }]);
  await store.completeTotpSetUp(tx, person, setUp, step);
}

/** The factor whose code it is; the code is used up. Null of a wrong or used one. */
export async function useSecondFactor(
  tx: Sql,
  person: Person,
  dataKey: Buffer,
  given: string,
): Promise<SecondFactor | null> {
  const code = given.replace(/\s/g, '');
  if (!isTotpCode(code)) {
    const hash = recoveryCodeHash(dataKey, person.id, code);
    return (await store.takeRecoveryCode(tx, person.id, hash)) ? 'recovery_code' : null;
  }
  const totp = await store.readTotp(tx, person);
  const step = totp && stepNow(decrypt(dataKey, totp.secret, person.id), code);
  return step !== null && (await store.useTotpStep(tx, person.id, step)) ? 'totp' : null;
}

/** For an owner or the operator. Ends the person's sessions, because the finder of a lost device may be signed in. */
export async function removeSecondFactors(tx: Sql, caller: Caller, person: Person): Promise<void> {
  await store.removeEveryFactor(tx, person.id);
  await endSessions(tx, person.id);
  const there = { ...caller, orgId: person.org_id };
  await appendAudit(tx, there, 'staff.remove-second-factor', `staff:${person.id}`);
}

function stepNow(secret: Buffer, code: string): number | null {
  return stepOfCode(secret, code.replace(/\s/g, ''), databaseNowMs());
}
