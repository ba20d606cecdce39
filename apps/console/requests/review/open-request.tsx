import { useQuery } from '@tanstack/react-query';
import {
  type ComponentProps,
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { Button } from '../../controls/button';
import { DialogPlace } from '../../controls/dialog';
import type { HeldInPhase } from '../held/held-decisions';
import { Fault } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { useOnline } from '../../session/online';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { ActionBar } from './action-bar';
import type { Progress } from './looks';
import { type Act, type Choice, requestDetail } from './requests.calls';
import type { DialogName } from './decision-dialogs';
import { Documents } from './documents';
import { bodyOf } from '../edits/edits';
import { type Content, contentOf, isSameContent } from '../edits/first-approval';
import { type DocumentText, type Hint, hintsOf, hintText, kindOf } from '../hints/hints';
import { type MarkName, openMarks } from './open-marks';
import css from './requests.module.css';
import { Review, type ShownPaper } from './review';
import { Head, isUndecided } from './review-head';
import { reviewSettings } from './review-settings';
import { useColleagueCheck, useParkedCheck } from './decision-checks';
import { type Editing, staleText, useEdits } from './use-edits';
import { useSeen } from './use-seen';
import { useIsOwnFirst, useTakeBack } from './use-take-back';
import { WaitingRequest } from './waiting-request';
import { usePlanTexts } from './plan-texts';

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

function LoadedRequest({ detail: sent, settings, taken, ...props }: LoadedProps) {
  const { pane, onPane, onUndo, onShow, onDecide, onClose } = props;
  const texts = useTexts().requests;
  const editing = useEdits(sent);
  const detail = editing.shown;
  const seen = useSeen(detail, pane, settings.amber_days);
  const paper = paperOf(seen, onPane);
  const colleagues = useColleagueCheck(detail.id);
  const parked = useParkedCheck(detail);
  const blocked = useBlocked(detail, seen.progress, taken);
  const isOwnFirst = useIsOwnFirst(sent);
  const { dialog, setDialog, close, isOutdated, notice } = useVersionedDialog(sent, isOwnFirst);
  useShutDialog({ isOpen: dialog !== null, detail, blocked, close });
  const [place, setPlace] = useState<Element | null>(null);
  const canDecide = blocked !== texts.blockedRole && !taken;
  const { kind, concerns, ...findings } = useFindings(editing, seen, { paper, settings });
  const customer = readableName(detail.customer_name) ?? texts.nameless;
  const act = (choice: Choice) => {
    close();
    if (isOutdated()) return;
    onDecide({ id: detail.id, customer }, { ...withSeen(choice, editing), version: detail.version });
  };
  const approve = () => {
    const first = dialogBefore({ parked, colleagues }, findings.hints, concerns);
    if (first !== null) setDialog(first);
    else act({ kind: 'approve', body: {} });
  };
  return (
    <>
      <section className={css.review} aria-label={texts.review}>
        <Head detail={detail} onClose={onClose} onPlan={canDecide ? () => setDialog('plan') : null} />
        <PaneSwitch pane={pane} onPane={onPane} />
        <Notice text={notice} />
        <ReviewScroll isShown={seen.isReviewShown}>
          <Review
            sent={sent}
            editing={editing}
            {...findings}
            canDecide={canDecide}
            settings={settings}
            linesEnd={seen.linesEnd}
            paper={paper}
            pages={seen.pages}
            progress={seen.progress}
            onOpen={setDialog}
          />
        </ReviewScroll>
        <ActionBar
          blocked={blocked}
          isOwnFirst={isOwnFirst}
          status={detail.status}
          isErased={detail.erased_at !== null}
          onApprove={approve}
          onOpen={(name) => setDialog(parked.mustAsk() ? `parked-${name}` : name)}
          onWithdraw={useTakeBack(isOwnFirst ? 'approval' : 'question', { id: detail.id, customer }, onShow)}
          onUndo={taken?.phase === 'held' ? onUndo : null}
        />
        <div ref={setPlace} className={css.panel} />
      </section>
      <Documents {...seen.pane} kind={kind} />
      <Dialogs
        place={place}
        open={dialog}
        sent={sent}
        editing={editing}
        settings={settings}
        kind={kind}
        concerns={concerns}
        colleagues={colleagues}
        parked={parked}
        phone={phoneIn(seen.document)}
        onAct={act}
        onApprove={approve}
        onOpen={setDialog}
        onClose={close}
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

/** What the review shows beside the content, and what an approval acknowledges. */
function useFindings(
  editing: Editing,
  seen: ReturnType<typeof useSeen>,
  { paper, settings }: { paper: ShownPaper; settings: ReviewSettings },
) {
  const detail = editing.shown;
  const foundDay = paper.looked?.found.issued?.days[0] ?? null;
  const { openedAtMs: nowMs, unread } = seen;
  const hints = hintsOf(detail, seen.document, foundDay, { ...settings, nowMs, unread });
  const foundKind = kindOf({ ...detail.marks, document_kind: null }, seen.document);
  const kind = detail.marks.document_kind ?? foundKind;
  const open = openMarks(detail, settings, kind);
  const concerns = [...redAlarms(paper), ...useConcerns(editing, hints, open)];
  return { foundDay, foundKind, kind, hints, concerns };
}

function redAlarms({ looked }: ShownPaper): string[] {
  return (looked?.alarms ?? []).flatMap(({ tone, text }) => (tone === 'red' ? [text] : []));
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

/** The dialog that an approval opens first. */
function dialogBefore(
  { parked, colleagues }: Record<'parked' | 'colleagues', { mustAsk: () => boolean }>,
  hints: readonly Hint[],
  concerns: readonly string[],
): DialogName | null {
  if (parked.mustAsk()) return 'parked-approve';
  if (colleagues.mustAsk()) return 'shared';
  if (hints.some(({ kind }) => kind === 'stock')) return 'stock';
  return concerns.length > 0 ? 'override' : null;
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

/** An approval carries what the person has changed, and names the first approval that was on the screen. */
function withSeen(choice: Choice, { shown, applied }: Editing): Choice {
  if (choice.kind !== 'approve') return choice;
  const first_approval_at = shown.first_approval?.at ?? null;
  return { ...choice, body: { ...bodyOf(applied, shown), ...choice.body, first_approval_at } };
}

/** Red checks and open marks, as sentences: an approval against them takes a reason. */
function useConcerns(
  { shown: detail, madeOn }: Editing,
  hints: readonly Hint[],
  open: readonly MarkName[],
): string[] {
  const texts = useTexts();
  const { edit, hints: said } = usePlanTexts();
  const formats = useFormats();
  return [
    ...hints.filter(({ tone }) => tone === 'red').map((hint) => hintText(hint, said, formats)),
    ...(madeOn === null ? [] : [staleText(madeOn, detail, edit)]),
    ...open.map((mark) => texts.requests.openMark(texts.requests.mark[mark])),
  ];
}

/** The open dialog. It belongs to the content that was on the screen when it opened. */
function useVersionedDialog(detail: ReviewDetail, isOwnFirst: boolean) {
  const texts = useTexts();
  const content = contentOf(detail);
  const [opened] = useState(content);
  const [dialog, setDialog] = useState<{ name: DialogName; content: Content } | null>(null);
  /** How the content has changed since `before`; null when it has not, or only by this person. */
  const changeSince = (before: Content): string | null => {
    if (before.version !== content.version) return texts.live.newVersion(content.version);
    if (isSameContent(before, content) || isOwnFirst) return null;
    return texts.requests.secondLook.refused[content.firstAt === null ? 'gone' : 'changed'];
  };
  return {
    dialog: dialog?.name ?? null,
    setDialog: (name: DialogName | null) => {
      setDialog(name && { name, content });
    },
    close: () => {
      setDialog(null);
    },
    /** Says so, when a decision of the dialog was made about older content: it is not sent. */
    isOutdated: () => {
      const change = dialog && changeSince(dialog.content);
      if (change !== null) toasts.show({ text: change, tone: 'failure' });
      return change !== null;
    },
    /** What has changed since the request was opened. */
    notice: changeSince(opened),
  };
}

interface ShutDialog {
  isOpen: boolean;
  detail: ReviewDetail;
  blocked: string | null;
  close: () => void;
}

/** A colleague decides, or the connection goes: an open dialog has nothing left to send. Typed text is kept. */
function useShutDialog({ isOpen, detail: { status }, blocked, close }: ShutDialog): void {
  const texts = useTexts().requests;
  const isOnline = useOnline();
  const isDecidable = isUndecided({ status });
  const why = isOpen && !(isOnline && isDecidable) ? blocked : null;
  useEffect(() => {
    if (why === null) return;
    toasts.show({ id: 'dialog-shut', text: texts.dialogShut(why), tone: 'failure' });
    close();
  });
}

/** Why the request cannot be decided now, as a sentence; null when it can. */
function useBlocked(
  detail: ReviewDetail,
  progress: Progress,
  taken: HeldInPhase<Act> | undefined,
): string | null {
  const { requests: texts, live } = useTexts();
  const formats = useFormats();
  const { scopes } = useSession();
  const isOnline = useOnline();
  if (!scopes.includes('order_requests.review')) return texts.blockedRole;
  if (taken) return taken.phase === 'held' ? texts.blockedHeld[taken.act.kind] : texts.blockedSending;
  if (!isUndecided(detail)) {
    const last = detail.history.findLast(({ action }) => isDecision(action));
    if (!last || !isDecision(last.action)) return texts.blockedDecided;
    return live.decided[last.action](last.who, formats.time(last.at));
  }
  if (!isOnline) return texts.blockedOffline;
  return progress === 'armed' ? null : texts.blockedUntilArmed[progress];
}

const DECISIONS = ['order-request.approve', 'order-request.reject', 'order-request.cancel'] as const;

function isDecision(action: string): action is (typeof DECISIONS)[number] {
  return DECISIONS.some((decision) => decision === action);
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
