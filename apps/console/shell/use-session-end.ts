import { useEffect } from 'react';
import { useTexts } from '../text/texts';
import { idleMs, watchTouches } from './idle';
import { lock } from './lock';
import { useOtherTabs } from './other-tabs';
import { type Session, signOut } from './session.calls';
import { toasts } from './toasts';

/** See docs/contract.md#people. The session itself lives longer without a touch (idle_seconds). */
const LOCK_AFTER_MS = 15 * 60_000;
const WARN_BEFORE_MS = 120_000;
const LOOK_EVERY_MS = 5_000;
const WARNING = 'session-end';

/** Ends the session, too: loading the page anew, or a new tab, must not lead around the lock. */
function lockIdle(): void {
  lock.close('idle');
  // A server that is away ends the session by itself later, for nothing uses it.
  signOut().catch(() => undefined);
}

/** Locks the screen that nobody touches, and warns before the session ends. Signing in again puts the end off. */
export function useSessionEnd(session: Session): void {
  const texts = useTexts().lock;
  useEffect(watchTouches, []);
  useOtherTabs((staffId) => {
    if (staffId !== session.staff.id) lock.close('ended');
    // The same person is back, and the cookie is theirs again.
    else lock.open();
  });
  const endsAtMs = Date.parse(session.ends_at);
  useEffect(() => {
    let isWarned = false;
    const look = () => {
      const leftMs = endsAtMs - Date.now();
      if (leftMs <= 0) lock.close('ended');
      else if (idleMs() >= LOCK_AFTER_MS && lock.current() === null) lockIdle();
      if (leftMs > WARN_BEFORE_MS || leftMs <= 0 || isWarned) return;
      isWarned = true;
      const run = () => {
        lock.close('ended');
      };
      toasts.show({ id: WARNING, text: texts.soon, tone: 'failure', action: { label: texts.putOff, run } });
    };
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    look();
    return () => {
      window.clearInterval(timer);
      toasts.close(WARNING);
    };
  }, [endsAtMs, texts]);
}
