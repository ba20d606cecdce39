import type { Role } from '@offizin/contracts/roles';
import { type Sql, statement } from '@offizin/pg/database';

const putTotp = statement<{ staff_id: string }, [string, string, Buffer]>(
  'totp_put',
  `INSERT INTO core.staff_totp AS t (staff_id, org_id, secret) VALUES ($1, $2, $3)
   ON CONFLICT (staff_id) DO UPDATE SET secret = excluded.secret, last_step = 0, created_at = now()
   WHERE t.confirmed_at IS NULL RETURNING t.staff_id`,
);
const findTotp = statement<StoredTotp, [string, string]>(
  'totp_find',
  `SELECT secret, confirmed_at FROM core.staff_totp WHERE org_id = $1 AND staff_id = $2`,
);
const useStep = statement<{ staff_id: string }, [string, number, boolean]>(
  'totp_use',
  `UPDATE core.staff_totp SET last_step = $2, confirmed_at = coalesce(confirmed_at, now())
   WHERE staff_id = $1 AND last_step < $2 AND (confirmed_at IS NOT NULL) = $3 RETURNING staff_id`,
);
const dropTotp = statement<{ staff_id: string }, [string]>(
  'totp_drop',
  `DELETE FROM core.staff_totp WHERE staff_id = $1 AND confirmed_at IS NOT NULL RETURNING staff_id`,
);
const dropAll = statement<never, [string]>(
  'second_factors_drop',
  `WITH codes AS (DELETE FROM core.staff_recovery_codes WHERE staff_id = $1),
     passkeys AS (DELETE FROM core.staff_passkeys WHERE staff_id = $1)
   DELETE FROM core.staff_totp WHERE staff_id = $1`,
);
const dropCodes = statement<never, [string]>(
  'recovery_codes_drop',
  `DELETE FROM core.staff_recovery_codes WHERE staff_id = $1`,
);
const putCodes = statement<never, [string, readonly Buffer[]]>(
  'recovery_codes_put',
  `INSERT INTO core.staff_recovery_codes (staff_id, hash) SELECT $1, unnest($2::bytea[])`,
);
const takeCode = statement<{ staff_id: string }, [string, Buffer]>(
  'recovery_code_take',
  `DELETE FROM core.staff_recovery_codes c WHERE c.staff_id = $1 AND c.hash = $2
     AND EXISTS (SELECT FROM core.staff_totp t WHERE t.staff_id = $1 AND t.confirmed_at IS NOT NULL)
   RETURNING c.staff_id`,
);
const countCodes = statement<{ left: number }, [string]>(
  'recovery_codes_count',
  `SELECT count(*)::integer AS left FROM core.staff_recovery_codes WHERE staff_id = $1`,
);
const readRoles = statement<{ second_factor_roles: Role[] }, [string]>(
  'second_factor_roles_read',
  `SELECT second_factor_roles FROM core.organizations WHERE id = $1`,
);
const writeRoles = statement<never, [string, readonly Role[]]>(
  'second_factor_roles_write',
  `UPDATE core.organizations SET second_factor_roles = $2 WHERE id = $1`,
);

export interface StoredTotp {
  /** Encrypted under the data key, with the person's id as additional data. */
  secret: Buffer;
  confirmed_at: Date | null;
}

interface Owned {
  id: string;
  org_id: string;
}

/** Replaces one that was never confirmed. False when a confirmed one is there. */
export async function putUnconfirmedTotp(tx: Sql, person: Owned, secret: Buffer): Promise<boolean> {
  return (await tx.rows(putTotp, person.id, person.org_id, secret)).length === 1;
}

export async function readTotp(sql: Sql, { id, org_id }: Owned): Promise<StoredTotp | null> {
  return (await sql.rows(findTotp, org_id, id))[0] ?? null;
}

/** Of racing uses of one code one gets true. The first use of all confirms. */
export async function useTotpStep(
  tx: Sql,
  staffId: string,
  step: number,
  totp: { isConfirmed: boolean },
): Promise<boolean> {
  return (await tx.rows(useStep, staffId, step, totp.isConfirmed)).length === 1;
}

/** With its recovery codes. False when there is no confirmed one. */
export async function removeStoredTotp(tx: Sql, staffId: string): Promise<boolean> {
  await tx.rows(dropCodes, staffId);
  return (await tx.rows(dropTotp, staffId)).length === 1;
}

export async function removeEveryFactor(tx: Sql, staffId: string): Promise<void> {
  await tx.rows(dropAll, staffId);
}

export async function replaceRecoveryCodes(
  tx: Sql,
  staffId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.rows(dropCodes, staffId);
  await tx.rows(putCodes, staffId, hashes);
}

/** Of racing uses of one code one gets true. */
export async function takeRecoveryCode(tx: Sql, staffId: string, hash: Buffer): Promise<boolean> {
  return (await tx.rows(takeCode, staffId, hash)).length === 1;
}

export async function recoveryCodesLeft(sql: Sql, staffId: string): Promise<number> {
  return (await sql.rows(countCodes, staffId))[0]?.left ?? 0;
}

export async function readSecondFactorRoles(sql: Sql, orgId: string): Promise<Role[]> {
  return (await sql.rows(readRoles, orgId))[0]?.second_factor_roles ?? [];
}

export async function saveSecondFactorRoles(tx: Sql, orgId: string, roles: readonly Role[]): Promise<void> {
  await tx.rows(writeRoles, orgId, roles);
}
