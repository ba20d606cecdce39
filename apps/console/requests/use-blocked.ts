import type { ReviewDetail } from '@offizin/contracts/review';
import type { Taken } from '../held/held-decisions';
import { useOnline } from '../shell/online';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import type { Progress } from './armed';
import type { Act } from './decision';

/** Why the request cannot be decided now, as a sentence; null when it can. */
export function useBlocked(
  detail: ReviewDetail,
  progress: Progress,
  taken: Taken<Act> | undefined,
): string | null {
  const { requests: texts, live } = useTexts();
  const formats = useFormats();
  const { scopes } = useSession();
  const isOnline = useOnline();
  if (!scopes.includes('order_requests.review')) return texts.blockedRole;
  if (taken) return taken.phase === 'held' ? texts.blockedHeld[taken.act.kind] : texts.blockedSending;
  if (detail.status !== 'pending' && detail.status !== 'needs_clarification') {
    const last = detail.history.findLast(({ action }) => isDecision(action));
    if (!last || !isDecision(last.action)) return texts.blockedDecided;
    return live.decided[last.action](last.who, formats.time(last.at));
  }
  if (!isOnline) return texts.blockedOffline;
  return progress === 'armed' ? null : texts.blockedUntilArmed[progress];
}

function isDecision(action: string): action is 'order-request.approve' | 'order-request.reject' {
  return action === 'order-request.approve' || action === 'order-request.reject';
}
