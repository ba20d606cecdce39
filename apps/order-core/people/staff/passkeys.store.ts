import { MAX_PASSKEYS, type PasskeyRow } from '@offizin/contracts/people/passkeys';
import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, rowOf, valueOf, withIsoTimes } from '@offizin/pg/queries';
import type { StaffChallengeEntity, StaffPasskeyEntity } from '../../db/people-entities';
import { randomBytes } from 'node:crypto';

const COLUMNS = 'id, staff_id, org_id, credential_id, public_key, sign_count, name, created_at, last_used_at';

const list = statement<StoredPasskey, [string, string]>(
  'passkey_list',
  `SELECT ${COLUMNS} FROM core.staff_passkeys WHERE org_id = $1 AND staff_id = $2 ORDER BY id LIMIT ${MAX_PASSKEYS}`,
);
/** Finds the passkey of any person: before a sign-in the person is unknown. */
export const findPasskey = rowOf<StoredPasskey, [credentialId: string]>(
  'passkey_find',
  `SELECT ${COLUMNS} FROM core.staff_passkeys WHERE credential_id = $1`,
);
const insert = statement<StoredPasskey, NewPasskey & { staffId: string; orgId: string }>(
  'passkey_insert',
  `INSERT INTO core.staff_passkeys (id, staff_id, org_id, credential_id, public_key, sign_count, transports, name)
   SELECT $id, $staffId, $orgId, $credentialId, $publicKey, $signCount, $transports, $name
   WHERE (SELECT count(*) FROM core.staff_passkeys WHERE staff_id = $staffId) < ${MAX_PASSKEYS} RETURNING ${COLUMNS}`,
);
/** 0 is the count of authenticators that do not count. */
const use = statement<Pick<StaffPasskeyEntity, 'id'>, [string, number]>(
  'passkey_use',
  `UPDATE core.staff_passkeys SET sign_count = $2, last_used_at = now()
   WHERE id = $1 AND (sign_count < $2 OR ($2 = 0 AND sign_count = 0)) RETURNING id`,
);
/** False when the person has no such passkey. */
export const dropPasskey = isHitOf<[staffId: string, passkeyId: string]>(
  'passkey_drop',
  `DELETE FROM core.staff_passkeys WHERE staff_id = $1 AND id = $2 RETURNING id`,
);

export type StoredPasskey = Omit<StaffPasskeyEntity, 'transports'>;

export interface NewPasskey {
  id: string;
  credentialId: string;
  publicKey: Buffer;
  signCount: number;
  transports: readonly string[];
  name: string;
}

/** Oldest first. */
export async function passkeysOf(
  sql: Sql,
  { id, org_id }: { id: string; org_id: string },
): Promise<StoredPasskey[]> {
  return sql.rows(list, org_id, id);
}

/**
 * Null when the person has MAX_PASSKEYS; the locked row of the person makes the count exact. Throws a unique violation of
 * `staff_passkeys_credential`.
 */
export async function insertPasskey(
  tx: Sql,
  person: { id: string; org_id: string },
  passkey: NewPasskey,
): Promise<StoredPasskey | null> {
  const owner = { staffId: person.id, orgId: person.org_id };
  return (await tx.rows(insert, { ...passkey, ...owner }))[0] ?? null;
}

/** False when the count has not risen: an answer that was used before, or a copy of the authenticator. */
export async function usePasskey(tx: Sql, passkeyId: string, signCount: number): Promise<boolean> {
  return (await tx.rows(use, passkeyId, signCount)).length === 1;
}

export function passkeyRowOf({ id, name, created_at, last_used_at }: StoredPasskey): PasskeyRow {
  return withIsoTimes({ id, name, created_at, last_used_at });
}

const CHALLENGE_BYTES = 32;
const CHALLENGE_MINUTES = 5;

const putChallenge = statement<never, [string, ChallengePurpose, string]>(
  'challenge_put',
  `INSERT INTO core.staff_challenges (owner, purpose, challenge, expires_at)
   VALUES ($1, $2, $3, now() + make_interval(mins => ${CHALLENGE_MINUTES}))
   ON CONFLICT (owner, purpose) DO UPDATE SET challenge = excluded.challenge, expires_at = excluded.expires_at`,
);
/** Deletes the challenge, so that it counts once, whatever the signature. Null without a valid challenge. */
export const takeChallenge = valueOf<
  StaffChallengeEntity['challenge'] | null,
  [owner: string, purpose: ChallengePurpose]
>(
  'challenge_take',
  `DELETE FROM core.staff_challenges WHERE owner = $1 AND purpose = $2 AND expires_at > now() RETURNING challenge`,
  null,
);

export type ChallengePurpose = 'sign-in' | 'confirm' | 'create';

/** `owner` is a session, or the hash of a sign-in's token; only that owner can use the challenge. Replaces an earlier one. */
export async function newChallenge(sql: Sql, owner: string, purpose: ChallengePurpose): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  await sql.rows(putChallenge, owner, purpose, challenge);
  return challenge;
}
