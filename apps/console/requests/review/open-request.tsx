import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { Button } from '../../controls/button';
import { DialogPlace } from '../../controls/dialog';
import type { HeldInPhase } from '../held/held-decisions';
import { Fault } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { useTexts } from '../../text/texts';
import { ActionBar } from './action-bar';
import { type Act, requestDetail } from './requests.calls';
import { Documents } from './documents';
import { concernsOf } from '../hints/concerns';
import { type DocumentText, hintsOf, kindOf } from '../hints/hints';
import { openMarks } from './open-marks';
import css from './requests.module.css';
import { Review, type ShownPaper } from './review';
import { Head } from './review-head';
import { reviewSettings } from './review-settings';
import { useDecision } from './use-decision';
import { type Editing, useEdits } from './use-edits';
import { useSeen } from './use-seen';
import { WaitingRequest } from './waiting-request';
import { useConcernTexts } from './plan-texts';

/** Loaded beside it: no dialog opens before the document is there. */
const DecisionDialogs = lazy(() => import('./decision-dialogs'));

interface Props {
  id: string;
  pane: 'review' | 'document';
  onPane: (pane: 'review' | 'document') => void;
  /** This person's decision about it, until the lists show it. */
  taken: HeldInPhase<Act> | undefined;
  onUndo: () => void;
  /** Leads to this request, from wherever the person is by then. */
  onShow: (id: string) => void;
  onDecide: (request: { id: string; customer: string }, act: Act) => void;
  onClose: () => void;
}

/** The request on the screen. It is created for each request, so nothing of another one is left in it. */
export default function OpenRequest(props: Props) {
  const { data: detail, error, refetch } = useQuery(requestDetail(props.id));
  const settings = useQuery(reviewSettings);
  const failure = error ?? settings.error;
  if (detail && settings.data) return <LoadedRequest {...props} detail={detail} settings={settings.data} />;
  return (
    <WaitingRequest>
      {failure && <Fault error={failure} onAgain={() => void Promise.all([refetch(), settings.refetch()])} />}
    </WaitingRequest>
  );
}

interface LoadedProps extends Props {
  detail: ReviewDetail;
  settings: ReviewSettings;
}

/** The content on the screen, how far it was seen, what speaks against an approval, and the decision. */
function LoadedRequest({ detail: sent, settings, pane, onPane, ...props }: LoadedProps) {
  const { taken, onUndo, onShow, onDecide, onClose } = props;
  const texts = useTexts().requests;
  const [place, setPlace] = useState<Element | null>(null);
  const editing = useEdits(sent);
  const detail = editing.shown;
  const seen = useSeen(detail, pane, settings.amber_days);
  const paper = paperOf(seen, onPane);
  const findings = useFindings(editing, seen, { paper, settings });
  const decision = useDecision(sent, { editing, findings, progress: seen.progress, taken, onDecide, onShow });
  const { canDecide } = decision;
  return (
    <>
      <section className={css.review} aria-label={texts.review}>
        <Head detail={detail} onClose={onClose} onPlan={canDecide ? () => decision.onOpen('plan') : null} />
        <PaneSwitch pane={pane} onPane={onPane} />
        <Notice text={decision.notice} />
        <ReviewScroll isShown={seen.isReviewShown}>
          <Review
            sent={sent}
            editing={editing}
            hints={findings.hints}
            foundDay={findings.foundDay}
            foundKind={findings.foundKind}
            canDecide={canDecide}
            settings={settings}
            linesEnd={seen.linesEnd}
            paper={paper}
            pages={seen.pages}
            progress={seen.progress}
            onOpen={decision.onOpen}
          />
        </ReviewScroll>
        <ActionBar
          {...decision.bar}
          status={detail.status}
          isErased={detail.erased_at !== null}
          onUndo={taken?.phase === 'held' ? onUndo : null}
        />
        <div ref={setPlace} className={css.panel} />
      </section>
      <Documents {...seen.pane} kind={findings.kind} />
      <Dialogs
        {...decision.dialogs}
        place={place}
        sent={sent}
        editing={editing}
        settings={settings}
        kind={findings.kind}
        concerns={findings.concerns}
        phone={phoneIn(seen.document)}
      />
    </>
  );
}

/** Pressing a piece leads to its place in the document, also where that is in another pane. */
function paperOf(
  { paper, pane, isReviewShown: isShown }: ReturnType<typeof useSeen>,
  onPane: Props['onPane'],
): ShownPaper {
  return {
    ...paper,
    isShown,
    onPlace: (place, isPress) => {
      pane.onChoose(place.document);
      paper.onPlace(place);
      if (isPress) onPane('document');
    },
  };
}

/** What the review shows beside the content, and what speaks against an approval. */
function useFindings(
  editing: Editing,
  seen: ReturnType<typeof useSeen>,
  { paper, settings }: { paper: ShownPaper; settings: ReviewSettings },
) {
  const texts = useConcernTexts();
  const { shown: detail, madeOn } = editing;
  const { found, alarms = [] } = paper.looked ?? {};
  const foundDay = found?.issued?.days[0] ?? null;
  const { openedAtMs: nowMs, unread } = seen;
  const hints = hintsOf(detail, seen.document, foundDay, { ...settings, nowMs, unread });
  const foundKind = kindOf({ ...detail.marks, document_kind: null }, seen.document);
  const kind = detail.marks.document_kind ?? foundKind;
  const open = openMarks(detail, settings, kind);
  const stale = madeOn && ([madeOn.version, detail.version] as const);
  const concerns = concernsOf({ alarms, hints, stale, open }, texts);
  return { foundDay, foundKind, kind, hints, concerns };
}

function Dialogs({ place, ...props }: ComponentProps<typeof DecisionDialogs> & { place: Element | null }) {
  return (
    <DialogPlace value={place}>
      <Suspense>
        <DecisionDialogs {...props} />
      </Suspense>
    </DialogPlace>
  );
}

/** Of the prescriber, as it is written. */
function phoneIn(document: DocumentText): string | null {
  if (typeof document !== 'object') return null;
  return (
    /(?:Tel(?:efon)?\.?|Fon)\s*:?\s*(\+?[\d][\d ()/-]{5,20}\d)/i.exec(document.text)?.[1]?.trim() ?? null
  );
}

function Notice({ text }: { text: string | null }) {
  return (
    <div role="status" className={css.notices}>
      {text !== null && <p className={css.notice}>{text}</p>}
    </div>
  );
}

/** Of the height of what is seen; the rest of it stays, so that no line is skipped. */
const STEP = 0.8;

interface ReviewScrollProps {
  /** No other pane is there in its place. */
  isShown: boolean;
  children: ReactNode;
}

/** The part of the review that scrolls, also by keys wherever the focus is. */
function ReviewScroll({ isShown, children }: ReviewScrollProps) {
  const texts = useTexts().requests;
  const region = useRef<HTMLDivElement>(null);
  useKeys(
    'page',
    isShown
      ? [
          { keys: 'PageDown', does: texts.scrollDown, run: () => scroll(region, STEP), repeats: true },
          { keys: 'PageUp', does: texts.scrollUp, run: () => scroll(region, -STEP), repeats: true },
        ]
      : [],
  );
  return (
    <div ref={region} className={css.scroll} tabIndex={0} role="region" aria-label={texts.reviewRegion}>
      {children}
    </div>
  );
}

function scroll({ current }: RefObject<Element | null>, by: number): void {
  const scroller = current && scrollerOf(current);
  scroller?.scrollBy({ top: by * scroller.clientHeight });
}

/** In a very low window the whole page scrolls in its place. */
function scrollerOf(element: Element): Element {
  const isScroller =
    element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible';
  return isScroller || !element.parentElement ? element : scrollerOf(element.parentElement);
}

interface PaneSwitchProps {
  pane: 'review' | 'document';
  onPane: (pane: 'review' | 'document') => void;
}

/** On a screen too narrow for review and document beside each other. */
function PaneSwitch({ pane, onPane }: PaneSwitchProps) {
  const texts = useTexts().requests;
  return (
    <div className={css.tabs}>
      <div className={css.switch} role="group" aria-label={texts.panes}>
        {(['review', 'document'] as const).map((each) => (
          <Button
            key={each}
            kind={each === pane ? 'plain' : 'quiet'}
            aria-pressed={each === pane}
            onPress={() => onPane(each)}
          >
            {texts[each]}
          </Button>
        ))}
      </div>
    </div>
  );
}
