import { useEffect } from 'react';
import { call } from '../calls/api';
import { useLock } from '../session/lock';

/** The gateway forgets what is not repeated within 30 s. */
const REPEAT_MS = 15_000;

/** Shows colleagues which request this person has open. A tab in the background sends nothing: it is not looked at. */
export function usePresence(openId: string | undefined): void {
  const isLocked = useLock() !== null;
  const requestId = isLocked ? undefined : openId;
  useEffect(() => {
    if (requestId === undefined) return undefined;
    const repeat = () => {
      if (document.visibilityState === 'visible') tell(requestId);
    };
    repeat();
    const timer = window.setInterval(repeat, REPEAT_MS);
    document.addEventListener('visibilitychange', repeat);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener('visibilitychange', repeat);
    };
  }, [requestId]);
  const isOpen = requestId !== undefined;
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = () => {
      tell(null);
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [isOpen]);
}

/** Advice only: when it does not arrive, the database still decides who was first. */
function tell(requestId: string | null): void {
  const body = { request_id: requestId };
  call('PUT', '/api/presence', { body, keepalive: requestId === null }).catch(() => undefined);
}
