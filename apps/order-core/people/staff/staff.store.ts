import type { Role } from '@offizin/contracts/people/roles';
import type { PreferencesBody } from '@offizin/contracts/people/sessions';
import { type KnownName, MAX_STAFF, type StaffRow } from '@offizin/contracts/people/staff';
import { ORDER_COLUMNS } from '@offizin/contracts/console/views';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, rowOf, rowsOf, valueOf } from '@offizin/pg/queries';
import type { StaffEntity } from '../../db/people-entities';

const COLUMNS = `id, org_id, email, name, role, password_hash, is_active, created_at, last_seen_at,
  core.has_second_factor(id) AS has_second_factor`;

/** Each of them costs a check of the password. Later organizations cannot push out earlier ones. */
const MAX_PEOPLE_OF_EMAIL = 5;

const findByEmail = statement<Person, [string, string | null]>(
  'staff_by_email',
  `SELECT ${COLUMNS} FROM core.staff WHERE email = $1 AND ($2::uuid IS NULL OR org_id = $2)
   ORDER BY password_hash IS NULL, created_at, id LIMIT ${MAX_PEOPLE_OF_EMAIL}`,
);
/** Null when the organization has no such person. */
export const findPerson = rowOf<Person, [orgId: string, staffId: string]>(
  'staff_by_id',
  `SELECT ${COLUMNS} FROM core.staff WHERE org_id = $1 AND id = $2`,
);
/** Null when the organization has no such person. */
export const lockPerson = rowOf<Person, [orgId: string, staffId: string]>(
  'staff_lock',
  `SELECT ${COLUMNS} FROM core.staff WHERE org_id = $1 AND id = $2 FOR UPDATE`,
);
const list = statement<Person, [string]>(
  'staff_list',
  `SELECT ${COLUMNS} FROM core.staff WHERE org_id = $1 ORDER BY lower(name), id LIMIT ${MAX_STAFF}`,
);
/**
 * Null when the organization has MAX_STAFF people; its lock makes the count exact. Throws a unique violation of
 * `staff_email` when the organization has a person of this e-mail.
 */
export const insertPerson = rowOf<Person, NewPerson>(
  'staff_insert',
  `INSERT INTO core.staff (id, org_id, email, name, role) SELECT $id, $org_id, $email, $name, $role
   WHERE (SELECT count(*) FROM core.staff WHERE org_id = $org_id) < ${MAX_STAFF} RETURNING ${COLUMNS}`,
);
const update = statement<Person, [string, string, Role, boolean]>(
  'staff_update',
  `UPDATE core.staff SET name = $2, role = $3, is_active = $4 WHERE id = $1 RETURNING ${COLUMNS}`,
);
/** Of what the organization has under these ids; others are left out, and those that the scopes do not permit to read. */
export const namesOf = rowsOf<KnownName, [orgId: string, ids: readonly string[], scopes: readonly string[]]>(
  'staff_names',
  `SELECT id, name FROM (
     SELECT id, org_id, name FROM core.staff
     UNION ALL SELECT id, org_id, name FROM core.api_keys
     UNION ALL SELECT id, id, name FROM core.organizations
     UNION ALL SELECT id, org_id, name FROM core.shops
     UNION ALL SELECT session.id, session.org_id, person.name
               FROM core.staff_sessions session JOIN core.staff person ON person.id = session.staff_id
     UNION ALL SELECT id, org_id, coalesce(order_number, external_id) FROM core.orders
               WHERE 'orders.read' = ANY ($3::text[])
     UNION ALL SELECT id, org_id, coalesce(customer_name, external_reference) FROM core.order_requests
               WHERE 'order_requests.read' = ANY ($3::text[])
   ) named WHERE org_id = $1 AND id = ANY ($2::uuid[]) AND name IS NOT NULL`,
);
/** Active owners who have joined. The lock of the organization makes the count exact. */
export const ownersOf = valueOf<number, [orgId: string]>(
  'staff_owners',
  `SELECT count(*)::integer AS owners FROM core.staff
   WHERE org_id = $1 AND role = 'owner' AND is_active AND password_hash IS NOT NULL`,
  0,
);
const setHash = statement<never, [string, string, string | null]>(
  'staff_password',
  `UPDATE core.staff SET password_hash = $2, name = coalesce($3, name) WHERE id = $1`,
);
export const noteSeen = changeOf<[staffId: string]>(
  'staff_seen',
  `UPDATE core.staff SET last_seen_at = now() WHERE id = $1`,
);
const prefer = statement<
  never,
  {
    staffId: string;
    language: string | null;
    zone: string | null;
    theme: string | null;
    undoSeconds: number | null;
    singleKeys: string | null;
    columns: readonly string[] | null;
    hidesFirstSteps: boolean | null;
  }
>(
  'staff_preferences',
  `UPDATE core.staff SET language = coalesce($language, language), time_zone = coalesce($zone, time_zone),
          theme = coalesce($theme, theme), undo_seconds = coalesce($undoSeconds, undo_seconds),
          single_keys = coalesce($singleKeys, single_keys), order_columns = coalesce($columns::text[], order_columns),
          hides_first_steps = coalesce($hidesFirstSteps, hides_first_steps)
   WHERE id = $staffId`,
);

export type Person = Pick<
  StaffEntity,
  'id' | 'org_id' | 'email' | 'name' | 'role' | 'password_hash' | 'is_active' | 'created_at' | 'last_seen_at'
> & { has_second_factor: boolean };

type NewPerson = Pick<Person, 'id' | 'org_id' | 'email' | 'name' | 'role'>;

/** The form in which an e-mail is stored and compared: NFKC, and lower case of ASCII only, as the table checks it. */
export function normalizedEmail(email: string): string {
  return email
    .trim()
    .normalize('NFKC')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Without `orgId` in all organizations, those who have joined first. `email` must be normalized. */
export async function peopleByEmail(sql: Sql, email: string, orgId?: string): Promise<Person[]> {
  return sql.rows(findByEmail, email, orgId ?? null);
}

export async function findPersonByEmail(sql: Sql, orgId: string, email: string): Promise<Person | null> {
  return (await peopleByEmail(sql, email, orgId))[0] ?? null;
}

export async function listPeople(sql: Sql, orgId: string): Promise<StaffRow[]> {
  return (await sql.rows(list, orgId)).map(staffRowOf);
}

export async function updatePerson(
  tx: Sql,
  { id, name, role, is_active }: Pick<Person, 'id' | 'name' | 'role' | 'is_active'>,
): Promise<void> {
  await tx.rows(update, id, name, role, is_active);
}

export async function setPassword(
  tx: Sql,
  staffId: string,
  passwordHash: string,
  name: string | null = null,
): Promise<void> {
  await tx.rows(setHash, staffId, passwordHash, name);
}

/** Fields that are left out stay. Each column is stored once, in the order of the table. */
export async function setPreferences(tx: Sql, staffId: string, given: PreferencesBody): Promise<void> {
  const { order_columns: chosen } = given;
  const columns = chosen && ORDER_COLUMNS.filter((column) => chosen.includes(column));
  await tx.rows(prefer, {
    staffId,
    language: given.language ?? null,
    zone: given.time_zone ?? null,
    theme: given.theme ?? null,
    undoSeconds: given.undo_seconds ?? null,
    singleKeys: given.single_keys ?? null,
    columns: columns ?? null,
    hidesFirstSteps: given.hides_first_steps ?? null,
  });
}

export function staffRowOf(person: Person): StaffRow {
  const { id, name, email, role, is_active, created_at, last_seen_at } = person;
  return {
    id,
    name,
    email,
    role,
    is_active,
    has_joined: person.password_hash !== null,
    has_second_factor: person.has_second_factor,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at?.toISOString() ?? null,
  };
}
