import { useSuspenseQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { KeyPolicyContext } from '../controls/key-policy';
import { useTexts } from '../text/texts';
import { pagesOf } from './areas';
import { useIsConfirmationAsked } from './confirmation';
import { useKeyListener, useKeys } from './keys';
import { useLock } from './lock';
import { useOnline } from './online';
import { Rail } from './rail';
import { type Session, sessionQuery } from './session.calls';
import css from './shell.module.css';
import { ToastRegion, toasts } from './toasts';
import { useLeftElsewhere } from './use-left-elsewhere';
import { useSessionEnd } from './use-session-end';

const ConfirmDialog = lazy(() => import('./confirm-dialog'));
const KeyList = lazy(() => import('./key-list'));
const Palette = lazy(() => import('./palette'));
const loadLockScreen = () => import('./lock-screen');
const LockScreen = lazy(loadLockScreen);
/** It must be there when the server is not. */
const LOCK_SCREEN_AFTER_MS = 5_000;

/** Nobody is signed in: to the sign-in page, and from there back to the same address. */
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
  useKeyListener(settings.single_keys);
  useShellKeys(staff.role, setOpen);
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
function useShellKeys(role: Session['staff']['role'], open: (dialog: 'keys' | 'palette') => void): void {
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
    ...pagesOf(role).flatMap(({ to, key, name }) =>
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
