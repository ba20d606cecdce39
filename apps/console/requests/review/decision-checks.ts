import { useRef } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { useColleagues } from '../../live/live';

/** What a decision asks about first. */

/** A colleague who has only passed over the request is not a reason to ask. */
const SHARED_AFTER_MS = 3_000;

export interface ColleagueCheck {
  names: string;
  /** Whether an approval asks first; once per look at the request. */
  mustAsk: () => boolean;
  onAsked: () => void;
}

/** Colleagues who have the request open, too. */
export function useColleagueCheck(id: string): ColleagueCheck {
  const colleagues = useColleagues().filter(({ request_id: open }) => open === id);
  const asked = useRef(false);
  return {
    names: colleagues.map(({ name }) => name).join(', '),
    mustAsk: () => !asked.current && colleagues.some(({ sinceMs }) => Date.now() - sinceMs > SHARED_AFTER_MS),
    onAsked: () => {
      asked.current = true;
    },
  };
}

export interface ParkedCheck {
  until: string | null;
  /** Whether a decision asks first; once per look at the request. */
  mustAsk: () => boolean;
  onAsked: () => void;
}

/** A colleague wanted to see the request later. */
export function useParkedCheck({ status, plan }: ReviewDetail): ParkedCheck {
  const asked = useRef(false);
  const until = status === 'pending' ? plan.parked_until : null;
  return {
    until,
    mustAsk: () => until !== null && !asked.current,
    onAsked: () => {
      asked.current = true;
    },
  };
}
