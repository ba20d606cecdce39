import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { ReviewDetail } from '@offizin/contracts/review';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import { foundWordsIn, type Wanted } from './findings';
import { wantedOf } from './hints';
import { fetchDocumentAgain } from './requests.calls';

/** What a request adds to the document beside it. */

/** A document that is never drawn must not stop the work: it counts as one that cannot be read. */
const DRAWN_WITHIN_MS = 20_000;

/** Calls `onLate` after that time; it must be the same function in each render. */
export function useLate(isWaiting: boolean, onLate: () => void): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = window.setTimeout(onLate, DRAWN_WITHIN_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [isWaiting, onLate]);
}

/** Where the words of name and medicines stand in a text of the document. */
export function usePlacesIn(detail: ReviewDetail) {
  const wanted = JSON.stringify(wantedOf(detail));
  return useCallback((text: string) => foundWordsIn(text, JSON.parse(wanted) as Wanted), [wanted]);
}

/** Asks for a document again whose fetch has failed. */
export function useFetchAgain(id: string): () => void {
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
