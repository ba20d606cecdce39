import type { Failure } from '../document/pdf';
import type { DocumentText } from '../hints/hints';
import type { ReadPaper } from '../paper/read-paper';

/** When a request may be decided: all of its parts have been before the person's eyes. Pure. */

/** How far a part of the request has come: the review, the end of its lines, a document. */
export type Look =
  /** Not drawn yet. */
  | 'loading'
  /** Never shown: another pane was there in its place, or it was not scrolled to. */
  | 'hidden'
  /** On the screen, but not for `LOOK_MS`. */
  | 'fresh'
  | 'seen';

export type Progress =
  | ('loading' | 'review-unseen' | 'lines-unseen' | 'document-unseen' | 'documents-unseen' | 'pages-unseen')
  | ('crops-unseen' | 'fresh' | 'armed');

/**
 * How long a part is on the screen before it counts as seen (decision 0042). A faster press was meant for the request
 * before: a double press, or one that was under way when the request changed.
 */
export const LOOK_MS = 1_000;

/** What of the documents was not seen yet; `loading`: their pieces are still being looked for. */
export type Left = 'documents-unseen' | 'loading' | 'crops-unseen' | 'pages-unseen' | null;

/** `lines`: the row after the last line. `document` is null without one. */
export function progressOf(review: Look, lines: Look, document: Look | null, left: Left): Progress {
  const looks = [review, lines, document];
  if (looks.includes('loading')) return 'loading';
  if (looks.includes('fresh')) return 'fresh';
  if (review === 'hidden') return 'review-unseen';
  if (lines === 'hidden') return 'lines-unseen';
  if (document === 'hidden') return 'document-unseen';
  return left ?? 'armed';
}

/** How far one document has come. Pure. */
export interface DocumentState {
  isPainted: boolean;
  /** It stays so, whatever is read of its text. */
  failed: Failure | null;
  /** Too late: the page goes on without the document until it arrives. */
  isLate: boolean;
  /** `seen`: numbers of the pages that have been on the screen. */
  pages: { count: number; seen: readonly number[] };
  /** As far as it was read; the words of all of it are `text`. */
  paper: ReadPaper | null;
  text: string | null;
}

/** A locked screen keeps nothing of a document. */
export const NO_DOCUMENT: DocumentState = {
  isPainted: false,
  failed: null,
  isLate: false,
  pages: { count: 0, seen: [] },
  paper: null,
  text: null,
};

/** What the checks know of a document. */
export function documentOf(state: DocumentState): DocumentText {
  const { failed, isLate, text } = state;
  if (failed) return failed;
  if (isLate && !isThere(state)) return 'late';
  return text === null ? 'unread' : { text };
}

/** What the checks know of all prescriptions: the text of all, or why one has none. */
export function textOfAll(states: readonly DocumentState[]): DocumentText {
  const all = states.map(documentOf);
  const unread = all.filter((one) => typeof one === 'string');
  const why = unread.find((one) => one !== 'unread') ?? unread[0];
  return why ?? { text: all.flatMap((one) => (typeof one === 'string' ? [] : one.text)).join('\f') };
}

/** The pages of the prescriptions that were read so far. */
export interface ReadPapers {
  papers: readonly ReadPaper[];
  /** More will come. */
  isOpen: boolean;
}

export function papersOf(states: readonly DocumentState[]): ReadPapers {
  return {
    papers: states.flatMap(({ paper }) => paper ?? []),
    isOpen: states.some((state) => documentOf(state) === 'unread'),
  };
}

/** Whether the document is on the screen with all its checks. That it cannot be read is on the screen, too. */
export function isComplete(state: DocumentState): boolean {
  const document = documentOf(state);
  return (typeof document === 'string' && document !== 'unread') || isThere(state);
}

/** Whether no page is left to be seen. Missing for a document that is not drawn. */
export function hasSeenPages(state: DocumentState): boolean {
  const { count, seen } = state.pages;
  return typeof documentOf(state) === 'string' || count <= 1 || seen.length >= count;
}

export function withPageSeen(state: DocumentState, number: number): DocumentState {
  const { pages } = state;
  if (pages.seen.includes(number)) return state;
  return { ...state, pages: { ...pages, seen: [...pages.seen, number] } };
}

function isThere({ isPainted, text }: DocumentState): boolean {
  return isPainted && text !== null;
}
