import type { DocumentText } from './hints';

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
