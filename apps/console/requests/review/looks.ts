import type { DocumentText } from './hints';

/** When a request may be decided: all of its parts have been before the person's eyes. Pure. */

/** How far a part of the present version has come: the review, the end of its lines, the document. */
export type Look =
  /** Not drawn yet. */
  | 'loading'
  /** Never shown: another pane was there in its place, or it was not scrolled to. */
  | 'hidden'
  /** On the screen, but not for `LOOK_MS`. */
  | 'fresh'
  | 'seen';

export type Progress = 'loading' | 'review-unseen' | 'lines-unseen' | 'document-unseen' | 'fresh' | 'armed';

/**
 * How long a part is on the screen before it counts as seen (decision 0042). A faster press was meant for the request
 * before: a double press, or one that was under way when the request changed.
 */
export const LOOK_MS = 1_000;

/** `lines`: the row after the last line. `document` is null for a request without one. */
export function progressOf(review: Look, lines: Look, document: Look | null): Progress {
  const looks = [review, lines, document];
  if (looks.includes('loading')) return 'loading';
  if (looks.includes('fresh')) return 'fresh';
  if (review === 'hidden') return 'review-unseen';
  if (lines === 'hidden') return 'lines-unseen';
  return document === 'hidden' ? 'document-unseen' : 'armed';
}

/** How far the documents of a request have come, each by its version. Pure. */
export interface DocumentState {
  paintedVersion: number | null;
  /** No PDF, or one with a page that cannot be drawn; that stays, whatever is read of its text. */
  brokenVersion: number | null;
  /** Not there in time: it counts as unreadable until it comes. */
  lateVersion: number | null;
  read: { version: number; text: string } | null;
}

/** A locked screen keeps nothing of a document. */
export const NO_DOCUMENT: DocumentState = {
  paintedVersion: null,
  brokenVersion: null,
  lateVersion: null,
  read: null,
};

/** What the checks know of the document of this version. */
export function documentOf(state: DocumentState, version: number): DocumentText {
  const { brokenVersion, lateVersion, read } = state;
  if (brokenVersion === version) return 'broken';
  if (lateVersion === version && !isThere(state, version)) return 'broken';
  return read?.version === version ? { text: read.text } : 'unread';
}

/** Whether the document is on the screen with all its checks. That it cannot be read is on the screen, too. */
export function isComplete(state: DocumentState, version: number): boolean {
  return documentOf(state, version) === 'broken' || isThere(state, version);
}

function isThere({ paintedVersion, read }: DocumentState, version: number): boolean {
  return paintedVersion === version && read?.version === version;
}
