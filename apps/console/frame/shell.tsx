import { useSuspenseQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { KeyPolicyContext } from '../controls/key-policy';
import { useTexts } from '../text/texts';
import { pagesOf } from './areas';
import { useIsConfirmationAsked } from '../session/confirmation';
import { idleMs, watchTouches } from '../calls/idle';
import { useKeyListener, useKeys } from '../keyboard/keys';
import { lock, useLock } from '../session/lock';
import { useOnline } from '../session/online';
import { useOtherTabs } from '../session/other-tabs';
import { useNewWork } from './new-work';
import { Rail } from './rail';
import { type Session, sessionQuery, signOut } from '../session/session.calls';
import css from './shell.module.css';
import { ToastRegion, toasts } from '../messages/toasts';
import { useTypedGuard } from '../session/use-draft';
import { useLeftElsewhere } from '../session/use-left-elsewhere';

const ConfirmDialog = lazy(() => import('./confirm-dialog'));
const KeyList = lazy(() => import('./key-list'));
const Palette = lazy(() => import('./palette'));
const loadLockScreen = () => import('./lock-screen');
const LockScreen = lazy(loadLockScreen);
/** It must be there when the server is not. */
const LOCK_SCREEN_AFTER_MS = 5_000;

/** Without a signed-in person: to the sign-in page, and from there back to the same address. */
export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const router = useRouter();
  if (session) return <SignedIn session={session} />;
  return <Navigate to="/sign-in" search={{ to: router.latestLocation.publicHref }} />;
}

/** Rail, page, toasts; keys that act everywhere. */
function SignedIn({ session }: { session: Session }) {
  const { staff, settings } = session;
  const texts = useTexts();
  const isConfirmationAsked = useIsConfirmationAsked();
  const [open, setOpen] = useState<'keys' | 'palette' | null>(null);
  const close = () => {
    setOpen(null);
  };
  useSessionEnd(session);
  useLeftElsewhere(staff.id);
  useTypedGuard();
  useNewWork();
  useKeyListener(settings.single_keys);
  useEffect(() => void import('../keyboard/scan-guard'), []);
  useShellKeys(session, setOpen);
  return (
    <KeyPolicyContext value={settings.single_keys}>
      <div className={css.shell}>
        <a className={css.skip} href="#content">
          {texts.shell.toContent}
        </a>
        <Rail />
        <main id="content" tabIndex={-1} className={css.page}>
          <OfflineBanner />
          <div className={css.content}>
            <Outlet />
          </div>
        </main>
        <ToastRegion />
        <Suspense>
          {open === 'keys' ? <KeyList onClose={close} /> : null}
          {open === 'palette' ? <Palette onClose={close} /> : null}
          {isConfirmationAsked ? <ConfirmDialog /> : null}
        </Suspense>
        <Lock session={session} />
      </div>
    </KeyPolicyContext>
  );
}

/** Keys that act on every page. */
function useShellKeys(session: Session, open: (dialog: 'keys' | 'palette') => void): void {
  const texts = useTexts();
  const navigate = useNavigate();
  useKeys('shell', [
    {
      keys: '?',
      does: texts.shell.keysTitle,
      run: () => {
        open('keys');
      },
    },
    {
      keys: 'Ctrl k',
      does: texts.shell.palette,
      run: () => {
        open('palette');
      },
    },
    {
      keys: 'z',
      does: texts.shell.undo,
      run: () => {
        toasts.act('z');
      },
    },
    ...pagesOf(session).flatMap(({ to, key, name }) =>
      key === undefined ? [] : [{ keys: `g ${key}`, does: name(texts), run: () => void navigate({ to }) }],
    ),
  ]);
}

function Lock({ session }: { session: Session }) {
  const reason = useLock();
  useEffect(() => {
    const timer = window.setTimeout(() => void loadLockScreen().catch(() => undefined), LOCK_SCREEN_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, []);
  if (reason === null) return null;
  return (
    <Suspense fallback={<div className={css.cover} />}>
      <LockScreen reason={reason} session={session} />
    </Suspense>
  );
}

function OfflineBanner() {
  const texts = useTexts();
  const online = useOnline();
  return <div role="status">{online ? null : <p className={css.offline}>{texts.shell.offline}</p>}</div>;
}

/** See docs/contract.md#people. The session itself lives longer without a touch (idle_seconds). */
const LOCK_AFTER_MS = 15 * 60_000;
const WARN_BEFORE_MS = 120_000;
const LOOK_EVERY_MS = 5_000;
const WARNING = 'session-end';

/** Ends the session, too: a reload of the page, or a new tab, must not lead around the lock. */
function lockIdle(): void {
  lock.close('idle');
  // An unreachable server ends the session by itself later, for nothing uses it.
  signOut().catch(() => undefined);
}

/** Locks an untouched screen, and warns before the session ends. Signing in again puts the end off. */
function useSessionEnd(session: Session): void {
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
