import { type Sql, statement } from '@offizin/pg/database';
import { hashToken } from './session-token';

/** Long enough to sign in at the provider. */
export const SIGN_ON_MINUTES = 10;

const insert = statement<never, [string, string, string, string, string]>(
  'sign_on_insert',
  `INSERT INTO core.staff_sign_ons (hash, org_id, issuer, client_id, return_to, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(mins => ${SIGN_ON_MINUTES}))`,
);
const take = statement<BegunSignOnRow, [string]>(
  'sign_on_take',
  `DELETE FROM core.staff_sign_ons WHERE hash = $1 AND expires_at > now()
   RETURNING org_id, issuer, client_id, return_to`,
);
const dropOfOrganization = statement<never, [string]>(
  'sign_on_drop',
  `DELETE FROM core.staff_sign_ons WHERE org_id = $1`,
);
const forget = statement<{ hash: string }, [number]>(
  'sign_on_forget',
  `DELETE FROM core.staff_sign_ons WHERE hash IN (
     SELECT hash FROM core.staff_sign_ons WHERE expires_at < now() LIMIT $1) RETURNING hash`,
);

export interface BegunSignOnRow {
  org_id: string;
  issuer: string;
  client_id: string;
  return_to: string;
}

export async function beginSignOn(sql: Sql, token: string, begun: BegunSignOnRow): Promise<void> {
  const { org_id, issuer, client_id, return_to } = begun;
  await sql.rows(insert, hashToken(token), org_id, issuer, client_id, return_to);
}

/** Uses it up, whatever the answer of the provider holds; of racing calls one gets it. Null when it is over or used. */
export async function takeSignOn(sql: Sql, token: string): Promise<BegunSignOnRow | null> {
  return (await sql.rows(take, hashToken(token)))[0] ?? null;
}

/** What began with other settings does not finish. */
export async function dropSignOns(tx: Sql, orgId: string): Promise<void> {
  await tx.rows(dropOfOrganization, orgId);
}

/** Deletes sign-ons that are over; at most `limit`. Returns their number. */
export async function forgetSignOns(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(forget, limit)).length;
}
