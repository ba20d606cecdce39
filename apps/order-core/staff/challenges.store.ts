import { randomBytes } from 'node:crypto';
import { type Sql, statement } from '@offizin/pg/database';

const CHALLENGE_BYTES = 32;
const CHALLENGE_MINUTES = 5;

const put = statement<never, [string, ChallengePurpose, string]>(
  'challenge_put',
  `INSERT INTO core.staff_challenges (owner, purpose, challenge, expires_at)
   VALUES ($1, $2, $3, now() + make_interval(mins => ${CHALLENGE_MINUTES}))
   ON CONFLICT (owner, purpose) DO UPDATE SET challenge = excluded.challenge, expires_at = excluded.expires_at`,
);
const take = statement<{ challenge: string }, [string, ChallengePurpose]>(
  'challenge_take',
  `DELETE FROM core.staff_challenges WHERE owner = $1 AND purpose = $2 AND expires_at > now() RETURNING challenge`,
);
const forget = statement<{ owner: string }, [number]>(
  'challenge_forget',
  `DELETE FROM core.staff_challenges WHERE (owner, purpose) IN (
     SELECT owner, purpose FROM core.staff_challenges WHERE expires_at < now() LIMIT $1) RETURNING owner`,
);

export type ChallengePurpose = 'sign-in' | 'confirm' | 'create';

/** `owner` is a session, or the hash of a sign-in's token; only that owner can use the challenge. Replaces an earlier one. */
export async function newChallenge(sql: Sql, owner: string, purpose: ChallengePurpose): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  await sql.rows(put, owner, purpose, challenge);
  return challenge;
}

/** Deletes the challenge, so that it counts once, whatever the signature. Null without a valid challenge. */
export async function takeChallenge(
  sql: Sql,
  owner: string,
  purpose: ChallengePurpose,
): Promise<string | null> {
  return (await sql.rows(take, owner, purpose))[0]?.challenge ?? null;
}

/** Deletes challenges that are over; at most `limit`. Returns their number. */
export async function forgetChallenges(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(forget, limit)).length;
}
