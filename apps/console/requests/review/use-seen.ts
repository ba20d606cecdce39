import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { sentenceOf } from '../../messages/fault';
import { useLock } from '../../session/lock';
import { toasts } from '../../messages/toasts';
import { useTexts } from '../../text/texts';
import {
  documentOf,
  type DocumentState,
  hasSeenPages,
  isComplete,
  type Look,
  LOOK_MS,
  type Left,
  NO_DOCUMENT,
  papersOf,
  type Progress,
  progressOf,
  textOfAll,
} from './looks';
import { contentOf } from '../edits/first-approval';
import { usePaper } from './use-paper';
import { type DocumentKey, fetchDocumentAgain, noteView } from './requests.calls';

export type RequestDocument = ReviewDetail['documents'][number];

/**
 * Which parts of the present content the person has viewed. Nothing is decided before the review, the end of its lines,
 * all pages of each document and all pieces of them have been on the screen. A person may state that further pages are
 * not needed.
 */
export function useSeen(detail: ReviewDetail, shownPane: 'review' | 'document', amberDays: number) {
  const { id, documents, marks } = detail;
  const [openedAtMs] = useState(() => Date.now());
  const isBeside = useIsBeside();
  const isDocumentShown = isBeside || shownPane === 'document';
  const isReviewShown = isBeside || shownPane === 'review';
  const { stateOf, onChange } = useDocumentStates();
  const [chosen, onChoose] = useState<number | null>(null);
  const current = documents.find(({ number }) => number === chosen) ?? documents[0] ?? null;
  const content = JSON.stringify(contentOf(detail));
  const review = useLook(content, true, isReviewShown);
  const end = useReached(content);
  const lines = useLook(content, true, isReviewShown && end.isReached);
  const isStored = current?.state === 'stored';
  const isDrawn = isStored && isComplete(stateOf(current));
  const read = useLook(current ? keyOf(current) : '', isDrawn, isDocumentShown);
  useNotedViews(id, isDrawn && isDocumentShown ? current : null);
  const stored = documents.filter(({ state }) => state === 'stored');
  const hasSeen = (one: DocumentKey) => read.seen.includes(keyOf(one));
  const prescriptions = stored.filter(({ kind }) => kind === 'prescription');
  const states = prescriptions.map(stateOf);
  const document = textOfAll(states);
  const paper = usePaper(detail, papersOf(states), { nowMs: openedAtMs, amberDays });
  const left = (): Left => {
    if (stored.some((one) => one !== current && !hasSeen(one))) return 'documents-unseen';
    if (prescriptions.length > 0 && paper.left !== null) return paper.left;
    const hasPages = stored.every((one) => hasSeenPages(stateOf(one)));
    return hasPages || marks.rest_not_needed ? null : 'pages-unseen';
  };
  const progress: Progress = progressOf(review.look, lines.look, isStored ? read.look : null, left());
  // Whether a document of one page has been seen is not asked by page.
  const pages = stored.map((one) => stateOf(one).pages).filter(({ count }) => count > 1);
  return {
    progress,
    document,
    /** The prescription for which `document` has no text, where the request has further documents. */
    unread:
      documents.length > 1 ? prescriptions.find((one) => documentOf(stateOf(one)) === document) : undefined,
    openedAtMs,
    pages: {
      count: pages.reduce((sum, { count }) => sum + count, 0),
      seen: pages.flatMap(({ seen }) => seen),
    },
    paper,
    pane: { detail, paper, current, onChoose, hasSeen, stateOf, onChange, isShown: isDocumentShown },
    isReviewShown,
    linesEnd: end.ref,
  };
}

function keyOf({ number, version }: DocumentKey): string {
  return `${number} ${version}`;
}

const NO_STATES: Readonly<Record<string, DocumentState>> = {};

/** A locked screen keeps nothing of any document. */
function useDocumentStates() {
  const [states, setStates] = useState(NO_STATES);
  const isLocked = useLock() !== null;
  if (isLocked && states !== NO_STATES) setStates(NO_STATES);
  const onChange = useCallback((document: DocumentKey, change: (state: DocumentState) => DocumentState) => {
    const key = keyOf(document);
    setStates((before) => ({ ...before, [key]: change(before[key] ?? NO_DOCUMENT) }));
  }, []);
  return { onChange, stateOf: (document: DocumentKey) => states[keyOf(document)] ?? NO_DOCUMENT };
}

/** Documents are fetched ahead; this notes, once for each, that one is really on the screen. */
function useNotedViews(id: string, shown: DocumentKey | null): void {
  const noted = useRef(new Set<string>());
  const { number, version } = shown ?? {};
  useEffect(() => {
    if (number === undefined || version === undefined) return;
    const document = { number, version };
    if (noted.current.has(keyOf(document))) return;
    noted.current.add(keyOf(document));
    // A failure of this note must not stop the work; the fetch itself is in the audit log already.
    noteView(id, document).catch(() => undefined);
  }, [id, number, version]);
}

/** Whether there is room for the document beside the review; requests.module.css has the same width. */
function useIsBeside(): boolean {
  return useSyncExternalStore(onWide, () => matchMedia(WIDE).matches);
}

const WIDE = '(min-width: 1080px)';

function onWide(listener: () => void): () => void {
  const wide = matchMedia(WIDE);
  wide.addEventListener('change', listener);
  return () => {
    wide.removeEventListener('change', listener);
  };
}

/**
 * Follows one part of the request in its present state `of`, and which states have been seen. `isDrawn`: it has its
 * content; `isShown`: no other pane is there in its place.
 */
function useLook(of: string, isDrawn: boolean, isShown: boolean): { look: Look; seen: readonly string[] } {
  const [seen, setSeen] = useState<readonly string[]>([]);
  const isOnScreen = isDrawn && isShown;
  useEffect(() => {
    if (!isOnScreen) return undefined;
    let timer: number | undefined;
    const stop = afterPaint(() => {
      timer = window.setTimeout(() => {
        setSeen((before) => (before.includes(of) ? before : [...before, of]));
      }, LOOK_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [of, isOnScreen]);
  // In a very low window a document is drawn only when it is shown.
  const isSeen = isDrawn && seen.includes(of);
  const shown = isDrawn ? 'fresh' : 'loading';
  return { look: isSeen ? 'seen' : isShown ? shown : 'hidden', seen };
}

/** Whether an element of the state `of` has been within the window. Give `ref` to the element. */
function useReached(of: string) {
  const [element, ref] = useState<Element | null>(null);
  const [reached, setReached] = useState<string | null>(null);
  useEffect(() => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setReached(of);
      },
      { threshold: 0.5 },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [element, of]);
  return { ref, isReached: reached === of };
}

/** Two frames later, what React has drawn is on the screen. Returns what takes the call back. */
function afterPaint(run: () => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(run);
  });
  return () => {
    cancelAnimationFrame(frame);
  };
}

/** What a request adds to the document beside it. */

/** A document that is never drawn must not stop the work. */
const DRAWN_WITHIN_MS = 20_000;

/** Calls `onLate` after that time without another `part`; it must be the same function in each render. */
export function useLate(isWaiting: boolean, onLate: () => void, part: unknown): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = window.setTimeout(onLate, DRAWN_WITHIN_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [isWaiting, onLate, part]);
}

/** Asks for a document again whose fetch has failed. */
export function useFetchAgain(id: string): () => void {
  const texts = useTexts();
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => fetchDocumentAgain(id),
    onError: (error) => {
      toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  return () => {
    mutate();
  };
}
