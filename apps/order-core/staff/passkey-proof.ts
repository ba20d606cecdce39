import type { PasskeyAssertion } from '@offizin/contracts/passkey-assertion';
import { Refused } from '@offizin/contracts/errors';
import type { Sql } from '@offizin/pg/database';
import { type ChallengePurpose, takeChallenge } from './challenges.store';
import type { PasskeyAddress } from './passkey-address';
import { verifiedUse } from './passkeys';
import { findPasskey, type StoredPasskey } from './passkeys.store';

interface Asked {
  owner: string;
  purpose: ChallengePurpose;
  address: PasskeyAddress;
  /** Whose passkey it must be; null for anybody's. */
  staffId: string | null;
}

type Proof =
  | { isRefused: false; passkey: StoredPasskey; signCount: number }
  /** The passkey is null when it is unknown or belongs to another person. */
  | { isRefused: true; passkey: StoredPasskey | null };

/** The challenge is used up whatever the answer. `usePasskey` in the transaction of the change completes the proof. */
export async function provenPasskey(sql: Sql, assertion: PasskeyAssertion, asked: Asked): Promise<Proof> {
  const { owner, purpose, address, staffId } = asked;
  const challenge = await takeChallenge(sql, owner, purpose);
  const passkey = await findPasskey(sql, assertion.credential_id);
  if (!passkey || (staffId !== null && passkey.staff_id !== staffId))
    return { isRefused: true, passkey: null };
  const used = challenge === null ? null : await verifiedUse(assertion, passkey, { challenge, address });
  return used ? { isRefused: false, passkey, ...used } : { isRefused: true, passkey };
}

/** The same words whatever is wrong. */
export function refusedPasskey(): Refused {
  return new Refused('unauthorized', 'The passkey was not accepted.');
}
