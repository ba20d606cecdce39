import type { OrderRequestCorrections } from '@offizin/contracts/requests/order-request-review';
import type { ReviewMarks, ReviewOverride } from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf, type OuterJoined, rowOf, valueOf } from '@offizin/pg/queries';
import { decrypt, emailHash, encrypt } from '../../crypto/encryption';
import type { StaffEntity } from '../../db/people-entities';
import type { OrderRequestEntity, ReviewSettingsEntity } from '../../db/request-entities';
import type { FourEyesRule, GivenFirst } from './four-eyes';
import { COLUMNS, NO_FIRST_APPROVAL, type OrderRequestRow } from '../intake/order-requests.store';

/**
 * The first of two approvals, in the row of its request. Each change raises the attempt: see clarification.store.ts.
 */

export type ApprovableRow = OrderRequestRow &
  OuterJoined<Pick<ReviewSettingsEntity, 'four_eyes' | 'four_eyes_categories'>> & {
    first_name: StaffEntity['name'] | null;
  };

/** What a first approval holds for, besides the version. */
export interface FirstContent {
  corrections: OrderRequestCorrections | null;
  override: ReviewOverride | null;
  marks: ReviewMarks;
}

/** SQL over `r`: waits for the second approval. */
export const WAITS_FOR_SECOND = `r.status = 'pending' AND r.first_approved_by IS NOT NULL`;

export const findApprovableRequest = rowOf<ApprovableRow, [orgId: string, id: string]>(
  'order_request_find_approvable',
  `SELECT ${COLUMNS}, s.four_eyes, s.four_eyes_categories, person.name AS first_name
   FROM core.order_requests r LEFT JOIN core.review_settings s ON s.org_id = r.org_id
   LEFT JOIN core.staff person ON person.org_id = r.org_id AND person.id = r.first_approved_by
   WHERE r.org_id = $1::uuid AND r.id = $2::uuid`,
);
/** Milliseconds, as callers name the time. */
const save = statement<
  { at: NonNullable<OrderRequestEntity['first_approved_at']>; by: StaffEntity['name'] },
  { orgId: string; id: string; staffId: string; digest: Buffer; ciphertext: Buffer; hash: Buffer | null }
>(
  'order_request_first_approval',
  `UPDATE core.order_requests SET first_approved_by = $staffId,
          first_approved_at = date_trunc('milliseconds', clock_timestamp()), first_approval_digest = $digest,
          first_approval_ciphertext = $ciphertext, first_approval_email_hash = $hash, attempt = attempt + 1, updated_at = now()
   WHERE org_id = $orgId AND id = $id
   RETURNING first_approved_at AS at, (SELECT name FROM core.staff WHERE id = first_approved_by) AS by`,
);
export const forgetFirstApproval = changeOf<[orgId: string, id: string]>(
  'order_request_no_first_approval',
  `UPDATE core.order_requests SET ${NO_FIRST_APPROVAL}, attempt = attempt + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2`,
);
export const firstApproverName = valueOf<StaffEntity['name'], [orgId: string, staffId: string]>(
  'order_request_first_approver',
  `SELECT name FROM core.staff WHERE org_id = $1 AND id = $2`,
  '',
);
const rule = statement<FourEyesRule, [string]>(
  'review_four_eyes',
  `SELECT four_eyes, four_eyes_categories FROM core.review_settings WHERE org_id = $1`,
);

export async function hasFourEyes(sql: Sql, orgId: string): Promise<boolean> {
  return (await fourEyesOf(sql, orgId)) !== null;
}

/** Null where one person approves every request. */
export async function fourEyesOf(sql: Sql, orgId: string): Promise<FourEyesRule | null> {
  const [row] = await sql.rows(rule, orgId);
  return row && row.four_eyes !== 'off' ? row : null;
}

/** The columns of a first approval that decide about the next one. */
export type FirstColumns = Pick<
  ApprovableRow,
  'first_approved_by' | 'first_approved_at' | 'first_approval_digest' | 'first_name'
>;

export function firstOf(row: FirstColumns): GivenFirst | null {
  const { first_approved_by: staffId, first_approved_at: at, first_approval_digest: digest } = row;
  if (staffId === null || at === null || digest === null) return null;
  return { staffId, name: row.first_name ?? '', at: at.toISOString(), digest };
}

/** Whether both rows have the same first approval, or none. */
export function isSameFirst(one: OrderRequestRow, other: OrderRequestRow): boolean {
  return (
    one.first_approved_by === other.first_approved_by &&
    one.first_approved_at?.getTime() === other.first_approved_at?.getTime()
  );
}

/** In place of an earlier one. The caller has locked the row. */
export async function saveFirstApproval(
  tx: Sql,
  key: Buffer,
  request: { orgId: string; id: string },
  first: { staffId: string; digest: Buffer; content: FirstContent },
): Promise<{ at: Date; by: string }> {
  const { staffId, digest, content } = first;
  const ciphertext = encrypt(key, Buffer.from(JSON.stringify(content)), firstRowId(request.id));
  const email = content.corrections?.approved['customer_email'];
  const hash = typeof email === 'string' ? emailHash(key, email) : null;
  const [saved] = await tx.rows(save, { ...request, staffId, digest, ciphertext, hash });
  if (!saved) throw new Error(`order request ${request.id} is locked and gone`);
  return saved;
}

/** Null after an erasure, too. */
export function contentOfFirst(
  key: Buffer,
  { id, first_approval_ciphertext: ciphertext }: Pick<OrderRequestRow, 'id' | 'first_approval_ciphertext'>,
): FirstContent | null {
  return ciphertext
    ? (JSON.parse(decrypt(key, ciphertext, firstRowId(id)).toString()) as FirstContent)
    : null;
}

/** Row id for encrypting: the ciphertext cannot be decrypted as another column. */
function firstRowId(requestId: string): string {
  return `${requestId}:first-approval`;
}
