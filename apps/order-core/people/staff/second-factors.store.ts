import type { Role } from '@offizin/contracts/people/roles';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, isHitOf, type NotNull, valueOf } from '@offizin/pg/queries';
import type { Organization } from '../../db/entities';
import type { StaffTotpEntity, StaffTotpSetUpEntity } from '../../db/people-entities';

const putSetUp = statement<never, [string, string, Buffer, readonly Buffer[]]>(
  'totp_set_up_put',
  `INSERT INTO core.staff_totp_set_ups (staff_id, org_id, secret, recovery_hashes) VALUES ($1, $2, $3, $4)
   ON CONFLICT (staff_id) DO UPDATE SET secret = excluded.secret, recovery_hashes = excluded.recovery_hashes`,
);
const findSetUp = statement<TotpSetUp, [string, string]>(
  'totp_set_up_find',
  `SELECT secret, recovery_hashes FROM core.staff_totp_set_ups WHERE org_id = $1 AND staff_id = $2`,
);
const dropSetUp = statement<never, [string]>(
  'totp_set_up_drop',
  `DELETE FROM core.staff_totp_set_ups WHERE staff_id = $1`,
);
const putTotp = statement<never, [string, string, Buffer, number]>(
  'totp_put',
  `INSERT INTO core.staff_totp (staff_id, org_id, secret, last_step, confirmed_at) VALUES ($1, $2, $3, $4, now())
   ON CONFLICT (staff_id) DO UPDATE
   SET secret = excluded.secret, last_step = excluded.last_step, confirmed_at = excluded.confirmed_at`,
);
const findTotp = statement<StoredTotp, [string, string]>(
  'totp_find',
  `SELECT secret, confirmed_at FROM core.staff_totp
   WHERE org_id = $1 AND staff_id = $2 AND confirmed_at IS NOT NULL`,
);
/** Of racing uses of one code one gets true. */
export const useTotpStep = isHitOf<[staffId: string, step: number]>(
  'totp_use',
  `UPDATE core.staff_totp SET last_step = $2
   WHERE staff_id = $1 AND last_step < $2 AND confirmed_at IS NOT NULL RETURNING staff_id`,
);
const dropTotp = statement<Pick<StaffTotpEntity, 'staff_id'>, [string]>(
  'totp_drop',
  `DELETE FROM core.staff_totp WHERE staff_id = $1 AND confirmed_at IS NOT NULL RETURNING staff_id`,
);
export const removeEveryFactor = changeOf<[staffId: string]>(
  'second_factors_drop',
  `WITH codes AS (DELETE FROM core.staff_recovery_codes WHERE staff_id = $1),
     passkeys AS (DELETE FROM core.staff_passkeys WHERE staff_id = $1),
     set_up AS (DELETE FROM core.staff_totp_set_ups WHERE staff_id = $1)
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
/** Of racing uses of one code one gets true. */
export const takeRecoveryCode = isHitOf<[staffId: string, hash: Buffer]>(
  'recovery_code_take',
  `DELETE FROM core.staff_recovery_codes c WHERE c.staff_id = $1 AND c.hash = $2
     AND EXISTS (SELECT FROM core.staff_totp t WHERE t.staff_id = $1 AND t.confirmed_at IS NOT NULL)
   RETURNING c.staff_id`,
);
export const recoveryCodesLeft = valueOf<number, [staffId: string]>(
  'recovery_codes_count',
  `SELECT count(*)::integer AS left FROM core.staff_recovery_codes WHERE staff_id = $1`,
  0,
);
export const readSecondFactorRoles = valueOf<Organization['second_factor_roles'], [orgId: string]>(
  'second_factor_roles_read',
  `SELECT second_factor_roles FROM core.organizations WHERE id = $1`,
  [],
);
export const saveSecondFactorRoles = changeOf<[orgId: string, roles: readonly Role[]]>(
  'second_factor_roles_write',
  `UPDATE core.organizations SET second_factor_roles = $2 WHERE id = $1`,
);

export type StoredTotp = Pick<StaffTotpEntity, 'secret'> & NotNull<StaffTotpEntity, 'confirmed_at'>;

/** A new app with its recovery codes, none of which counts before its first code. */
export type TotpSetUp = Pick<StaffTotpSetUpEntity, 'secret' | 'recovery_hashes'>;

interface Owned {
  id: string;
  org_id: string;
}

/** Replaces one that was begun before. */
export async function saveTotpSetUp(tx: Sql, person: Owned, setUp: TotpSetUp): Promise<void> {
  await tx.rows(putSetUp, person.id, person.org_id, setUp.secret, setUp.recovery_hashes);
}

export async function readTotpSetUp(sql: Sql, { id, org_id }: Owned): Promise<TotpSetUp | null> {
  return (await sql.rows(findSetUp, org_id, id))[0] ?? null;
}

/** From now on this app and these recovery codes count, in place of those before. The code of `step` is used up. */
export async function completeTotpSetUp(
  tx: Sql,
  person: Owned,
  setUp: TotpSetUp,
  step: number,
): Promise<void> {
  await tx.rows(dropSetUp, person.id);
  await tx.rows(putTotp, person.id, person.org_id, setUp.secret, step);
  await tx.rows(dropCodes, person.id);
  await tx.rows(putCodes, person.id, setUp.recovery_hashes);
}

export async function readTotp(sql: Sql, { id, org_id }: Owned): Promise<StoredTotp | null> {
  return (await sql.rows(findTotp, org_id, id))[0] ?? null;
}

/** With its recovery codes, and with a set-up that was begun. False when the person has no app. */
export async function removeStoredTotp(tx: Sql, staffId: string): Promise<boolean> {
  await tx.rows(dropSetUp, staffId);
  await tx.rows(dropCodes, staffId);
  return (await tx.rows(dropTotp, staffId)).length === 1;
}
