/** When a request may be decided: both of its parts have been before the person's eyes. Pure. */

/** How far a part, review or document, of the present version has come. */
export type Look =
  /** Not drawn yet. */
  | 'loading'
  /** Never shown: the other pane was there in its place. */
  | 'hidden'
  /** On the screen, but not for `LOOK_MS`. */
  | 'fresh'
  | 'seen';

export type Progress = 'loading' | 'review-unseen' | 'document-unseen' | 'fresh' | 'armed';

/**
 * How long a part is on the screen before it counts as seen (decision 0042). A faster press was meant for the request
 * before: a double press, or one that was under way when the request changed.
 */
export const LOOK_MS = 1_000;

/** `document` is null for a request without one. */
export function progressOf(review: Look, document: Look | null): Progress {
  const looks = [review, document];
  if (looks.includes('loading')) return 'loading';
  if (looks.includes('fresh')) return 'fresh';
  if (review === 'hidden') return 'review-unseen';
  return document === 'hidden' ? 'document-unseen' : 'armed';
}
