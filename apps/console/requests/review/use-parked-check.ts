import { useRef } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';

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
