import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { useOnline } from '../../session/online';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { bodyOf } from '../edits/edits';
import { type Content, contentOf, isSameContent, waitingFirst } from '../edits/first-approval';
import type { HeldInPhase } from '../held/held-decisions';
import type { Concern } from '../hints/concerns';
import type { Hint } from '../hints/hints';
import { type ColleagueCheck, type ParkedCheck, useColleagueCheck, useParkedCheck } from './decision-checks';
import type { DialogName } from './decision-dialogs';
import type { Progress } from './looks';
import { showRefusal } from './refusal-toast';
import { type Act, type Choice, withdrawFirstApproval, withdrawQuestion } from './requests.calls';
import { isUndecided } from './review-head';
import type { Editing } from './use-edits';

interface Findings {
  hints: readonly Hint[];
  concerns: readonly Concern[];
}

interface Deciding {
  editing: Editing;
  findings: Findings;
  progress: Progress;
  /** This person's decision about it, until the lists show it. */
  taken: HeldInPhase<Act> | undefined;
  onDecide: (request: { id: string; customer: string }, act: Act) => void;
  /** Leads to this request, from wherever the person is by then. */
  onShow: (id: string) => void;
}

/**
 * The decision about the request on the screen: why it is not possible now, what it asks first, and how it is sent. It
 * belongs to the content that was on the screen when its dialog opened.
 */
export function useDecision(
  sent: ReviewDetail,
  { editing, findings, progress, taken, onDecide, onShow }: Deciding,
) {
  const texts = useTexts().requests;
  const detail = editing.shown;
  const request = { id: detail.id, customer: readableName(detail.customer_name) ?? texts.nameless };
  const isOwnFirst = useIsOwnFirst(sent);
  const onWithdraw = useTakeBack(isOwnFirst ? 'approval' : 'question', request, onShow);
  const blocked = useBlocked(detail, progress, taken);
  const { open, onOpen, onClose, isOutdated, notice } = useVersionedDialog(sent, isOwnFirst);
  useShutDialog({ isOpen: open !== null, detail, blocked, onClose });
  const colleagues = useColleagueCheck(detail.id);
  const parked = useParkedCheck(detail);
  const onAct = (choice: Choice) => {
    onClose();
    if (isOutdated()) return;
    onDecide(request, { ...withSeen(choice, editing), version: detail.version });
  };
  const onApprove = () => {
    const first = dialogBefore(findings, parked, colleagues);
    if (first !== null) onOpen(first);
    else onAct({ kind: 'approve', body: {} });
  };
  const onChoose = (name: 'ask' | 'reject') => {
    onOpen(parked.mustAsk() ? `parked-${name}` : name);
  };
  return {
    /** Also before everything was seen: notes, marks and plans need no decision. */
    canDecide: blocked !== texts.blockedRole && !taken,
    /** Changes since the request was opened. */
    notice,
    onOpen,
    /** For the bar of actions. */
    bar: { blocked, isOwnFirst, onApprove, onOpen: onChoose, onWithdraw },
    /** For the dialogs. */
    dialogs: { open, colleagues, parked, onAct, onApprove, onOpen, onClose },
  };
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

/** The dialog that an approval opens first. */
function dialogBefore(
  { hints, concerns }: Findings,
  parked: ParkedCheck,
  colleagues: ColleagueCheck,
): DialogName | null {
  if (parked.mustAsk()) return 'parked-approve';
  if (colleagues.mustAsk()) return 'shared';
  if (hints.some(({ kind }) => kind === 'stock')) return 'stock';
  return concerns.length > 0 ? 'override' : null;
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
    open: dialog?.name ?? null,
    onOpen: (name: DialogName) => {
      setDialog({ name, content });
    },
    onClose: () => {
      setDialog(null);
    },
    /** Says so, when a decision of the dialog was made about older content: it is not sent. */
    isOutdated: () => {
      const change = dialog && changeSince(dialog.content);
      if (change !== null) toasts.show({ text: change, tone: 'failure' });
      return change !== null;
    },
    notice: changeSince(opened),
  };
}

interface ShutDialog {
  isOpen: boolean;
  detail: ReviewDetail;
  blocked: string | null;
  onClose: () => void;
}

/** A colleague decides, or the connection goes: an open dialog has nothing left to send. Typed text is kept. */
function useShutDialog({ isOpen, detail: { status }, blocked, onClose }: ShutDialog): void {
  const texts = useTexts().requests;
  const isOnline = useOnline();
  const isDecidable = isUndecided({ status });
  const why = isOpen && !(isOnline && isDecidable) ? blocked : null;
  useEffect(() => {
    if (why === null) return;
    toasts.show({ id: 'dialog-shut', text: texts.dialogShut(why), tone: 'failure' });
    onClose();
  });
}

/** An approval carries what the person has changed, and names the first approval that was on the screen. */
function withSeen(choice: Choice, { shown, applied }: Editing): Choice {
  if (choice.kind !== 'approve') return choice;
  const first_approval_at = shown.first_approval?.at ?? null;
  return { ...choice, body: { ...bodyOf(applied, shown), ...choice.body, first_approval_at } };
}

/** Whether this person has approved first: another one must complete it. */
export function useIsOwnFirst(detail: ReviewDetail): boolean {
  const { staff } = useSession();
  return waitingFirst(detail)?.staff_id === staff.id;
}

const CALLS = { question: withdrawQuestion, approval: withdrawFirstApproval };

/** Takes back the question to the partner, or the own first approval; or shows why that did not happen. */
function useTakeBack(
  what: keyof typeof CALLS,
  { id, customer }: { id: string; customer: string },
  onShow: (id: string) => void,
): () => void {
  const texts = useTexts();
  const formats = useFormats();
  const client = useQueryClient();
  const told = what === 'question' ? texts.requests.notWithdrawn : texts.requests.secondLook.notTakenBack;
  const { mutate } = useMutation({
    mutationFn: () => CALLS[what](id),
    onError: (error) => {
      showRefusal(error, { id, customer, told, onShow }, texts, formats);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  return () => {
    mutate();
  };
}
