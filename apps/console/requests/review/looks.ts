import type { Failure } from '../document/pdf';
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

export type Progress =
  ('loading' | 'review-unseen' | 'lines-unseen' | 'document-unseen' | 'pages-unseen') | ('fresh' | 'armed');

/**
 * How long a part is on the screen before it counts as seen (decision 0042). A faster press was meant for the request
 * before: a double press, or one that was under way when the request changed.
 */
export const LOOK_MS = 1_000;

/** `lines`: the row after the last line. `document` is null for a request without one; `hasPages`: no page is left. */
export function progressOf(review: Look, lines: Look, document: Look | null, hasPages: boolean): Progress {
  const looks = [review, lines, document];
  if (looks.includes('loading')) return 'loading';
  if (looks.includes('fresh')) return 'fresh';
  if (review === 'hidden') return 'review-unseen';
  if (lines === 'hidden') return 'lines-unseen';
  if (document === 'hidden') return 'document-unseen';
  return hasPages ? 'armed' : 'pages-unseen';
}

/** How far the documents of a request have come, each by its version. Pure. */
export interface DocumentState {
  paintedVersion: number | null;
  /** It stays so, whatever is read of its text. */
  failed: { version: number; why: Failure } | null;
  /** Too late: the page goes on without the document until it arrives. */
  lateVersion: number | null;
  /** `seen`: numbers of the pages that have been on the screen. */
  pages: { version: number; count: number; seen: readonly number[] };
  read: { version: number; text: string } | null;
}

/** A locked screen keeps nothing of a document. */
export const NO_DOCUMENT: DocumentState = {
  paintedVersion: null,
  failed: null,
  lateVersion: null,
  pages: { version: 0, count: 0, seen: [] },
  read: null,
};

/** What the checks know of the document of this version. */
export function documentOf(state: DocumentState, version: number): DocumentText {
  const { failed, lateVersion, read } = state;
  if (failed?.version === version) return failed.why;
  if (lateVersion === version && !isThere(state, version)) return 'late';
  return read?.version === version ? { text: read.text } : 'unread';
}

/** Whether the document is on the screen with all its checks. That it cannot be read is on the screen, too. */
export function isComplete(state: DocumentState, version: number): boolean {
  const document = documentOf(state, version);
  return (typeof document === 'string' && document !== 'unread') || isThere(state, version);
}

/** Whether no page is left to be seen. Missing for a document that is not drawn. */
export function hasSeenPages(state: DocumentState, version: number): boolean {
  const { pages } = state;
  if (typeof documentOf(state, version) === 'string' || pages.version !== version) return true;
  return pages.count <= 1 || pages.seen.length >= pages.count;
}

export function withPageSeen(state: DocumentState, version: number, number: number): DocumentState {
  const { pages } = state;
  if (pages.version !== version || pages.seen.includes(number)) return state;
  return { ...state, pages: { ...pages, seen: [...pages.seen, number] } };
}

function isThere({ paintedVersion, read }: DocumentState, version: number): boolean {
  return paintedVersion === version && read?.version === version;
}
