import { CONFIRMED_MINUTES } from '@offizin/contracts/calls/confirmation';
import { type Sql, statement } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';

/** The records of the bucket, as the database has them. */

const liveSessions = (condition = ''): string => `
  SELECT session_id AS id, 'session.' || session_id AS key, row_to_json(r)::text AS record FROM (
    SELECT 'session' AS type, s.id AS session_id, s.staff_id, s.org_id, s.hash, p.role, s.ends_at,
           s.confirmed_at + make_interval(mins => ${CONFIRMED_MINUTES}) AS confirmed_until
    FROM core.staff_sessions s JOIN core.staff p ON p.id = s.staff_id
    WHERE s.ended_at IS NULL AND s.ends_at > now() AND core.session_is_live(s.id) ${condition}) r`;
/** `row_to_json` writes the same text as `JSON.stringify`: an older order-core compares the bucket with that. */
const RECORDS = `
  SELECT org_id AS id, 'organization.' || org_id AS key, row_to_json(r)::text AS record FROM (
    SELECT 'organization' AS type, id AS org_id, name, is_active FROM core.organizations) r
  UNION ALL
  SELECT shop_id, 'shop.' || shop_id, row_to_json(r)::text FROM (
    SELECT 'shop' AS type, id AS shop_id, org_id, name, domain, is_active, is_test FROM core.shops) r
  UNION ALL
  SELECT key_id, 'key.' || key_id, row_to_json(r)::text FROM (
    SELECT 'key' AS type, id AS key_id, org_id, hash, kind, shop_id, scopes, expires_at
    FROM core.api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) r
  UNION ALL ${liveSessions()}`;
/** As in bucket-content.ts. */
const PART = 'right(key, 2)';
const HASH = `('x' || left(encode(sha256(convert_to(key || ' ' || record, 'UTF8')), 'hex'), 16))::bit(64)::bigint`;
const recordRows = statement<{ key: string; record: string | null }, [string[], string[]]>(
  'directory_records',
  `SELECT key, record FROM (${RECORDS}) r WHERE id = ANY($1::uuid[])
   UNION ALL SELECT key, record FROM (${liveSessions('AND s.staff_id = ANY($2::uuid[])')}) r
   UNION ALL SELECT 'session.' || id, NULL FROM core.staff_sessions
     WHERE staff_id = ANY($2::uuid[]) AND ended_at > now() - interval '1 minute'`,
);
const sumRows = statement<{ part: string; sum: string }, [string[]]>(
  'directory_sums',
  `SELECT ${PART} AS part, bit_xor(${HASH})::text AS sum FROM (${RECORDS}) r
   WHERE left(${PART}, 1) = ANY($1::text[]) GROUP BY 1`,
);
/** Each statement hashes a quarter of the records, far below the time-out of statements. */
const QUARTERS = ['0123', '4567', '89ab', 'cdef'];
const hashRows = statement<{ key: string; hash: string }, [string[]]>(
  'directory_hashes',
  `SELECT key, ${HASH}::text AS hash FROM (${RECORDS}) r WHERE ${PART} = ANY($1::text[])`,
);
const lockProjection = statement<never, []>(
  'directory_lock',
  `SELECT pg_advisory_xact_lock(hashtext('directory'))`,
);

/** Names a record by its key in the bucket; `staff.<id>` names all sessions of a person. */
export type ChangedRecord = `${'organization' | 'shop' | 'key' | 'session' | 'staff'}.${string}`;

/**
 * Records as the bucket should hold them, by key: null where it should hold none. For a person: the live sessions
 * and those that have just ended. Takes the projection's lock, so that an older record never overwrites a newer one.
 */
export async function readRecords(tx: Sql, keys: readonly string[]): Promise<Map<string, string | null>> {
  await tx.rows(lockProjection);
  const idsOf = (some: string[]): string[] =>
    some.map((key) => key.slice(key.indexOf('.') + 1)).filter((id) => isId(id));
  const people = keys.filter((key) => key.startsWith('staff.'));
  const named = keys.filter((key) => !key.startsWith('staff.'));
  const rows = await tx.rows(recordRows, idsOf(named), idsOf(people));
  const records = new Map<string, string | null>(named.map((key) => [key, null]));
  for (const { key, record } of rows) records.set(key, record);
  return records;
}

/** By part of the bucket. */
export async function readSums(sql: Sql): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const digits of QUARTERS)
    for (const { part, sum } of await sql.rows(sumRows, [...digits])) sums.set(part, sum);
  return sums;
}

/** By key, of all records of these parts. */
export async function readHashes(sql: Sql, parts: readonly string[]): Promise<Map<string, string>> {
  return new Map((await sql.rows(hashRows, [...parts])).map(({ key, hash }) => [key, hash]));
}
