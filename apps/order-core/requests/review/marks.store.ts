import type { DocumentKind, ReviewMarks, ReviewMarksBody } from '@offizin/contracts/requests/review';
import { KEPT_MARKS, type KeptMark } from '@offizin/contracts/requests/review-settings';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../../audit/audit.store';
import { decrypt, encrypt } from '../../crypto/encryption';
import type { ReviewMarksEntity, ReviewNotesEntity } from '../../db/request-entities';

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

type MarksRow = Pick<ReviewMarksEntity, KeptMark | 'marked_by' | 'changed_at'> & { name: string };

const findMarks = statement<MarksRow, [string, string, number]>(
  'review_marks_find',
  `SELECT m.marked_by, coalesce(person.name, m.marked_by) AS name, m.signature_seen, m.prescriber_checked,
     m.dose_plausible, m.rest_not_needed, m.changed_at
   FROM core.review_marks m ${joinPerson('m', 'marked_by')}
   WHERE m.org_id = $1 AND m.order_request_id = $2 AND m.version = $3
   ORDER BY m.changed_at LIMIT 100`,
);
const findNote = statement<
  Pick<ReviewNotesEntity, 'document_kind' | 'note_ciphertext'> & { issued_on: string | null },
  [string, string, number]
>(
  'review_notes_find',
  `SELECT issued_on::text AS issued_on, document_kind, note_ciphertext FROM core.review_notes
   WHERE org_id = $1 AND order_request_id = $2 AND version = $3`,
);
/** A mark that is null keeps its value. */
const mergeFlags = statement<
  never,
  MarkedVersion & {
    signature: boolean | null;
    prescriber: boolean | null;
    dose: boolean | null;
    rest: boolean | null;
  }
>(
  'review_marks_merge',
  `INSERT INTO core.review_marks AS m (org_id, order_request_id, version, marked_by, signature_seen,
                                       prescriber_checked, dose_plausible, rest_not_needed)
   VALUES ($orgId, $requestId, $version, $actor, coalesce($signature, false), coalesce($prescriber, false),
           coalesce($dose, false), coalesce($rest, false))
   ON CONFLICT ON CONSTRAINT review_marks_pkey DO UPDATE SET
     changed_at = now(),
     signature_seen = coalesce($signature, m.signature_seen),
     prescriber_checked = coalesce($prescriber, m.prescriber_checked),
     dose_plausible = coalesce($dose, m.dose_plausible),
     rest_not_needed = coalesce($rest, m.rest_not_needed)`,
);
/** `hasDate`, `hasNote` and `hasKind`: the value replaces the stored one. */
const mergeNote = statement<
  never,
  Omit<MarkedVersion, 'actor'> & {
    hasDate: boolean;
    issuedOn: string | null;
    hasNote: boolean;
    note: Buffer | null;
    hasKind: boolean;
    kind: DocumentKind | null;
  }
>(
  'review_notes_merge',
  `INSERT INTO core.review_notes AS n (org_id, order_request_id, version, issued_on, note_ciphertext, document_kind)
   VALUES ($orgId, $requestId, $version, $issuedOn, $note, $kind)
   ON CONFLICT ON CONSTRAINT review_notes_pkey DO UPDATE SET
     issued_on = CASE WHEN $hasDate THEN $issuedOn ELSE n.issued_on END,
     note_ciphertext = CASE WHEN $hasNote THEN $note ELSE n.note_ciphertext END,
     document_kind = CASE WHEN $hasKind THEN $kind ELSE n.document_kind END`,
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
  const { issued_on: issuedOn, document_kind: kind, note } = body;
  if (isMark(body)) {
    await tx.rows(mergeFlags, {
      ...of,
      signature: body.signature_seen ?? null,
      prescriber: body.prescriber_checked ?? null,
      dose: body.dose_plausible ?? null,
      rest: body.rest_not_needed ?? null,
    });
  }
  if (issuedOn !== undefined || kind !== undefined || note !== undefined) {
    await tx.rows(mergeNote, {
      ...of,
      hasDate: issuedOn !== undefined,
      issuedOn: issuedOn ?? null,
      hasNote: note !== undefined,
      note: note ? encrypt(key, Buffer.from(note), noteRowId(of)) : null,
      hasKind: kind !== undefined,
      kind: kind ?? null,
    });
  }
  return marksOf(tx, key, of);
}

/** Of an accepted offer: the documents are the same, the lines are others, so that a dose has to be checked again. */
const keep = statement<never, [orgId: string, requestId: string, version: number]>(
  'review_marks_keep',
  `WITH marks AS (
     INSERT INTO core.review_marks (org_id, order_request_id, version, marked_by, signature_seen, prescriber_checked, changed_at)
     SELECT org_id, order_request_id, $3 + 1, marked_by, signature_seen, prescriber_checked, changed_at FROM core.review_marks
     WHERE org_id = $1 AND order_request_id = $2 AND version = $3 AND (signature_seen OR prescriber_checked)
   )
   INSERT INTO core.review_notes (org_id, order_request_id, version, issued_on, document_kind)
   SELECT org_id, order_request_id, $3 + 1, issued_on, document_kind FROM core.review_notes
   WHERE org_id = $1 AND order_request_id = $2 AND version = $3 AND num_nonnulls(issued_on, document_kind) > 0`,
);

/** The next version gets the marks of this one that are about its documents. */
export async function keepDocumentMarks(
  tx: Sql,
  { orgId, requestId, version }: Omit<MarkedVersion, 'actor'>,
): Promise<void> {
  await tx.rows(keep, orgId, requestId, version);
}

/** A change of what a person has checked, not only of date or note. */
export function isMark(body: ReviewMarksBody): boolean {
  return KEPT_MARKS.some((mark) => body[mark] !== undefined);
}

/** Row id for encrypting the note: its ciphertext cannot be decrypted as another column. */
export function noteRowId({ requestId, version }: Pick<MarkedVersion, 'requestId' | 'version'>): string {
  return `${requestId}:marks:${version}`;
}
