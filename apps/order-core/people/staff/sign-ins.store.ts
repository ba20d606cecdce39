import { type Sql, statement } from '@offizin/pg/database';
import { changeOf } from '@offizin/pg/queries';
import type { StaffSignInEntity, StaffSignOnEntity } from '../../db/people-entities';
import { hashToken, newToken } from './session-token';

/** Long enough to install an app. */
const PENDING_MINUTES = 15;

const insert = statement<never, [string, string, string]>(
  'sign_in_insert',
  `INSERT INTO core.staff_sign_ins (hash, staff_id, org_id, expires_at)
   VALUES ($1, $2, $3, now() + make_interval(mins => ${PENDING_MINUTES}))`,
);
const find = statement<PendingSignIn, [string]>(
  'sign_in_find',
  `SELECT staff_id, org_id FROM core.staff_sign_ins WHERE hash = $1 AND expires_at > now()`,
);
const take = statement<Pick<StaffSignInEntity, 'staff_id'>, [string]>(
  'sign_in_take',
  `DELETE FROM core.staff_sign_ins WHERE hash = $1 AND expires_at > now() RETURNING staff_id`,
);
/** Where the sessions of a person end, what has begun ends, too. */
export const dropSignIns = changeOf<[staffId: string]>(
  'sign_in_drop_all',
  `DELETE FROM core.staff_sign_ins WHERE staff_id = $1`,
);

export type PendingSignIn = Pick<StaffSignInEntity, 'staff_id' | 'org_id'>;

/** Returns the token that the next step has to bring. */
export async function beginSignIn(tx: Sql, person: { id: string; org_id: string }): Promise<string> {
  const token = newToken();
  await tx.rows(insert, hashToken(token), person.id, person.org_id);
  return token;
}

/** Null when it is unknown, finished or over. */
export async function findSignIn(sql: Sql, token: string): Promise<PendingSignIn | null> {
  return (await sql.rows(find, hashToken(token)))[0] ?? null;
}

/** Uses the sign-in up; of racing calls one gets true. */
export async function takeSignIn(tx: Sql, token: string): Promise<boolean> {
  return (await tx.rows(take, hashToken(token))).length === 1;
}

/** Long enough to sign in at the provider. */
export const SIGN_ON_MINUTES = 10;

const insertSignOn = statement<never, BegunSignOnRow & { hash: string }>(
  'sign_on_insert',
  `INSERT INTO core.staff_sign_ons (hash, org_id, issuer, client_id, return_to, expires_at)
   VALUES ($hash, $org_id, $issuer, $client_id, $return_to, now() + make_interval(mins => ${SIGN_ON_MINUTES}))`,
);
const deleteSignOn = statement<BegunSignOnRow, [string]>(
  'sign_on_take',
  `DELETE FROM core.staff_sign_ons WHERE hash = $1 AND expires_at > now()
   RETURNING org_id, issuer, client_id, return_to`,
);
/** What began with other settings does not finish. */
export const dropSignOns = changeOf<[orgId: string]>(
  'sign_on_drop',
  `DELETE FROM core.staff_sign_ons WHERE org_id = $1`,
);

export type BegunSignOnRow = Pick<StaffSignOnEntity, 'org_id' | 'issuer' | 'client_id' | 'return_to'>;

export async function beginSignOn(sql: Sql, token: string, begun: BegunSignOnRow): Promise<void> {
  await sql.rows(insertSignOn, { ...begun, hash: hashToken(token) });
}

/** Uses it up, whatever the answer of the provider holds; of racing calls one gets it. Null when it is over or used. */
export async function takeSignOn(sql: Sql, token: string): Promise<BegunSignOnRow | null> {
  return (await sql.rows(deleteSignOn, hashToken(token)))[0] ?? null;
}
