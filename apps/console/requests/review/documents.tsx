import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { flushSync } from 'react-dom';
import type { DocumentKind, ReviewDetail } from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { CheckIcon } from '../../controls/icon';
import { Key } from '../../controls/key';
import { useKeys } from '../../keyboard/keys';
import { useLock } from '../../session/lock';
import { readableName } from '../../text/customer-name';
import type { RequestTexts } from '../../text/requests.de';
import { useTexts } from '../../text/texts';
import { hasToken } from '../hints/prescription-hints';
import { documentOf, type DocumentState, isComplete, withPageSeen } from './looks';
import { documentAddress, type DocumentKey, requestDocument } from './requests.calls';
import css from './requests.module.css';
import type { LookedAt } from '../paper/look';
import type { Box } from '../paper/page-lines';
import { isWhole, type ReadPaper, textOf } from '../paper/read-paper';
import type { Paper } from './use-paper';
import { type RequestDocument, useFetchAgain, useLate } from './use-seen';
import { usePlanTexts } from './plan-texts';

/** Loaded after the list is shown: the reader of PDFs is larger than everything else together. */
const DocumentPane = lazy(() => import('../document/document-pane'));

interface Props {
  detail: ReviewDetail;
  /** Of its prescriptions. */
  kind: DocumentKind | null;
  paper: Pick<Paper, 'looked' | 'wanted'>;
  current: RequestDocument | null;
  onChoose: (number: number) => void;
  /** It has been on the screen. */
  hasSeen: (document: RequestDocument) => boolean;
  isShown: boolean;
  stateOf: (document: RequestDocument) => DocumentState;
  onChange: (document: DocumentKey, change: (state: DocumentState) => DocumentState) => void;
}

const NEXT_KEY = 'v';

/** The documents of a request, one of them on the screen. All are read, because the checks compare every prescription. */
export function Documents({ current, onChoose, hasSeen, ...props }: Props) {
  const { detail, isShown } = props;
  const texts = useTexts().requests;
  const { onlyToken } = usePlanTexts();
  const { documents } = detail;
  const next = documents[documents.findIndex((one) => one === current) + 1] ?? documents[0];
  const turn = { keys: NEXT_KEY, does: texts.nextDocument, run: () => next && onChoose(next.number) };
  useKeys('page', documents.length > 1 ? [turn] : []);
  return (
    <Suspense fallback={<div className={css.document} />}>
      {/* React Aria leaves it alone while a dialog is open: the prescription can be scrolled and copied from. */}
      <div className={css.document} data-react-aria-top-layer="true">
        {documents.length > 1 && (
          <div className={css.documents} role="group" aria-label={texts.documents}>
            {documents.map((one) => (
              <Button
                key={one.number}
                kind={one === current ? 'plain' : 'quiet'}
                aria-pressed={one === current}
                onPress={() => {
                  onChoose(one.number);
                }}
              >
                {hasSeen(one) && <CheckIcon />}
                {one.number}
                <span className={css.documentName} title={documentName(one, texts)}>
                  {documentName(one, texts)}
                </span>
              </Button>
            ))}
            <Key name={NEXT_KEY} />
          </div>
        )}
        {documents.map((one) => (
          <OneDocument
            key={`${one.number} ${one.version}`}
            {...props}
            document={one}
            isAway={one !== current}
          />
        ))}
        {documents.length === 0 && (
          <DocumentPane
            load={null}
            isShown={isShown}
            missing={hasToken(detail.payload) ? onlyToken : texts.noDocument}
            kind={props.kind}
            address=""
          />
        )}
      </div>
    </Suspense>
  );
}

/** What it is, with the name that its sender gave. */
export function documentName(
  { kind, name }: Pick<RequestDocument, 'kind' | 'name'>,
  { documentKinds }: RequestTexts,
): string {
  const given = readableName(name);
  return [documentKinds[kind], ...(given === null ? [] : [given])].join(' · ');
}

type OneProps = Omit<Props, 'current' | 'onChoose' | 'hasSeen'> & {
  document: RequestDocument;
  isAway: boolean;
};

function OneDocument({ detail, document, isAway, isShown, kind, paper, stateOf, onChange }: OneProps) {
  const texts = useTexts().requests;
  const { documentState } = usePlanTexts();
  const client = useQueryClient();
  const { id } = detail;
  const { number, version } = document;
  const isStored = document.state === 'stored';
  const isLocked = useLock() !== null;
  const load = useMemo(
    // A locked screen keeps no document in memory.
    () => (isStored && !isLocked ? () => client.query(requestDocument(id, { number, version })) : null),
    [isStored, isLocked, client, id, number, version],
  );
  const state = stateOf(document);
  const isBusy = load !== null && !isComplete(state);
  const told = useChanges(document, onChange);
  useLate(isBusy && !isAway, told.onLate, state.paper);
  const onAgain = useFetchAgain(id);
  const isPrescription = document.kind === 'prescription';
  return (
    <DocumentPane
      {...told}
      load={load}
      isBusy={isBusy}
      isAway={isAway}
      isShown={isShown && !isAway}
      isLate={documentOf(state) === 'late'}
      title={isPrescription ? null : documentName(document, texts)}
      kind={isPrescription ? kind : null}
      missing={documentState[document.state === 'waiting' ? 'waiting' : 'failed']}
      onAgain={document.state === 'failed' ? onAgain : null}
      address={documentAddress(id, document)}
      number={number}
      places={usePlaces(paper.looked, isPrescription ? number : null)}
      wanted={paper.wanted?.document === number ? paper.wanted : null}
    />
  );
}

/** What the pieces of a document show, by page. */
function usePlaces(looked: LookedAt | null, number: number | null) {
  const found = looked?.found;
  return useMemo(() => {
    const places = new Map<number, { rotation: number; boxes: Box[] }>();
    const blocks = found?.forms.flatMap(({ head, blocks: all }) => [
      head,
      ...all.flatMap(({ crops }) => crops),
    ]);
    for (const crop of blocks ?? []) {
      if (crop?.document !== number || !crop) continue;
      const boxes = places.get(crop.page)?.boxes ?? [];
      places.set(crop.page, { rotation: crop.rotation, boxes: [...boxes, ...crop.marks] });
    }
    return places;
  }, [found, number]);
}

/** What the pane tells of a document; the same functions as long as it is the same document. */
function useChanges(document: RequestDocument, onChange: Props['onChange']) {
  const { number, version } = document;
  return useMemo(() => {
    const put = (change: Partial<DocumentState>) => {
      onChange({ number, version }, (state) => ({ ...state, ...change }));
    };
    return {
      onPainted: () => put({ isPainted: true }),
      // In turn with other updates, the search would begin long after the page is drawn.
      onRead: (paper: ReadPaper) =>
        flushSync(() => put({ paper, text: isWhole(paper) ? textOf(paper) : null })),
      onFailed: (failed: DocumentState['failed']) => put({ failed }),
      onOpened: (count: number) => put({ pages: { count, seen: [] } }),
      onLate: () => put({ isLate: true }),
      onPageSeen: (page: number) => {
        onChange({ number, version }, (state) => withPageSeen(state, page));
      },
    };
  }, [number, version, onChange]);
}
