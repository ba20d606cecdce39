import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { sentenceOf } from '../../messages/fault';
import { useLock } from '../../session/lock';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { useTexts } from '../../text/texts';
import type { Failure } from '../document/pdf';
import {
  documentOf,
  hasSeenPages,
  isComplete,
  type Look,
  LOOK_MS,
  NO_DOCUMENT,
  type Progress,
  progressOf,
  withPageSeen,
} from './looks';
import { placesIn, type Wanted } from './findings';
import { contentOf } from './first-approval';
import { wantedOf } from './hints';
import { documentAddress, fetchDocumentAgain, noteView, requestDocument } from './requests.calls';

/**
 * What of the present content the person has had before the eyes. Nothing is decided before review, the end of its lines and
 * all pages of the document have been on the screen; a person may say that the further pages are not needed.
 */
export function useSeen(detail: ReviewDetail, shownPane: 'review' | 'document') {
  const { id, version, prescription } = detail;
  const [openedAtMs] = useState(() => Date.now());
  const isStored = prescription?.state === 'stored';
  const isBeside = useIsBeside();
  const isDocumentShown = isBeside || shownPane === 'document';
  const { isDrawn, document, hasPages, pages, pane } = useDocument(detail, isDocumentShown);
  const isReviewShown = isBeside || shownPane === 'review';
  const content = JSON.stringify(contentOf(detail));
  const review = useLook(content, true, isReviewShown);
  const end = useReached(content);
  const lines = useLook(content, true, isReviewShown && end.isReached);
  const read = useLook(String(version), isDrawn, isDocumentShown);
  useNotedView(id, isStored && isDrawn && isDocumentShown ? version : null);
  const isEnough = hasPages || detail.marks.rest_not_needed;
  const progress: Progress = progressOf(review, lines, isStored ? read : null, !isStored || isEnough);
  return { progress, document, openedAtMs, pages, pane, isReviewShown, linesEnd: end.ref };
}

/** The document of the present version: its pane, its text, and whether it is there with its checks. */
function useDocument(detail: ReviewDetail, isShown: boolean) {
  const texts = useTexts().requests;
  const { org } = useSession();
  const client = useQueryClient();
  const { id, version, prescription } = detail;
  const [state, setState] = useState(NO_DOCUMENT);
  const isStored = prescription?.state === 'stored';
  const isLocked = useLock() !== null;
  const load = useMemo(
    // A locked screen keeps no document in memory.
    () => (isStored && !isLocked ? () => client.query(requestDocument(org.id, id, version)) : null),
    [isStored, isLocked, client, org.id, id, version],
  );
  if (isLocked && state !== NO_DOCUMENT) setState(NO_DOCUMENT);
  const isDrawn = isComplete(state, version);
  const onPainted = useCallback(() => {
    setState((before) => ({ ...before, paintedVersion: version }));
  }, [version]);
  const onText = useCallback(
    (text: string) => {
      setState((before) => ({ ...before, read: { version, text } }));
    },
    [version],
  );
  const onFailed = useCallback(
    (why: Failure) => {
      setState((before) => ({ ...before, failed: { version, why } }));
    },
    [version],
  );
  const onOpened = useCallback(
    (count: number) => {
      setState((before) => ({ ...before, pages: { version, count, seen: [] } }));
    },
    [version],
  );
  const onPageSeen = useCallback(
    (number: number) => {
      setState((before) => withPageSeen(before, version, number));
    },
    [version],
  );
  const onLate = useCallback(() => {
    setState((before) => ({ ...before, lateVersion: version }));
  }, [version]);
  useLate(load !== null && !isDrawn, onLate);
  const isComing = prescription?.state === 'waiting';
  const missing = prescription ? texts.documentState[isComing ? 'waiting' : 'failed'] : texts.noDocument;
  const onAgain = useFetchAgain(id);
  const placesIn = usePlacesIn(detail);
  const address = documentAddress(org.id, id, version);
  const isFailed = prescription?.state === 'failed';
  const isBusy = load !== null && !isDrawn;
  const document = documentOf(state, version);
  const shown = { load, isBusy, isShown, isLate: document === 'late', missing, address, placesIn };
  const pane = { ...shown, onAgain: isFailed ? onAgain : null };
  return {
    isDrawn,
    document,
    hasPages: hasSeenPages(state, version),
    pages: state.pages.version === version ? state.pages : NO_DOCUMENT.pages,
    pane: { ...pane, onOpened, onPainted, onPageSeen, onText, onFailed },
  };
}

/** Documents are fetched ahead; this notes, once per version, that one is really on the screen. */
function useNotedView(id: string, shownVersion: number | null): void {
  const { org } = useSession();
  const [noted, setNoted] = useState<number | null>(null);
  if (shownVersion !== null && noted !== shownVersion) setNoted(shownVersion);
  useEffect(() => {
    // A failure of this note must not stop the work; the fetch itself is in the audit log already.
    if (noted !== null) noteView(org.id, id).catch(() => undefined);
  }, [noted, org.id, id]);
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

/** Follows one part of the request in its present state `of`. `isDrawn`: it has its content; `isShown`: no other pane is there in its place. */
function useLook(of: string, isDrawn: boolean, isShown: boolean): Look {
  const [seen, setSeen] = useState<string | null>(null);
  const isOnScreen = isDrawn && isShown;
  useEffect(() => {
    if (!isOnScreen) return undefined;
    let timer: number | undefined;
    const stop = afterPaint(() => {
      timer = window.setTimeout(() => {
        setSeen(of);
      }, LOOK_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [of, isOnScreen]);
  // In a very low window a document is drawn only when it is shown.
  if (!isDrawn) return isShown ? 'loading' : 'hidden';
  if (seen === of) return 'seen';
  return isShown ? 'fresh' : 'hidden';
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

/** Calls `onLate` after that time; it must be the same function in each render. */
function useLate(isWaiting: boolean, onLate: () => void): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = window.setTimeout(onLate, DRAWN_WITHIN_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [isWaiting, onLate]);
}

/** Places of name and medicines in the text of a page. */
function usePlacesIn(detail: ReviewDetail) {
  const wanted = JSON.stringify(wantedOf(detail));
  return useCallback((text: string) => placesIn(text, JSON.parse(wanted) as Wanted), [wanted]);
}

/** Asks for a document again whose fetch has failed. */
function useFetchAgain(id: string): () => void {
  const texts = useTexts();
  const { org } = useSession();
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => fetchDocumentAgain(org.id, id),
    onError: (error) => {
      toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  return () => {
    mutate();
  };
}
