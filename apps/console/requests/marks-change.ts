import type { ReviewMarks, ReviewMarksBody } from '@offizin/contracts/review';

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
