import type { DocumentKind, ReviewMarks, ReviewMarksBody } from '@offizin/contracts/requests/review';
import { KEPT_MARKS } from '@offizin/contracts/requests/review-settings';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../../audit/audit.store';
import { decrypt, encrypt } from '../../crypto/encryption';

/** After an erasure. */
export const NO_MARKS: ReviewMarks = {
  issued_on: null,
  document_kind: null,
  signature_seen: false,
  prescriber_checked: false,
  dose_plausible: false,
  rest_not_needed: false,
  note: null,
  colleagues: [],
};

/** Marks belong to a person and to the version that was looked at; date, kind and note belong to the version. */
export interface MarkedVersion {
  orgId: string;
  requestId: string;
  version: number;
  /** The actor of the audit log who reads or marks. */
  actor: string;
}

interface MarksRow {
  marked_by: string;
  name: string;
  signature_seen: boolean;
  prescriber_checked: boolean;
  dose_plausible: boolean;
  rest_not_needed: boolean;
  changed_at: Date;
}

const findMarks = statement<MarksRow, [string, string, number]>(
  'review_marks_find',
  `SELECT m.marked_by, coalesce(person.name, m.marked_by) AS name, m.signature_seen, m.prescriber_checked,
     m.dose_plausible, m.rest_not_needed, m.changed_at
   FROM core.review_marks m ${joinPerson('m', 'marked_by')}
   WHERE m.org_id = $1 AND m.order_request_id = $2 AND m.version = $3
   ORDER BY m.changed_at LIMIT 100`,
);
const findNote = statement<
  { issued_on: string | null; document_kind: DocumentKind | null; note_ciphertext: Buffer | null },
  [string, string, number]
>(
  'review_notes_find',
  `SELECT issued_on::text AS issued_on, document_kind, note_ciphertext FROM core.review_notes
   WHERE org_id = $1 AND order_request_id = $2 AND version = $3`,
);
/** Null keeps a value of `$5` to `$8`. */
const mergeFlags = statement<
  never,
  [
    ...[orgId: string, requestId: string, version: number, markedBy: string],
    ...[signature: boolean | null, prescriber: boolean | null, dose: boolean | null, rest: boolean | null],
  ]
>(
  'review_marks_merge',
  `INSERT INTO core.review_marks AS m (org_id, order_request_id, version, marked_by, signature_seen,
                                       prescriber_checked, dose_plausible, rest_not_needed)
   VALUES ($1, $2, $3, $4, coalesce($5, false), coalesce($6, false), coalesce($7, false), coalesce($8, false))
   ON CONFLICT ON CONSTRAINT review_marks_pkey DO UPDATE SET
     changed_at = now(),
     signature_seen = coalesce($5, m.signature_seen),
     prescriber_checked = coalesce($6, m.prescriber_checked),
     dose_plausible = coalesce($7, m.dose_plausible),
     rest_not_needed = coalesce($8, m.rest_not_needed)`,
);
/** `$4`, `$6` and `$8` say whether the value after them replaces the stored one. */
const mergeNote = statement<
  never,
  [
    ...[orgId: string, requestId: string, version: number],
    ...[hasDate: boolean, issuedOn: string | null, hasNote: boolean, note: Buffer | null],
    ...[hasKind: boolean, kind: DocumentKind | null],
  ]
>(
  'review_notes_merge',
  `INSERT INTO core.review_notes AS n (org_id, order_request_id, version, issued_on, note_ciphertext, document_kind)
   VALUES ($1, $2, $3, $5, $7, $9)
   ON CONFLICT ON CONSTRAINT review_notes_pkey DO UPDATE SET
     issued_on = CASE WHEN $4 THEN $5 ELSE n.issued_on END,
     note_ciphertext = CASE WHEN $6 THEN $7 ELSE n.note_ciphertext END,
     document_kind = CASE WHEN $8 THEN $9 ELSE n.document_kind END`,
);

/** As the person reads them: own marks, those of colleagues, date, kind and note. */
export async function marksOf(sql: Sql, key: Buffer, of: MarkedVersion): Promise<ReviewMarks> {
  const rows = await sql.rows(findMarks, of.orgId, of.requestId, of.version);
  const [shared] = await sql.rows(findNote, of.orgId, of.requestId, of.version);
  const own = rows.find(({ marked_by: by }) => by === of.actor) ?? NO_MARKS;
  const colleagues = rows
    .filter((row) => row.marked_by !== of.actor)
    .map((row) => ({
      by: row.name,
      at: row.changed_at.toISOString(),
      marks: KEPT_MARKS.filter((mark) => row[mark]),
    }));
  const note = shared?.note_ciphertext;
  return {
    issued_on: shared?.issued_on ?? null,
    document_kind: shared?.document_kind ?? null,
    signature_seen: own.signature_seen,
    prescriber_checked: own.prescriber_checked,
    dose_plausible: own.dose_plausible,
    rest_not_needed: own.rest_not_needed,
    note: note ? decrypt(key, note, noteRowId(of)).toString() : null,
    colleagues: colleagues.filter(({ marks }) => marks.length > 0),
  };
}

/** Changes the given fields and returns all of them; concurrent changes of other fields both hold. */
export async function mergeMarks(
  tx: Sql,
  key: Buffer,
  of: MarkedVersion,
  body: ReviewMarksBody,
): Promise<ReviewMarks> {
  const { orgId, requestId, version } = of;
  const { issued_on: issuedOn, document_kind: kind, note } = body;
  const { signature_seen: signature, prescriber_checked: prescriber, dose_plausible: dose } = body;
  if (isMark(body)) {
    const flags = [
      signature ?? null,
      prescriber ?? null,
      dose ?? null,
      body.rest_not_needed ?? null,
    ] as const;
    await tx.rows(mergeFlags, orgId, requestId, version, of.actor, ...flags);
  }
  if (issuedOn !== undefined || kind !== undefined || note !== undefined) {
    const encrypted = note ? encrypt(key, Buffer.from(note), noteRowId(of)) : null;
    const date = [issuedOn !== undefined, issuedOn ?? null] as const;
    const text = [note !== undefined, encrypted] as const;
    await tx.rows(mergeNote, orgId, requestId, version, ...date, ...text, kind !== undefined, kind ?? null);
  }
  return marksOf(tx, key, of);
}

/** A change of what a person has checked, not only of date or note. */
export function isMark(body: ReviewMarksBody): boolean {
  return KEPT_MARKS.some((mark) => body[mark] !== undefined);
}

/** Row id for encrypting the note: its ciphertext cannot be decrypted as another column. */
export function noteRowId({ requestId, version }: Pick<MarkedVersion, 'requestId' | 'version'>): string {
  return `${requestId}:marks:${version}`;
}
