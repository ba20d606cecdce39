import type { ReviewMarks, ReviewMarksBody } from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../../audit/audit.store';
import { decrypt, encrypt } from '../../crypto/encryption';

/** After an erasure. */
export const NO_MARKS: ReviewMarks = {
  issued_on: null,
  signature_seen: false,
  prescriber_checked: false,
  dose_plausible: false,
  note: null,
  by: null,
  at: null,
};

/** One row per request and version: marks belong to the prescription that was looked at. */

interface MarksRow {
  issued_on: string | null;
  signature_seen: boolean;
  prescriber_checked: boolean;
  dose_plausible: boolean;
  note_ciphertext: Buffer | null;
  changed_by: string;
  changed_at: Date;
}

/** The request with the version that is marked. */
export interface MarkedVersion {
  orgId: string;
  requestId: string;
  version: number;
}

const find = statement<MarksRow, [string, string, number]>(
  'review_marks_find',
  `SELECT m.issued_on::text AS issued_on, m.signature_seen, m.prescriber_checked, m.dose_plausible, m.note_ciphertext,
     coalesce(person.name, m.changed_by) AS changed_by, m.changed_at
   FROM core.review_marks m ${joinPerson('m', 'changed_by')}
   WHERE m.org_id = $1 AND m.order_request_id = $2 AND m.version = $3`,
);
/** Null keeps a value of `$5` to `$7`; `$8` and `$10` say whether the value after them replaces the stored one. */
const merge = statement<
  never,
  [
    ...[orgId: string, requestId: string, version: number, changedBy: string],
    ...[signature: boolean | null, prescriber: boolean | null, dose: boolean | null],
    ...[hasDate: boolean, issuedOn: string | null, hasNote: boolean, note: Buffer | null],
  ]
>(
  'review_marks_merge',
  `INSERT INTO core.review_marks AS m (org_id, order_request_id, version, changed_by, signature_seen, prescriber_checked,
                                       dose_plausible, issued_on, note_ciphertext)
   VALUES ($1, $2, $3, $4, coalesce($5, false), coalesce($6, false), coalesce($7, false), $9, $11)
   ON CONFLICT ON CONSTRAINT review_marks_pkey DO UPDATE SET
     changed_by = $4, changed_at = now(),
     signature_seen = coalesce($5, m.signature_seen),
     prescriber_checked = coalesce($6, m.prescriber_checked),
     dose_plausible = coalesce($7, m.dose_plausible),
     issued_on = CASE WHEN $8 THEN $9 ELSE m.issued_on END,
     note_ciphertext = CASE WHEN $10 THEN $11 ELSE m.note_ciphertext END`,
);

/** The date of issue and the note stay: they are no marks. */
const clear = statement<never, [string, string, number]>(
  'review_marks_clear',
  `UPDATE core.review_marks SET signature_seen = false, prescriber_checked = false, dose_plausible = false
   WHERE org_id = $1 AND order_request_id = $2 AND version = $3`,
);
const setAgain = statement<never, [string, string, number, boolean, boolean, boolean]>(
  'review_marks_set_again',
  `UPDATE core.review_marks SET signature_seen = signature_seen OR $4, prescriber_checked = prescriber_checked OR $5,
          dose_plausible = dose_plausible OR $6
   WHERE org_id = $1 AND order_request_id = $2 AND version = $3`,
);

/** All unset when nobody has marked the version. */
export async function marksOf(sql: Sql, key: Buffer, of: MarkedVersion): Promise<ReviewMarks> {
  const [row] = await sql.rows(find, of.orgId, of.requestId, of.version);
  return shown(row, key, of);
}

/** Changes the given fields and returns all of them; concurrent changes of other fields both hold. */
export async function mergeMarks(
  tx: Sql,
  key: Buffer,
  of: MarkedVersion,
  { body, changedBy }: { body: ReviewMarksBody; changedBy: string },
): Promise<ReviewMarks> {
  const { issued_on: issuedOn, note } = body;
  const flags = [body.signature_seen, body.prescriber_checked, body.dose_plausible] as const;
  const [signature = null, prescriber = null, dose = null] = flags;
  const sealed = note ? encrypt(key, Buffer.from(note), noteRowId(of)) : null;
  await tx.rows(
    merge,
    ...([of.orgId, of.requestId, of.version, changedBy, signature, prescriber, dose] as const),
    ...([issuedOn !== undefined, issuedOn ?? null, note !== undefined, sealed] as const),
  );
  return marksOf(tx, key, of);
}

export async function unmark(tx: Sql, of: MarkedVersion): Promise<void> {
  await tx.rows(clear, of.orgId, of.requestId, of.version);
}

/** Sets again what was set in `marks`. */
export async function remark(tx: Sql, of: MarkedVersion, marks: ReviewMarks): Promise<void> {
  const { signature_seen, prescriber_checked, dose_plausible } = marks;
  const flags = [signature_seen, prescriber_checked, dose_plausible] as const;
  await tx.rows(setAgain, of.orgId, of.requestId, of.version, ...flags);
}

function shown(row: MarksRow | undefined, key: Buffer, of: MarkedVersion): ReviewMarks {
  const { issued_on = null, note_ciphertext: note = null, changed_by: by = null } = row ?? {};
  const { signature_seen = false, prescriber_checked = false, dose_plausible = false } = row ?? {};
  return {
    issued_on,
    signature_seen,
    prescriber_checked,
    dose_plausible,
    note: note ? decrypt(key, note, noteRowId(of)).toString() : null,
    by,
    at: row?.changed_at.toISOString() ?? null,
  };
}

/** Row id for encrypting the note: its ciphertext cannot be decrypted as another column. */
function noteRowId({ requestId, version }: MarkedVersion): string {
  return `${requestId}:marks:${version}`;
}
