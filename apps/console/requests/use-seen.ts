import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReviewDetail } from '@offizin/contracts/review';
import { useLock } from '../shell/lock';
import { useSession } from '../shell/session.calls';
import { useTexts } from '../text/texts';
import { type Progress, progressOf } from './armed';
import { documentOf, isComplete, NO_DOCUMENT } from './document-state';
import { documentAddress, noteView, requestDocument } from './requests.calls';
import { contentOf } from './first-approval';
import { useFetchAgain, useLate, usePlacesIn } from './use-document';
import { useLook, useReached } from './use-look';

/**
 * What of the present content the person has had before the eyes. Nothing is decided before review, the end of its lines and
 * the document have been on the screen; a request without a document has only its review.
 */
export function useSeen(detail: ReviewDetail, shownPane: 'review' | 'document') {
  const { id, version, prescription } = detail;
  const [openedAtMs] = useState(() => Date.now());
  const isStored = prescription?.state === 'stored';
  const { isDrawn, document, pane } = useDocument(detail);
  const isBeside = useIsBeside();
  const isDocumentShown = isBeside || shownPane === 'document';
  const isReviewShown = isBeside || shownPane === 'review';
  const content = JSON.stringify(contentOf(detail));
  const review = useLook(content, true, isReviewShown);
  const end = useReached(content);
  const lines = useLook(content, true, isReviewShown && end.isReached);
  const read = useLook(String(version), isDrawn, isDocumentShown);
  useNotedView(id, isStored && isDrawn && isDocumentShown ? version : null);
  const progress: Progress = progressOf(review, lines, isStored ? read : null);
  return { progress, document, openedAtMs, pane, isReviewShown, linesEnd: end.ref };
}

/** The document of the present version: its pane, its text, and whether it is there with its checks. */
function useDocument(detail: ReviewDetail) {
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
  const onBroken = useCallback(() => {
    setState((before) => ({ ...before, brokenVersion: version }));
  }, [version]);
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
  const pane = { load, isBusy, missing, onAgain: isFailed ? onAgain : null, address, placesIn };
  return { isDrawn, document: documentOf(state, version), pane: { ...pane, onPainted, onText, onBroken } };
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
