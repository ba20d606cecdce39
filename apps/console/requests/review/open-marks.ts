import type {
  DocumentKind,
  ReviewDetail,
  ReviewMarks,
  ReviewMarksBody,
} from '@offizin/contracts/requests/review';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';

export const MARK_NAMES = ['signature_seen', 'prescriber_checked', 'dose_plausible'] as const;
export type MarkName = (typeof MARK_NAMES)[number];

/** A printout of an e-prescription has no signature. */
export function isAsked(name: MarkName, kind: DocumentKind | null): boolean {
  return name !== 'signature_seen' || kind !== 'electronic';
}

/** The marks that a request still needs, by the organization's settings and the kind of its document. */
export function openMarks(
  { lines, marks }: Pick<ReviewDetail, 'lines' | 'marks'>,
  asked: Pick<ReviewSettings, 'marks' | 'marks_only_for_thc'>,
  kind: DocumentKind | null,
): MarkName[] {
  const hasThc = lines.some(({ thc }) => thc !== null && Number(thc.replace(',', '.')) > 0);
  if (!hasThc && asked.marks_only_for_thc) return [];
  return asked.marks.filter((name) => !marks[name] && isAsked(name, kind));
}

/** Marks that are shown before the server has answered. Pure. */

/** With the change: the box moves in the frame of the key press. */
export function withChange(marks: ReviewMarks, { version: _, ...change }: ReviewMarksBody): ReviewMarks {
  return { ...marks, ...change };
}

/** The change was refused: its fields are as before, and what was changed since stays. */
export function withoutChange(marks: ReviewMarks, change: ReviewMarksBody, before: ReviewMarks): ReviewMarks {
  const changed = Object.entries(before).filter(([name]) => name in change);
  return { ...marks, ...Object.fromEntries(changed) };
}
