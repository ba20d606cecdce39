import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { type Edits, TEXT_FIELDS } from './edits';

/** The first of two approvals on the screen. Pure. */

/** It waits for the second. */
export function waitingFirst({
  status,
  first_approval: first,
}: Pick<ReviewDetail, 'status' | 'first_approval'>): ReviewDetail['first_approval'] {
  return status === 'pending' ? first : null;
}

/** What edits and looks belong to: a first approval may change the content without a new version of the partner. */
export interface Content {
  version: number;
  /** Of the first approval that waits; null without one. */
  firstAt: string | null;
}

export function contentOf(detail: Pick<ReviewDetail, 'version' | 'status' | 'first_approval'>): Content {
  return { version: detail.version, firstAt: waitingFirst(detail)?.at ?? null };
}

export function isSameContent(one: Content, other: Content): boolean {
  return one.version === other.version && one.firstAt === other.firstAt;
}

/** What the first person has changed: the second one sees and approves exactly that. */
export function editsOfFirst(detail: ReviewDetail): Edits | null {
  const first = waitingFirst(detail);
  const approved = first?.corrections?.approved;
  if (!first || !approved) return null;
  const texts = Object.fromEntries(
    [...TEXT_FIELDS, 'shipping_option', 'total_amount'].flatMap((field) =>
      field in approved ? [[field, approved[field]]] : [],
    ),
  ) as Edits;
  return first.lines ? { ...texts, lines: first.lines } : texts;
}
